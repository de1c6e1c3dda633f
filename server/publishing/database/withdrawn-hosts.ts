// Hosts that are no longer served: recorded in the transaction that withdraws them, so that every process closes their open
// connections and confirms it.

import { findOne, getOne, type Session } from '#kit/database/database.ts'
import { takeLock } from '#kit/database/transactions.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import { versionNow } from './publishing-state.ts'
import { type PublishingTables, prepare, prepareQuery } from './tables.ts'

const withdraw = prepareQuery<{ version: bigint; host: string; at: number }>()((db, param) =>
  db
    .insertInto('withdrawn_hosts')
    .values({ version: param('version'), host: param('host'), at: param('at'), cut: 0n })
    .onConflict((conflict) => conflict.columns(['version', 'host']).doNothing()),
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
