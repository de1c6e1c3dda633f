// Visits in one process: the counter, the loop that writes its counts, and the operation that reads them.
import { type Static, Type } from 'typebox'
import type { Clock } from '#kit/clock.ts'
import type { Database } from '#kit/database/database.ts'
import { type PollLoop, startPollLoop } from '#kit/jobs/poll-loop.ts'
import type { Logger } from '#kit/log.ts'
import { bindRoutes } from '#kit/management/route.ts'
import { count, nullable } from '#kit/schema/described-schema.ts'
import { projectRoutesOf } from '#publishing/projects/routes.ts'
import { createVisitCounter, dayMs, dayOf } from '#publishing/visits/visit-counter.ts'
import { keptDays, maxNamesShown, readVisits, recordVisits } from '#publishing/visits/visit-rows.ts'

const amount = (description: string) => count(description)

const previous = () =>
  nullable(
    Type.Integer({ minimum: 0 }),
    `In as many days before the period; null if not all of them are kept, for periods of more than ${keptDays / 2} days.`,
  )

const names = (what: string, each: string) =>
  Type.Object(
    {
      total: amount('Of all names, those that are not listed included.'),
      previous: previous(),
      items: Type.Array(
        Type.Object({
          name: Type.String({ description: each }),
          count: amount('In the period.'),
          previous: previous(),
        }),
        {
          maxItems: maxNamesShown,
          description: 'The most frequent first.',
        },
      ),
    },
    { description: what },
  )

const Visits = Type.Object(
  {
    days: Type.Array(
      Type.Object({
        date: Type.String({ format: 'date' }),
        views: amount('Views of all pages.'),
        previous: previous(),
      }),
      { maxItems: keptDays, description: 'Every day (UTC) of the period, the oldest first.' },
    ),
    pages: names(
      'Views of pages: responses with HTML to browsers, 304 included. Robots are left out as far as they say what they are.',
      'The path of the page.',
    ),
    sources: names(
      'Views that came from another site. Views by links within the site are not among them.',
      'The host of the other site, as the `Referer` header has it, without `www.`.',
    ),
    direct: Type.Object(
      { count: amount('In the period.'), previous: previous() },
      {
        description:
          'Views without a source: a typed address, a bookmark, an app, or a site that does not say.',
      },
    ),
    searches: names(
      'Searches on rendered sites that found nothing.',
      'What was typed, in lower case.',
    ),
    notFound: names('Requests for what does not exist (404).', 'The path.'),
    helpful: names('“Yes” to “Was this page helpful?” on rendered sites.', 'The path of the page.'),
    notHelpful: names('“No” to the same question.', 'The path of the page.'),
  },
  {
    $id: 'Visits',
    description: `What visitors of a site did, without anything about the visitors. Kept for ${keptDays} days.`,
  },
)
export type Visits = Static<typeof Visits>

const VisitsQuery = Type.Object({
  days: Type.Integer({
    minimum: 1,
    maximum: keptDays,
    default: 30,
    description: 'The period: so many days (UTC), today included.',
  }),
})

interface VisitsContext {
  clock: Clock
  database: Database
  /** Writes what was counted. */
  loop: PollLoop
}

const route = projectRoutesOf<VisitsContext>('projects')

export const visitRoutes = [
  route('GET /projects/{slug}/visits', 'getVisits', {
    summary: 'Get what visitors did',
    description:
      'Views by day, page and source, searches without a result, paths that were not found, and answers to “Was this page helpful?”, compared with as many days before. Visits at other processes are included after ten seconds.',
    scope: 'projects:read',
    query: VisitsQuery,
    returns: Visits,
    needs: 'read',
    async handle({ project, query }, { clock, database, loop }) {
      // A failure is logged by the loop; what is stored can be read.
      await loop.runNow()
      const since = dayOf(clock()) - (query.days - 1) * dayMs
      return await readVisits(database.read, project.id, since, query.days)
    },
  }),
] as const

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
  return {
    counter,
    /** Part of the management API. */
    routes: bindRoutes(visitRoutes, { clock, database, loop }),
    async stop(): Promise<void> {
      await loop.stop()
      await record().catch((error: unknown) =>
        log.warn({ event: 'loop.failed', loop: 'recording visits', err: error }, 'visits are lost'),
      )
    },
  }
}
