// Hosts that are no longer served: noted in the write that ends it, so that every process cuts what is still
// open, and says when it has.
import { getOne, type Session } from '../../platform/database/database.ts'
import { oldRowsOf } from '../../platform/jobs/delete-old-rows.ts'
import { lockPublishing, versionNow } from './publishing-state.ts'
import { type PublishingTables, prepareQuery } from './tables.ts'

const withdraw = prepareQuery<{ version: bigint; host: string; at: number }>()((db, param) =>
  db
    .insertInto('withdrawn_hosts')
    .values({
      version: param('version'),
      host: param('host'),
      at: param('at'),
      cut: 0n,
    })
    .onConflict((conflict) => conflict.columns(['version', 'host']).doNothing()),
)

const since = prepareQuery<{ after: bigint; most: number }>()((db, param) =>
  db
    .selectFrom('withdrawn_hosts')
    .select(['version', 'host'])
    .where('version', '>', param('after'))
    .orderBy('version')
    .limit(param('most')),
)
const addCut = prepareQuery<{ version: bigint; host: string; cut: bigint }>()((db, param) =>
  db
    .updateTable('withdrawn_hosts')
    .set((eb) => ({ cut: eb('cut', '+', param('cut')) }))
    .where('version', '=', param('version'))
    .where('host', '=', param('host')),
)
const cutOf = prepareQuery<{ version: bigint; host: string }>()((db, param) =>
  db
    .selectFrom('withdrawn_hosts')
    .select('cut')
    .where('version', '=', param('version'))
    .where('host', '=', param('host')),
)

export interface WithdrawnHost {
  version: bigint
  host: string
}

/** A process that has not looked for so long has no connection of that time any more. */
const keptMs = 10 * 60_000

/**
 * From this commit on the host is not served, inside a write that has changed what is published. Gives the
 * version that each process has to have seen.
 */
export async function withdrawHost(session: Session, host: string, at: number): Promise<bigint> {
  const { version } = await getOne(session, versionNow, {})
  await session.all(withdraw, { version, host, at })
  return version
}

/** Those after a version, in order. */
export async function listWithdrawn(
  session: Session,
  after: bigint,
  most: number,
): Promise<WithdrawnHost[]> {
  return await session.all(since, { after, most })
}

/** Adds up what was cut for a host, inside a write. */
export async function countCut(
  session: Session,
  { cut, host, version }: WithdrawnHost & { cut: number },
): Promise<void> {
  await session.all(addCut, { version, host, cut: BigInt(cut) })
}

/** Connections that have been cut for a host so far. */
export async function findCut(session: Session, withdrawn: WithdrawnHost): Promise<number> {
  const [row] = await session.all(cutOf, { ...withdrawn })
  return Number(row?.cut ?? 0n)
}

export const deleteOldWithdrawnHosts = oldRowsOf<PublishingTables>()({
  table: 'withdrawn_hosts',
  key: ['version', 'host'],
  time: 'at',
  keptMs,
  lock: lockPublishing,
})
