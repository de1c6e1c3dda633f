// The wire shapes of visits.
import { type Static, Type } from 'typebox'
import { keptDays, maxNamesShown } from './visit-rows.ts'

const amount = (description: string) => Type.Integer({ minimum: 0, description })

const names = (what: string, each: string) =>
  Type.Object(
    {
      total: amount('Of all names, those that are not listed included.'),
      items: Type.Array(
        Type.Object({ name: Type.String({ description: each }), count: amount('') }),
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
      Type.Object({ date: Type.String({ format: 'date' }), views: amount('Views of all pages.') }),
      { maxItems: keptDays, description: 'Every day (UTC) of the period, the oldest first.' },
    ),
    pages: names(
      'Views of pages: responses with HTML to browsers, 304 included. Robots are left out as far as they say what they are.',
      'The path of the page.',
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
