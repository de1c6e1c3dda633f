// How many certificates are in use, and how many need somebody's eye: for whoever runs the program.
import { type Database, getOne } from '../../../platform/database/database.ts'
import { prepareQuery } from '../../database/tables.ts'

export interface CertificateCounts {
  inUse: number
  /** Of them, those that end within a week. */
  endWithinWeek: number
  /** Hosts whose last attempt brought none, and those where something keeps the authority from being asked. */
  failing: number
}

const weekMs = 7 * 86_400_000

const counts = prepareQuery<{ now: number; soon: number }>()((db, param) =>
  db
    .selectFrom('domains')
    .select((eb) => [
      eb.fn.countAll<bigint>().filterWhere('expires_at', '>', param('now')).as('in_use'),
      eb.fn
        .countAll<bigint>()
        .filterWhere('expires_at', '>', param('now'))
        .filterWhere('expires_at', '<=', param('soon'))
        .as('end_within_week'),
      eb.fn
        .countAll<bigint>()
        .filterWhere((on) => on.or([on('failures', '>', 0n), on('blocked_by', 'is not', null)]))
        .as('failing'),
    ])
    .where('ownership', '=', 'proven'),
)

/** One pass over the domains. */
export async function countCertificates(
  { read }: Database,
  now: number,
): Promise<CertificateCounts> {
  const found = await getOne(read, counts, { now, soon: now + weekMs })
  return {
    inUse: Number(found.in_use),
    endWithinWeek: Number(found.end_within_week),
    failing: Number(found.failing),
  }
}
