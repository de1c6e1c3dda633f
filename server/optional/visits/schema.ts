// The wire shapes of visits.
import { type Static, Type } from 'typebox'
import { nullable } from '#kit/schema/described-schema.ts'
import { keptDays, maxNamesShown } from '#publishing/visits/visit-rows.ts'

const amount = (description: string) => Type.Integer({ minimum: 0, description })

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

export const Visits = Type.Object(
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
  },
  {
    $id: 'Visits',
    description: `What visitors of a site did, without anything about the visitors. Kept for ${keptDays} days.`,
  },
)
export type Visits = Static<typeof Visits>

export const VisitsQuery = Type.Object({
  days: Type.Integer({
    minimum: 1,
    maximum: keptDays,
    default: 30,
    description: 'The period: so many days (UTC), today included.',
  }),
})
