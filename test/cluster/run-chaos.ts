// A run of npm run chaos on a cluster: the load, the faults, and the comparison at the end.
import { writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { createRandom } from '../random.ts'
import type { Options } from './chaos-options.ts'
import { checkHistory } from './check-history.ts'
import { startLoad } from './clients.ts'
import { faults } from './faults.ts'
import { getterOf } from './final-state.ts'
import type { History } from './history.ts'
import { signUp, startKeyRotation, startReceiver } from './operator.ts'
import { startPublishers } from './publishers.ts'
import { formatResults } from './results.ts'
import { awaitWhole, type FaultResult, runMixed, runOneFault } from './run-faults.ts'
import type { Cluster } from './start-cluster.ts'
import { checkDeliveries } from './webhook-deliveries.ts'

/** Returns how many violations there are. */
export async function runChaos(
  cluster: Cluster,
  chosen: Options,
  log: (line: string) => void,
): Promise<number> {
  const { clients, minutes, rate, seconds, seed } = chosen
  const receiver = await startReceiver()
  const operator = await signUp(cluster.port, cluster.setUpToken)
  const hook = await operator.manage('/store/production/webhooks', { body: { url: receiver.url } })
  if (hook.status !== 201) throw new Error(`no webhook: ${hook.status} ${hook.text}`)
  // Every create is announced to the webhook.
  const load = await startLoad({ portOf: () => cluster.port, key: cluster.key, clients, seed })
  const { availability, get, history, pace } = load
  const callWithKey = (key: string) =>
    getterOf(cluster.port, key, { timeoutMs: 6000 })('/pets?limit=1')
  const rotation = startKeyRotation(operator, callWithKey, history)
  const publishers = await startPublishers(cluster, operator, history, seed)

  log('measuring the peak')
  await delay(3000)
  const mark = performance.now()
  await delay(chosen.peakSeconds * 1000)
  const peak = availability.since(mark).acknowledged / chosen.peakSeconds
  pace.set(peak * rate)
  log(`${Math.round(peak)} requests a second at the peak; going on at ${Math.round(peak * rate)}`)
  await delay(3000)
  const progress = logProgress(history, log)

  const results: FaultResult[] = []
  let counts = new Map<string, number>()
  const random = createRandom(seed)
  const ran = performance.now()
  if (minutes > 0) counts = await runMixed(cluster, minutes, seed, log)
  for (const fault of faults.filter(({ name }) => chosen.faults.includes(name))) {
    for (let round = 0; round < chosen.rounds; round++) {
      const result = await runOneFault(cluster, fault, seconds, random, availability)
      log(
        `${fault.name}: writes away ${result.writesAway.toFixed(1)} s, recovered after ${result.recoveredAfter.toFixed(1)} s`,
      )
      results.push(result)
    }
  }
  const total = availability.since(ran)
  await awaitWhole(cluster, 'all faults')
  log('finishing')
  await Promise.all([load.finish(), rotation.finish(), publishers.finish()])
  await awaitWhole(cluster, 'the load')
  await load.recordFinalState()
  for (const { name, port } of cluster.nodes)
    await compareNode(history, name, getterOf(port, cluster.key, nodeOptions(cluster)), get)
  await publishers.recordFinalState()
  const deliveries = await checkDeliveries(history, receiver, log)
  clearInterval(progress)
  for (const { name, part } of cluster.nodes) {
    if (/internal_error|unhandled/i.test(part.log()))
      history.unexpected.push(`unexpected: the log of ${name} has an internal error`)
    history.unexpected.push(...part.endings())
  }
  log('checking')
  const violations = checkHistory(history)
  const report = {
    options: chosen,
    peak,
    results,
    counts,
    total,
    deliveries,
    orders: cluster.platform.orders(),
    verified: publishers.verified(),
    history,
    violations,
  }
  console.log(formatResults(report))
  if (chosen.jsonFile !== undefined) {
    writeFileSync(chosen.jsonFile, JSON.stringify({ ...report, counts: [...counts] }))
  }
  receiver.close()
  load.close()
  return violations.length
}

const nodeOptions = ({ port }: Cluster) => ({ headers: { host: `localhost:${port}` } })

/** Each node shows the same, asked directly. */
async function compareNode(
  history: History,
  name: string,
  fromNode: ReturnType<typeof getterOf>,
  fromBalancer: ReturnType<typeof getterOf>,
): Promise<void> {
  for (const path of ['/pets?limit=100', '/store/orders?limit=100']) {
    const [one, other] = [await fromNode(path), await fromBalancer(path)]
    if (one.text !== other.text) history.unexpected.push(`stale: ${name} shows another ${path}`)
  }
}

const progressEveryMs = 60_000

/** What no fault explains is logged at once, and not only at the end of an hour. */
function logProgress({ operations, publishing, unexpected }: History, log: (line: string) => void) {
  let logged = 0
  return setInterval(() => {
    const { deployments, visits } = publishing
    log(
      `${operations.length} operations, ${deployments.length} deploys, ${visits.length} visits so far`,
    )
    for (; logged < unexpected.length; logged++) log(unexpected[logged] as string)
  }, progressEveryMs)
}
