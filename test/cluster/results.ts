// The report of npm run chaos, as Markdown.
import type { PlacedOrder } from '../../lab/certificate-authority/lab-authority.ts'
import type { Window } from './availability.ts'
import type { Options } from './chaos-options.ts'
import type { History } from './history.ts'
import type { FaultResult } from './run-faults.ts'
import type { Deliveries } from './webhook-deliveries.ts'

export interface Report {
  options: Options
  /** Requests a second without faults. */
  peak: number
  results: FaultResult[]
  /** Of a mixed run: how often each fault happened. */
  counts: Map<string, number>
  total: Window
  deliveries: Deliveries
  /** At the certificate authority. */
  orders: PlacedOrder[]
  /** How often an owner had to verify a domain again. */
  verified: number
  history: History
  violations: string[]
}

const maxShown = 20

export function formatResults(report: Report): string {
  const { counts, deliveries, history, options, peak, results, total, violations } = report
  const seconds = (value: number): string => value.toFixed(1)
  const rows = [...Map.groupBy(results, ({ fault }) => fault)].map(([fault, of]) => {
    const all = (key: keyof Omit<FaultResult, 'fault'>) => of.map((result) => result[key])
    const worst = (key: Parameters<typeof all>[0]) => seconds(Math.max(...all(key)))
    const sum = (key: Parameters<typeof all>[0]) => all(key).reduce((one, other) => one + other, 0)
    return [
      ...[fault, of.length, worst('lastedSeconds'), worst('readsAway'), worst('writesAway')],
      ...[worst('recoveredAfter'), sum('acknowledged'), sum('refused'), sum('unknown')],
    ]
  })
  const head = ['Fault', 'Times', 'Lasted', 'Reads away', 'Writes away', 'Recovered after']
  const table = [
    [...head, 'Acknowledged', 'Refused', 'Unknown'],
    Array(9).fill('---'),
    ...rows,
  ].map((cells) => `| ${cells.join(' | ')} |`)
  const mixed = [...counts].map(([name, count]) => `${name} ${count}`).join(', ')
  return [
    ...(rows.length > 0 ? [...table, '', 'Times in seconds, the longest of each kind.'] : []),
    ...(counts.size > 0 ? [`${options.minutes} minutes: ${mixed}`] : []),
    `seed ${options.seed}, ${options.clients} clients, ${Math.round(options.rate * 100)} % of ${Math.round(peak)} requests/s`,
    `${history.operations.length} operations checked; ${total.acknowledged} acknowledged, ${total.refused} refused, ${total.unknown} unknown; longest without reads ${seconds(total.readsAway)} s, without writes ${seconds(total.writesAway)} s`,
    `webhooks: ${deliveries.events} events, ${deliveries.repeated} of them more than once`,
    formatPublishing(report),
    `violations: ${violations.length}`,
    ...violations.slice(0, maxShown),
  ].join('\n')
}

function formatPublishing({ history, orders, verified }: Report): string {
  const { certificates, deployments, finalHosts, visits } = history.publishing
  const accepted = deployments.filter(({ outcome }) => outcome === 'acknowledged').length
  const failed = orders.filter(({ isFailed }) => isFailed).length
  const abandoned = orders.filter(({ chain, isFailed }) => !isFailed && chain === undefined).length
  const hosts = new Set(certificates.map(({ host }) => host)).size
  return [
    `publishing: ${accepted} of ${deployments.length} deploys accepted, ${visits.length} visits`,
    `${finalHosts.length} hosts, ${verified} times verified again`,
    `${certificates.length} certificates (${certificates.length - hosts} renewals) from ${orders.length} orders: ${failed} failed, ${abandoned} abandoned`,
  ].join('; ')
}
