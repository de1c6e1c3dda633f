// The wire shapes of the program itself: what it is, how it fares, and how it fared.
import { type Static, Type } from 'typebox'
import { maxMinutes } from './request-history.ts'

const time = (description: string) =>
  Type.String({ format: 'date-time', readOnly: true, description })
const count = (description: string) => Type.Integer({ minimum: 0, description })
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

export const System = Type.Object(
  {
    version: Type.String({ description: "The program's version." }),
    nodeVersion: Type.String({ description: 'The version of Node that runs it.' }),
    engine: Type.Enum(['sqlite', 'postgres'], { type: 'string' }),
    isReady: Type.Boolean({ description: 'All databases answer.' }),
    startedAt: time('When the process that answers was started.'),
    uptimeSeconds: count('Since then.'),
    workers: Type.Integer({ minimum: 1, description: 'Processes of this node, as configured.' }),
    processes: Type.Array(
      Type.Object({
        node: Type.String({ description: "The machine's name." }),
        pid: Type.Integer(),
        startedAt: time('When it was started.'),
        seenAt: time('When it last said that it is there; it does so every half minute.'),
      }),
      { description: 'Those that serve, on all nodes.' },
    ),
    databases: Type.Array(
      Type.Object({
        name: Type.String(),
        isReady: Type.Boolean({ description: 'It answers.' }),
        milliseconds: Type.Number({ minimum: 0, description: 'How long it took to ask it.' }),
        sizeBytes: orNull(count('Its size; null when it does not answer.')),
      }),
    ),
    queues: Type.Array(
      Type.Object({
        environment: Type.String(),
        length: orNull(count('Deliveries to webhooks that are open, counted up to 100,000.')),
        oldestSeconds: orNull(Type.Number({ minimum: 0, description: 'Age of the oldest.' })),
      }),
      { description: 'Null where it could not be asked.' },
    ),
    deploysUnderWay: orNull(count('Deploys that wait to be built or are.')),
    certificates: orNull(
      Type.Object(
        {
          inUse: count('Certificates that are shown to visitors.'),
          endWithinWeek: count('Of them, those that end within a week.'),
          failing: count('Hosts where the last attempt brought none, or something is in the way.'),
        },
        { description: 'Null where it could not be asked.' },
      ),
    ),
    addresses: Type.Object({
      listen: Type.String({ description: 'The address that the listener binds.' }),
      httpPort: Type.Integer(),
      httpsPort: orNull(Type.Integer({ description: 'Null when HTTPS is off.' })),
      production: Type.String({ description: 'Base address.' }),
      staging: Type.String({ description: 'Base address.' }),
      dashboard: Type.String(),
      platformHost: Type.String({ description: 'Published projects are below it.' }),
    }),
  },
  { $id: 'System', description: 'The program, and how it fares.' },
)
export type System = Static<typeof System>

const numbers = (description: string) => Type.Array(count(description), { maxItems: maxMinutes })
const times = (description: string) =>
  Type.Array(orNull(Type.Number({ minimum: 0, description })), { maxItems: maxMinutes })

export const SystemHistory = Type.Object(
  {
    minutes: Type.Array(time('When the minute began.'), {
      maxItems: maxMinutes,
      description: 'Without a gap. The last one is not over.',
    }),
    series: Type.Array(
      Type.Object({
        environment: Type.String({
          description:
            '`production` and `staging` are the API for animals, `management` this API, `sites` published pages, `edge` what else is asked of their hosts.',
        }),
        requests: numbers('Requests.'),
        errors: numbers('Answers with a status from 500 on.'),
        p50Ms: times('Half took at most so many milliseconds; null without requests.'),
        p95Ms: times('95 % took at most so many milliseconds.'),
        p99Ms: times('99 % took at most so many milliseconds.'),
      }),
      { description: 'One for each environment that had requests: a number for each minute.' },
    ),
  },
  { $id: 'SystemHistory' },
)
export type SystemHistory = Static<typeof SystemHistory>

export const SystemHistoryQuery = Type.Object({
  minutes: Type.Integer({
    minimum: 1,
    maximum: maxMinutes,
    default: maxMinutes,
    description: 'How many minutes, up to now.',
  }),
})
export interface SystemHistoryQuery {
  minutes: number
}
