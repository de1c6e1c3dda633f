// Visits in one process: the counter, the loop that writes its counts, and the operation that reads them.
import type { Clock } from '#kit/clock.ts'
import type { Database } from '#kit/database/database.ts'
import { startPollLoop } from '#kit/jobs/poll-loop.ts'
import type { Logger } from '#kit/log.ts'
import { type Route, route } from '#kit/management/route.ts'
import { getOwnProject } from '#publishing/projects/routes.ts'
import { createVisitCounter, dayMs, dayOf } from '#publishing/visits/visit-counter.ts'
import { readVisits, recordVisits } from '#publishing/visits/visit-rows.ts'
import { operations } from './operations.ts'
import type { Visits } from './schema.ts'

/** If the process crashes, so much is lost. */
const intervalMs = 10_000

export function openVisits({
  clock,
  database,
  log,
}: {
  clock: Clock
  database: Database
  log: Logger
}) {
  const counter = createVisitCounter(clock)
  const record = () => recordVisits(database, counter)
  const loop = startPollLoop({
    ...{ name: 'recording visits', log, intervalMs, startsNow: false },
    poll: record,
  })
  const routes: Route[] = [
    route(operations.getVisits, async ({ caller, params, query }): Promise<Visits> => {
      const { id } = await getOwnProject(database.read, caller, params.slug, 'read')
      // A failure is logged by the loop; what is stored can be read.
      await loop.runNow()
      const since = dayOf(clock()) - (query.days - 1) * dayMs
      return await readVisits(database.read, id, since, query.days)
    }),
  ]
  return {
    counter,
    routes,
    async stop(): Promise<void> {
      await loop.stop()
      await record().catch((error: unknown) =>
        log.warn({ event: 'loop.failed', loop: 'recording visits', err: error }, 'visits are lost'),
      )
    },
  }
}
