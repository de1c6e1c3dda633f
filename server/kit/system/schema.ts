// The schemas of the system status and its history, and the findings of the checks of an installation. Findings have no
// secrets: they are shown on a page and in scripts.
import { type Static, Type } from 'typebox'
import { count, dateTime, nullable, words } from '../schema/described-schema.ts'
import { maxMinutes } from './system-tables.ts'

export const System = Type.Object(
  {
    version: Type.String({ description: "The program's version." }),
    nodeVersion: Type.String({ description: 'The version of Node that runs it.' }),
    engine: words(['sqlite', 'postgres']),
    isReady: Type.Boolean({ description: 'Whether all databases respond.' }),
    startedAt: dateTime('Start time of the responding process.'),
    uptimeSeconds: count('Seconds since startedAt.'),
    workers: Type.Integer({ minimum: 1, description: 'Processes of this node, as configured.' }),
    processes: Type.Array(
      Type.Object({
        node: Type.String({ description: "The machine's name." }),
        pid: Type.Integer(),
        version: Type.String({ description: "The program's version." }),
        startedAt: dateTime('Start time.'),
        seenAt: dateTime('Time of the last sign of life, sent every 30 seconds.'),
      }),
      { description: 'Running processes on all nodes.' },
    ),
    databases: Type.Array(
      Type.Object({
        name: Type.String(),
        isReady: Type.Boolean({ description: 'Whether it responds.' }),
        milliseconds: Type.Number({ minimum: 0, description: 'Response time.' }),
        sizeBytes: nullable(count('Size; null if it does not respond.')),
      }),
    ),
    queues: Type.Array(
      Type.Object({
        environment: Type.String(),
        length: nullable(count('Pending webhook deliveries, counted up to 100,000.')),
        oldestSeconds: nullable(
          Type.Number({ minimum: 0, description: 'Age of the oldest pending event.' }),
        ),
      }),
      { description: 'Null if it could not be read.' },
    ),
    deploysUnderWay: nullable(count('Deploys that are queued or building.')),
    certificates: nullable(
      Type.Object(
        {
          inUse: count('Certificates in use.'),
          endWithinWeek: count('Certificates in use that expire within a week.'),
          failing: count('Hosts whose last certificate request failed or is blocked.'),
        },
        { description: 'Null if it could not be read.' },
      ),
    ),
    backups: nullable(
      Type.Object(
        {
          last: nullable(
            Type.Object({
              createdAt: dateTime('When it began.'),
              node: Type.String({ description: 'The machine that wrote it.' }),
              file: Type.String({ description: 'Its path on that machine.' }),
              sizeBytes: count('Size of the file.'),
              seconds: Type.Number({ minimum: 0, description: 'Duration, with its check.' }),
            }),
            'The last good one.',
          ),
          nextAt: dateTime('When the next one is due.'),
          lastFailureAt: nullable(dateTime('Time of the last failure.')),
          lastFailure: nullable(Type.String({ description: 'What went wrong then.' })),
          isOld: Type.Boolean({
            description:
              'Whether the last good one is older than two intervals, or there is none and the last attempt failed.',
          }),
        },
        { description: 'Scheduled backups; null if they are off or could not be read.' },
      ),
    ),
    addresses: Type.Object({
      listen: Type.String({ description: 'The IP address that the server listens on.' }),
      httpPort: Type.Integer(),
      httpsPort: nullable(Type.Integer({ description: 'Null if HTTPS is off.' })),
      production: Type.String({ description: 'Base address.' }),
      staging: Type.String({ description: 'Base address.' }),
      dashboard: Type.String(),
      platformHost: Type.String({
        description: 'Published projects are served on its subdomains.',
      }),
    }),
  },
  { $id: 'System', description: 'System status.' },
)
export type System = Static<typeof System>

const checkAreas = [
  'configuration',
  'database',
  'disk',
  'backups',
  'objects',
  'ports',
  'dns',
  'outside',
  'authority',
  'connect',
  'time',
  'mail',
  'proxies',
] as const

export const SystemChecks = Type.Object(
  {
    ranAt: dateTime('When the checks began.'),
    milliseconds: count('How long they took.'),
    status: words(['ok', 'warning', 'problem'], 'The worst status of a finding.'),
    findings: Type.Array(
      Type.Object({
        area: words(
          checkAreas,
          '`objects`: the object storage. `connect`: one click at DNS providers (Domain Connect). `outside`: whether the own hosts reach this program, by their addresses.',
        ),
        subject: Type.String({ description: 'What was checked, such as a host or a setting.' }),
        status: words(['ok', 'warning', 'problem', 'skipped']),
        message: Type.String({ description: 'What was found.' }),
        fix: nullable(Type.String({ description: 'What to do; null if there is nothing to do.' })),
      }),
    ),
  },
  { $id: 'SystemChecks', description: 'Findings about the installation.' },
)
export type SystemChecks = Static<typeof SystemChecks>

const numbers = (description: string) => Type.Array(count(description), { maxItems: maxMinutes })
const times = (description: string) =>
  Type.Array(nullable(Type.Number({ minimum: 0, description })), { maxItems: maxMinutes })

export const SystemHistory = Type.Object(
  {
    minutes: Type.Array(dateTime('Start of the minute.'), {
      maxItems: maxMinutes,
      description: 'Consecutive minutes. The last one is incomplete.',
    }),
    series: Type.Array(
      Type.Object({
        environment: Type.String({
          description:
            '`production` and `staging`: the store API; `management`: this API; `sites`: published pages; `edge`: other requests to their hosts.',
        }),
        requests: numbers('Requests.'),
        errors: numbers('Responses with a 5xx status.'),
        p50Ms: times('p50 latency in milliseconds; null without requests.'),
        p95Ms: times('p95 latency in milliseconds.'),
        p99Ms: times('p99 latency in milliseconds.'),
      }),
      { description: 'One for each environment with requests, with one value per minute.' },
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
    description: 'Number of minutes, ending now.',
  }),
})

export type Finding = SystemChecks['findings'][number]

/** Makes findings of an area. `fix`: what to do, as a sentence. */
export function findingsOf(area: Finding['area']) {
  const withoutFix = (status: Finding['status']) => (subject: string, message: string) => ({
    ...{ area, status, subject, message, fix: null },
  })
  const withFix =
    (status: Finding['status']) => (subject: string, message: string, fix: string) => ({
      ...{ area, status, subject, message, fix },
    })
  return {
    ok: withoutFix('ok'),
    skipped: withoutFix('skipped'),
    warning: withFix('warning'),
    problem: withFix('problem'),
  } satisfies Partial<Record<Finding['status'], (...texts: [string, string, string]) => Finding>>
}
