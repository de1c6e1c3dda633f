// The row that every write of publishing changes or locks first: it puts writes in order on PostgreSQL, and has the
// version that caches of published sites depend on. Hosts that are no longer served are recorded with their version in the
// transaction that withdraws them, so that every process closes their open connections and confirms it.

import {
  type Awaitable,
  type Database,
  findOne,
  getOne,
  type Session,
} from '#kit/database/database.ts'
import { epochsOf, watchRow } from '#kit/database/shared-reads.ts'
import { takeLock, transactionsUnder } from '#kit/database/transactions.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import { type PublishingTables, prepare } from './tables.ts'

const move = prepare.update('publishing_state', { version: { add: 1n } }, {})

/** Takes the lock (transactions.ts) and changes the version, for a write that changes what is published. */
export async function changePublished(session: Session): Promise<void> {
  await session.all(move, {})
}

/** Transactions that change what is published. */
export const publishingTransaction = transactionsUnder(changePublished)

export const versionNow = prepare.select('publishing_state', ['version'], {})

/** For a database whose state is not what it was: all processes drop what they remember. */
export const startPublishingEpoch = epochsOf('publishing_state', ['version'])

/** Returns the current version, see watchRow. All caches share one, and so its queries. `onMoved` gets each new one. */
export function publishedVersions(
  database: Database,
  onMoved: (version: bigint) => void = () => {},
): () => Awaitable<bigint> {
  return watchRow(
    database,
    versionNow,
    ([version]) => {
      onMoved(version as bigint)
      return version as bigint
    },
    () => startPublishingEpoch(database),
  )
}

const withdraw = prepare.upsert(
  'withdrawn_hosts',
  { version: 'version', host: 'host' },
  { at: 'at' },
  { cut: 0n },
)

const since = prepare.select(
  'withdrawn_hosts',
  ['version', 'host'],
  { version: { '>': 'after' } },
  { orderBy: ['version'], limit: 'max' },
)
const addCut = prepare.update(
  'withdrawn_hosts',
  { cut: { add: 'cut' } },
  { version: 'version', host: 'host' },
)
const cutOf = prepare.select('withdrawn_hosts', ['cut'], { version: 'version', host: 'host' })

/** A process that has not checked for this long has no connections from before. */
const keptMs = 10 * 60_000

/**
 * Inside a write that has changed what is published: from its commit on, the host is not served. Returns the version
 * that each process must have seen.
 */
export async function withdrawHost(session: Session, host: string, at: number): Promise<bigint> {
  const { version } = await getOne(session, versionNow, {})
  await session.all(withdraw, { version, host, at })
  return version
}

/** Those after a version, in order. */
export async function listWithdrawn(session: Session, after: bigint, max: number) {
  return await session.all(since, { after, max })
}

/** Adds to the number of connections that were closed for a host, inside a write. */
export async function addCutConnections(
  session: Session,
  { cut, host, version }: { cut: number; host: string; version: bigint },
): Promise<void> {
  await session.all(addCut, { version, host, cut: BigInt(cut) })
}

/** The number of connections closed for a host so far. */
export async function findCut(
  session: Session,
  withdrawn: { version: bigint; host: string },
): Promise<number> {
  return Number((await findOne(session, cutOf, withdrawn))?.cut ?? 0n)
}

export const deleteOldWithdrawnHosts = oldRowsOf<PublishingTables>()({
  table: 'withdrawn_hosts',
  key: ['version', 'host'],
  time: 'at',
  keptMs,
  lock: takeLock,
})
