// The tables that are about the program itself, as the queries see them. system-migration.ts creates them.
import { queriesFor } from '../database/query.ts'
import { latencyBounds } from '../metrics.ts'

/** Answers by the time that they took: one for each bound, and one for what took longer. */
export const latencyColumns = Array.from(
  { length: latencyBounds.length + 1 },
  (_, i) => `within_${i}` as const,
)

interface SystemTables {
  request_minutes: {
    /** Since the epoch. */
    minute: bigint
    environment: string
    /** Answers with a status from 500 on. */
    errors: bigint
  } & Record<(typeof latencyColumns)[number], bigint>
  processes: {
    id: string
    node: string
    pid: bigint
    /** Milliseconds since the epoch. */
    started_at: bigint
    seen_at: bigint
  }
}

export const prepareQuery = queriesFor<SystemTables>()
