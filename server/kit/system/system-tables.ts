// The queries of the system tables, which allowance-migrations.ts creates.
import type { AllowanceTables } from '../allowances/allowance-migrations.ts'
import { queriesFor, statementsFor } from '../database/query.ts'
import { latencyBounds } from '../metrics.ts'

/** Response counts by latency: one for each bound, and one for longer times. */
export const latencyColumns = Array.from(
  { length: latencyBounds.length + 1 },
  (_, i) => `within_${i}` as const,
)

export const prepareQuery = queriesFor<AllowanceTables>()
export const prepare = statementsFor<AllowanceTables>()
