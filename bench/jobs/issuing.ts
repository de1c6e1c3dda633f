// Section issuing: the time from the correct DNS record to HTTPS, for domains one after the other and for many domains
// added at once, in a lab with Pebble as the certificate authority. The owner presses Verify as soon as the record
// exists. HTTPS is served once a visitor who trusts only Pebble's root gets the page.

import { setTimeout as delay } from 'node:timers/promises'
import { findPebble } from '../../lab/certificate-authority/pebble.ts'
import type { Domain } from '../../server/publishing/domains/api/schema.ts'
import { expectJson, type Person } from '../../test/publishing/publishing-in-test.ts'
import { type BenchContext, createDatabaseFor, createServerPlace } from '../harness/context.ts'
import { sendHttpsRequest } from '../harness/https-client.ts'
import { readTreeUsage } from '../harness/processes.ts'
import type { Row, SectionResults } from '../results/compare-rounds.ts'
import { medianOf, percentileOf, spreadOf } from '../results/statistics.ts'
import { type LabServer, startLabServer } from '../servers/lab-server.ts'

const pollIntervalMs = 10
/** Longer with many domains, so that polling does not take the processor time. */
const parallelPollIntervalMs = 250
const timeoutMs = 120_000
const warmUpDomains = 10
const maxDomainsPerProject = 50
/** Hosts below one registrable domain; the lab sells at most two hundred of those. */
const maxHostsPerZone = 20
/** Domains that are added together before they are verified one after the other. */
const batch = 20
/** Adding a domain runs a check, and a check is not repeated within ten seconds. */
const checkReuseMs = 10_500
const verifyRetryMs = 1000
const concurrency = 16
const text = '<title>Bench</title>'

let projects = 0

interface Owner {
  person: Person
  slug: string
}

export async function runIssuing(context: BenchContext): Promise<SectionResults> {
  const { cores, options, log } = context
  const results: SectionResults = { rows: [], notes: [] }
  if (!findPebble(process.env)) {
    log('issuing: skipped, because Pebble is not installed (npm test installs it)')
    return results
  }
  for (const engine of options.engines) {
    const server = await startLabServer({
      ...createServerPlace(context, cores.server),
      command: options.command,
      databaseUrl: createDatabaseFor(context, engine, 'issuing'),
    })
    try {
      log(`issuing: the Animal Store and the lab are ready, on ${engine}`)
      await measureInTurn(server, 'warm', warmUpDomains)
      const [inTurnCount, parallelCount] = options.isQuick ? [20, 100] : [100, 1000]
      log(`issuing: ${inTurnCount} domains one after the other, on ${engine}`)
      const inTurn = await measureInTurn(server, 'turn', inTurnCount)
      log(`issuing: ${inTurn.note}`)
      log(`issuing: ${parallelCount.toLocaleString('en')} at once, on ${engine}`)
      const parallel = await measureParallel(server, parallelCount)
      const engineName = engine === 'postgresql' ? 'PostgreSQL' : 'SQLite'
      for (const { note, row } of [inTurn, parallel]) {
        results.rows.push({ ...row, engine: engineName })
        results.notes.push(`${note}, on ${engineName}`)
      }
    } finally {
      await server.stop()
    }
  }
  return results
}

interface IssuanceTimes {
  /** From the record to HTTPS; the sum of the next four. */
  ms: number
  /** Of the request to verify the domain. */
  verifyMs: number
  /** From the verification to the order. */
  waitMs: number
  /** From the order to the certificate. */
  orderMs: number
  /** From the certificate to HTTPS. */
  activateMs: number
  /** Of all responses of the authority. */
  authorityMs: number
}

/** Points an added domain to the server and waits for HTTPS. */
async function measureDomain(
  server: LabServer,
  owner: Owner,
  host: string,
): Promise<IssuanceTimes> {
  const { authority, point } = server
  const responses: { path: string; startedAt: number; endedAt: number }[] = []
  authority.onPassed = (path, startedAt, endedAt) =>
    void responses.push({ path, startedAt, endedAt })
  const pointedAt = performance.now()
  point(host)
  await verifyDomain(owner, host)
  const verifiedAt = performance.now()
  await waitUntilServed(server, host, pollIntervalMs, AbortSignal.timeout(timeoutMs))
  const servedAt = performance.now()
  authority.onPassed = () => {}
  const orderedAt = responses.find(({ path }) => path.includes('order'))?.startedAt ?? servedAt
  const certifiedAt = responses.findLast(({ path }) => path.includes('cert'))?.endedAt ?? servedAt
  return {
    ms: servedAt - pointedAt,
    verifyMs: verifiedAt - pointedAt,
    waitMs: orderedAt - verifiedAt,
    orderMs: certifiedAt - orderedAt,
    activateMs: servedAt - certifiedAt,
    authorityMs: responses.reduce((sum, { startedAt, endedAt }) => sum + endedAt - startedAt, 0),
  }
}

async function measureInTurn(server: LabServer, kind: string, count: number) {
  const times: IssuanceTimes[] = []
  const all = Array.from({ length: count }, (_, n) => `docs.${kind}${n}.example`)
  for (let n = 0; n < count; n += batch) {
    const hosts = all.slice(n, n + batch)
    const owner = await createOwner(server)
    for (const host of hosts) {
      server.buy(host.slice('docs.'.length))
      await addDomain(owner, host)
    }
    await delay(checkReuseMs)
    for (const host of hosts) times.push(await measureDomain(server, owner, host))
  }
  const median = (read: (each: IssuanceTimes) => number): number => medianOf(times.map(read))
  const format = (ms: number): string => `${Math.round(ms)} ms`
  const spread = spreadOf(times.map(({ ms }) => ms))
  const share = median(({ authorityMs, ms }) => authorityMs / ms)
  const sorted = times.map(({ ms }) => ms * 1000).toSorted((a, b) => a - b)
  const row: Row = {
    job: `DNS record to HTTPS, ${count} in turn`,
    engine: '',
    unit: 'ms',
    result: spread,
    p50Us: percentileOf(sorted, 0.5),
    p99Us: percentileOf(sorted, 0.99),
    errors: 0,
    limitedBy: [],
    samples: { server: times, peer: [] },
  }
  const note =
    `from the DNS record to HTTPS, medians: Verify ${format(median((each) => each.verifyMs))}, ` +
    `wait for the order ${format(median((each) => each.waitMs))}, ` +
    `order ${format(median((each) => each.orderMs))}, ` +
    `activation ${format(median((each) => each.activateMs))}; maximum ${format(spread.max)}; responses of the ` +
    `authority ${format(median((each) => each.authorityMs))}, ${Math.round(share * 100)} % of the time`
  return { row, note }
}

async function measureParallel(server: LabServer, count: number) {
  const zones = Array.from(
    { length: Math.ceil(count / maxHostsPerZone) },
    (_, n) => `crowd${n}.example`,
  )
  for (const zone of zones) server.buy(zone)
  const hosts = Array.from({ length: count }, (_, n) => `docs${n}.${zones[n % zones.length]}`)
  const owners = new Map<string, Owner>()
  for (const [n, host] of hosts.entries()) {
    const previous = owners.get(hosts[n - 1] ?? '')
    const isSameProject = n % maxDomainsPerProject > 0
    owners.set(host, previous && isSameProject ? previous : await createOwner(server))
  }
  const ownerOf = (host: string): Owner => owners.get(host) as Owner
  await inParallel(hosts, (host) => addDomain(ownerOf(host), host))
  await delay(checkReuseMs)
  const { pid } = server.started
  const cpuBefore = readTreeUsage(pid).cpuSeconds
  const startedAt = performance.now()
  for (const host of hosts) server.point(host)
  const signal = AbortSignal.timeout(timeoutMs * 5)
  let servedCount = 0
  const verifying = inParallel(hosts, (host) => verifyDomain(ownerOf(host), host))
  const verifiedAt = verifying.then(() => performance.now())
  await Promise.all([
    verifying,
    inParallel(hosts, async (host) => {
      await waitUntilServed(server, host, parallelPollIntervalMs, signal)
      servedCount++
    }),
  ])
  const seconds = (performance.now() - startedAt) / 1000
  const cpuSeconds = readTreeUsage(pid).cpuSeconds - cpuBefore
  const row: Row = {
    job: `domains added at once: ${count.toLocaleString('en')}`,
    engine: '',
    unit: 'names/s',
    result: spreadOf([count / seconds]),
    cpuUs: (cpuSeconds / count) * 1e6,
    errors: count - servedCount,
    limitedBy: [],
    samples: { server: [{ seconds, cpuSeconds }], peer: [] },
  }
  const verifySeconds = ((await verifiedAt) - startedAt) / 1000
  const note =
    `${count.toLocaleString('en')} domains at once: all verified after ${verifySeconds.toFixed(1)} s, ` +
    `all served over HTTPS after ${seconds.toFixed(1)} s`
  return { row, note }
}

async function inParallel(hosts: string[], work: (host: string) => Promise<unknown>) {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let host = hosts[next++]; host !== undefined; host = hosts[next++]) await work(host)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

/** Creates an account with a published project. */
async function createOwner({ people }: LabServer): Promise<Owner> {
  const person = await people.member('paid')
  const slug = `bench-${++projects}`
  await person.create(slug)
  await person.deployFolder(slug, { 'index.html': text })
  return { person, slug }
}

async function addDomain({ person, slug }: Owner, host: string): Promise<void> {
  expectJson(await person.ask(`/projects/${slug}/domains`, { body: { host } }), 201)
}

/** Retries if the response contains the result of an earlier background check. */
async function verifyDomain({ person, slug }: Owner, host: string): Promise<void> {
  const path = `/projects/${slug}/domains/${host}/verify`
  const deadline = performance.now() + timeoutMs
  while (performance.now() < deadline) {
    const response = await person.ask(path, { method: 'POST' })
    if ((expectJson(response, 200) as Domain).ownership === 'proven') return
    await delay(verifyRetryMs)
  }
  throw new Error(`${host} was not verified in time`)
}

/** Rejects when `signal` is aborted or a different page is served. */
async function waitUntilServed(
  { httpsPort, started, visitorRoots }: LabServer,
  host: string,
  intervalMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (true) {
    const request = sendHttpsRequest(httpsPort, host, '/', { roots: visitorRoots })
    const response = await request.catch(() => undefined)
    if (response?.status === 200 && response.body === text) return
    if (response) throw new Error(`${host}: ${response.status} ${response.body}`)
    if (signal.aborted) throw new Error(`${host} is not served: ${started.readLog()}`)
    await delay(intervalMs)
  }
}
