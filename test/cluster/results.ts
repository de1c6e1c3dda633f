// The report of npm run chaos, as Markdown.
import type { Window } from './availability.ts'
import type { Options } from './chaos-options.ts'
import type { History } from './history.ts'
import type { FaultResult } from './run-faults.ts'
import type { Deliveries } from './webhook-deliveries.ts'

interface Resource {
  name: string
  megabytes: number
  descriptors: number
}

export interface Report {
  options: Options
  /** Requests a second without faults. */
  peak: number
  results: FaultResult[]
  /** Of a mixed run: how often each fault happened. */
  counts: Map<string, number>
  total: Window
  resources: { before: Resource[]; after: Resource[] }
  deliveries: Deliveries
  history: History
  violations: string[]
}

const maxShown = 20

export function formatResults(report: Report): string {
  const { counts, deliveries, history, options, peak, resources, results, total, violations } =
    report
  const seconds = (value: number): string => value.toFixed(1)
  const rows = [...Map.groupBy(results, ({ fault }) => fault)].map(([fault, of]) => {
    const worst = (pick: (result: FaultResult) => number): string =>
      seconds(Math.max(...of.map(pick)))
    const sum = (pick: (result: FaultResult) => number): number =>
      of.reduce((all, result) => all + pick(result), 0)
    return [
      fault,
      of.length,
      worst((result) => result.lastedSeconds),
      worst((result) => result.readsAway),
      worst((result) => result.writesAway),
      worst((result) => result.recoveredAfter),
      sum((result) => result.acknowledged),
      sum((result) => result.refused),
      sum((result) => result.unknown),
    ]
  })
  const head = ['Fault', 'Times', 'Lasted', 'Reads away', 'Writes away', 'Recovered after']
  const table = [
    [...head, 'Acknowledged', 'Refused', 'Unknown'],
    Array(9).fill('---'),
    ...rows,
  ].map((cells) => `| ${cells.join(' | ')} |`)
  const resource = resources.before.map(({ descriptors, megabytes, name }, i) => {
    const after = resources.after[i]
    return `${name}: ${Math.round(megabytes)} → ${Math.round(after?.megabytes ?? 0)} MB, ${descriptors} → ${after?.descriptors} descriptors`
  })
  const mixed = [...counts].map(([name, count]) => `${name} ${count}`).join(', ')
  return [
    ...(rows.length > 0 ? [...table, '', 'Times in seconds, the longest of each kind.'] : []),
    ...(counts.size > 0 ? [`${options.minutes} minutes: ${mixed}`] : []),
    `seed ${options.seed}, ${options.clients} clients, ${Math.round(options.rate * 100)} % of ${Math.round(peak)} requests/s`,
    `${history.operations.length} operations checked; ${total.acknowledged} acknowledged, ${total.refused} refused, ${total.unknown} unknown; longest without reads ${seconds(total.readsAway)} s, without writes ${seconds(total.writesAway)} s`,
    `webhooks: ${deliveries.events} events, ${deliveries.repeated} of them more than once`,
    ...resource,
    `violations: ${violations.length}`,
    ...violations.slice(0, maxShown),
  ].join('\n')
}
