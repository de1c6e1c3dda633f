// From the right record in DNS to HTTPS served: domains one after the other, and many attached at once, in a lab
// with Pebble as the authority. The owner presses Verify as soon as the record is there, and HTTPS counts as served
// once a visitor who believes Pebble's root alone gets the page.

import { setTimeout as delay } from 'node:timers/promises'
import { findPebble } from '../../lab/certificate-authority/pebble.ts'
import type { Domain } from '../../server/publishing/domains/api/schema.ts'
import { expectJson, type Person } from '../../test/publishing/publishing-in-test.ts'
import { newPlace, type Surroundings } from '../fleet.ts'
import { readTreeUse } from '../processes.ts'
import type { Row } from '../results.ts'
import { askSecurely } from '../secure-client.ts'
import { type LabServer, startLabServer } from '../servers/lab-server.ts'
import { percentile, spreadOf } from '../statistics.ts'

let projects = 0

const lookEveryMs = 10
/** Of those that wait at the same time, so that looking is not what takes the time. */
const lookAtManyEveryMs = 250
const withinMs = 120_000
const warmUps = 10
/** Of the domains of a project. */
const maxOfOne = 50
/** Below a name that is bought, of which the lab sells two hundred. */
const maxOfZone = 20
/** So many are added together before their turns come. */
const batch = 20
/** A check younger than ten seconds is not made again, and adding a domain makes one. */
const checkKeptMs = 10_500
const verifyAgainMs = 1000
const atOnce = 16
const text = '<title>Bench</title>'

interface Owner {
  person: Person
  slug: string
}

interface Found {
  rows: Row[]
  notes: string[]
}

export async function runIssuing(surroundings: Surroundings): Promise<Found> {
  const { cores, options, postgres, say } = surroundings
  const found: Found = { rows: [], notes: [] }
  if (!findPebble(process.env)) {
    say('issuing: Pebble is not installed (npm test fetches it), and the section is left out')
    return found
  }
  for (const engine of options.engines) {
    const databaseUrl = engine === 'postgresql' ? postgres?.createDatabase('issuing') : undefined
    const server = await startLabServer({
      ...newPlace(surroundings, cores.server),
      command: options.ours,
      databaseUrl,
    })
    try {
      say(`issuing: ours and the lab are there, on ${engine}`)
      await oneAfterTheOther(server, 'warm', warmUps)
      const [one, many] = options.isQuick ? [20, 100] : [100, 1000]
      say(`issuing: ${one} domains one after the other, on ${engine}`)
      const inTurn = await oneAfterTheOther(server, 'turn', one)
      say(`issuing: ${inTurn.note}`)
      say(`issuing: ${many.toLocaleString('en')} at once, on ${engine}`)
      const crowd = await allAtOnce(server, many)
      const named = engine === 'postgresql' ? 'PostgreSQL' : 'SQLite'
      for (const { note, row } of [inTurn, crowd]) {
        found.rows.push({ ...row, engine: named })
        found.notes.push(`${note}, on ${named}`)
      }
    } finally {
      await server.stop()
    }
  }
  return found
}

interface Issued {
  ms: number
  /** Of it, how long Verify took; then until the order began; until the certificate was there; until it was shown. */
  verifyMs: number
  waitMs: number
  orderMs: number
  showMs: number
  /** Within the order, how long the authority took to answer. */
  answeringMs: number
}

/** The domain has been added. */
async function oneDomain(server: LabServer, owner: Owner, host: string): Promise<Issued> {
  const { authority, point } = server
  const answers: { path: string; began: number; ended: number }[] = []
  authority.onPassed = (path, began, ended) => void answers.push({ path, began, ended })
  const began = performance.now()
  point(host)
  await verify(owner, host)
  const verified = performance.now()
  await served(server, host, lookEveryMs, AbortSignal.timeout(withinMs))
  const ended = performance.now()
  authority.onPassed = () => {}
  const ordered = answers.find(({ path }) => path.includes('order'))?.began ?? ended
  const certified = answers.findLast(({ path }) => path.includes('cert'))?.ended ?? ended
  return {
    ms: ended - began,
    verifyMs: verified - began,
    waitMs: ordered - verified,
    orderMs: certified - ordered,
    showMs: ended - certified,
    answeringMs: answers.reduce((sum, answer) => sum + answer.ended - answer.began, 0),
  }
}

async function oneAfterTheOther(server: LabServer, kind: string, count: number) {
  const times: Issued[] = []
  const all = Array.from({ length: count }, (_, n) => `docs.${kind}${n}.example`)
  for (let n = 0; n < count; n += batch) {
    const hosts = all.slice(n, n + batch)
    const owner = await newOwner(server)
    for (const host of hosts) {
      server.buy(host.slice('docs.'.length))
      await attach(owner, host)
    }
    await delay(checkKeptMs)
    for (const host of hosts) times.push(await oneDomain(server, owner, host))
  }
  const median = (of: (each: Issued) => number): number => spreadOf(times.map(of)).median
  const round = (ms: number): string => `${Math.round(ms)} ms`
  const spread = spreadOf(times.map(({ ms }) => ms))
  const share = median(({ answeringMs, ms }) => answeringMs / ms)
  const sorted = times.map(({ ms }) => ms * 1000).toSorted((a, b) => a - b)
  const row: Row = {
    job: `right record to HTTPS served, ${count} in turn`,
    engine: '',
    unit: 'ms',
    ours: spread,
    p50Us: percentile(sorted, 0.5),
    p99Us: percentile(sorted, 0.99),
    errors: 0,
    limitedBy: [],
    samples: { ours: times, theirs: [] },
  }
  const note =
    `from the right record to HTTPS, medians: Verify ${round(median((each) => each.verifyMs))}, ` +
    `until the order ${round(median((each) => each.waitMs))}, ` +
    `until the certificate ${round(median((each) => each.orderMs))}, ` +
    `until it is shown ${round(median((each) => each.showMs))}; worst ${round(spread.max)}; the authority ` +
    `answered for ${round(median((each) => each.answeringMs))}, ${Math.round(share * 100)} % of it`
  return { row, note }
}

async function allAtOnce(server: LabServer, count: number) {
  const zones = Array.from({ length: Math.ceil(count / maxOfZone) }, (_, n) => `crowd${n}.example`)
  for (const zone of zones) server.buy(zone)
  const hosts = Array.from({ length: count }, (_, n) => `docs${n}.${zones[n % zones.length]}`)
  const owners = new Map<string, Owner>()
  for (const [n, host] of hosts.entries()) {
    const before = owners.get(hosts[n - 1] ?? '')
    owners.set(host, before && n % maxOfOne > 0 ? before : await newOwner(server))
  }
  const ownerOf = (host: string): Owner => owners.get(host) as Owner
  await inParallel(hosts, (host) => attach(ownerOf(host), host))
  await delay(checkKeptMs)
  const { pid } = server.started
  const cpu = readTreeUse(pid).cpuSeconds
  const began = performance.now()
  for (const host of hosts) server.point(host)
  const signal = AbortSignal.timeout(withinMs * 5)
  const seen: number[] = []
  const verifying = inParallel(hosts, (host) => verify(ownerOf(host), host))
  const verified = verifying.then(() => performance.now())
  await Promise.all([
    verifying,
    inParallel(hosts, async (host) => {
      await served(server, host, lookAtManyEveryMs, signal)
      seen.push((performance.now() - began) / 1000)
    }),
  ])
  const seconds = (performance.now() - began) / 1000
  const cpuSeconds = readTreeUse(pid).cpuSeconds - cpu
  const row: Row = {
    job: `domains attached at once: ${count.toLocaleString('en')}`,
    engine: '',
    unit: 'names/s',
    ours: spreadOf([count / seconds]),
    cpuUs: (cpuSeconds / count) * 1e6,
    errors: count - seen.length,
    limitedBy: [],
    samples: { ours: [{ seconds, cpuSeconds }], theirs: [] },
  }
  const verifySeconds = ((await verified) - began) / 1000
  const note =
    `${count.toLocaleString('en')} domains at once: all verified after ${verifySeconds.toFixed(1)} s, ` +
    `all served by HTTPS after ${seconds.toFixed(1)} s`
  return { row, note }
}

async function inParallel(hosts: string[], work: (host: string) => Promise<unknown>) {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let host = hosts[next++]; host !== undefined; host = hosts[next++]) await work(host)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** Somebody with a project that is published. */
async function newOwner({ people }: LabServer): Promise<Owner> {
  const person = await people.member('paid')
  const slug = `bench-${++projects}`
  await person.create(slug)
  await person.deployFolder(slug, { 'index.html': text })
  return { person, slug }
}

async function attach({ person, slug }: Owner, host: string): Promise<void> {
  expectJson(await person.ask(`/projects/${slug}/domains`, { body: { host } }), 201)
}

/** Again, where the answer is that of a check in the background just before. */
async function verify({ person, slug }: Owner, host: string): Promise<void> {
  const path = `/projects/${slug}/domains/${host}/verify`
  const until = performance.now() + withinMs
  while (performance.now() < until) {
    const answer = await person.ask(path, { method: 'POST' })
    if ((expectJson(answer, 200) as Domain).ownership === 'proven') return
    await delay(verifyAgainMs)
  }
  throw new Error(`${host} is not verified`)
}

/** Rejects when the time is up, or another page is served. */
async function served(
  { httpsPort, started, visitorsRoot }: LabServer,
  host: string,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (true) {
    const answer = await askSecurely(httpsPort, host, '/', { roots: visitorsRoot }).catch(() => {})
    if (answer?.status === 200 && answer.body === text) return
    if (answer) throw new Error(`${host}: ${answer.status} ${answer.body}`)
    if (signal.aborted) throw new Error(`${host} is not served: ${started.lastWords()}`)
    await delay(everyMs)
  }
}
