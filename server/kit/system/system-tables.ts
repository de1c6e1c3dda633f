// The column types of the system tables, which allowance-migrations.ts creates.
import { queriesFor, statementsFor } from '../database/query.ts'
import { latencyBounds } from '../metrics.ts'

/** Response counts by latency: one for each bound, and one for longer times. */
export const latencyColumns = Array.from(
  { length: latencyBounds.length + 1 },
  (_, i) => `within_${i}` as const,
)

interface SystemTables {
  request_minutes: {
    /** Minutes since the epoch. */
    minute: bigint
    environment: string
    /** Responses with a 5xx status. */
    errors: bigint
  } & Record<(typeof latencyColumns)[number], bigint>
  processes: {
    id: string
    node: string
    pid: bigint
    /** Milliseconds since the epoch. */
    started_at: bigint
    seen_at: bigint
    version: string | null
  }
}

export const prepareQuery = queriesFor<SystemTables>()
export const prepare = statementsFor<SystemTables>()
