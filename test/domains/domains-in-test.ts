// The whole program in a lab, in this process: owners with projects, their zones at the lab's registrar, and one
// clock for all.
import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { DomainEvent } from '#domains/api/event-schema.ts'
import type { Domain, RemovedDomain } from '#domains/api/schema.ts'
import { type Lab, serverRoots } from '../../lab/lab.ts'
import { type ProviderId, platformHost } from '../../lab/network/topology.ts'
import { connectEnvironmentIn, environmentIn } from '../../lab/serve-in-lab.ts'
import { type FaultProxy, startFaultProxy } from '../acme/fault-proxy.ts'
import { createDataFolder } from '../data-folder.ts'
import type { Engine } from '../database.ts'
import { eventually } from '../eventually.ts'
import { type BoughtZone, buyZone } from '../lab/buy-zone.ts'
import { startLabForTest } from '../lab/started-lab.ts'
import {
  expectJson,
  type Person,
  type PublishingInTest,
  startPublishing,
} from '../publishing/publishing-in-test.ts'
import { type RunningStore, type StartOptions, startStore } from '../running-store.ts'
import { type CommandResult, runCommand } from '../served-process.ts'

export const target = platformHost
export const provenByPointer = { ownership: 'proven', provenBy: 'pointer', dns: 'ok' }

export interface DomainsInTest extends PublishingInTest {
  lab: Lab
  /** The variables of its configuration, for commands. */
  env: Record<string, string>
  /** Before the authority, where there is one; passes everything until it is told otherwise. */
  faults: FaultProxy | undefined
  /** The root that visitors trust, PEM; empty without an authority. */
  root: string
  httpsPort: number
  /** A new owner on the paid plan with a published project. */
  owner(): Promise<Owner>
  /** Creates a published project for an existing account. */
  asOwner(person: Person): Promise<Owner>
  /** A new domain with the provider's name servers. */
  buy(provider?: ProviderId): BoughtZone
}

/** The requests of the owner, each for a path below the domains of the project. */
export interface Owner extends Pick<Person, 'ask' | 'post' | 'patch' | 'delete' | 'read'> {
  person: Person
  slug: string
  /** Throws unless it is added. */
  add(host: string, more?: { prepare: true }): Promise<Domain>
  get(host: string): Promise<Domain>
  /** Advances the clock far enough for a new check. */
  verify(host: string): Promise<Domain>
  remove(host: string): Promise<RemovedDomain>
  /** Reads the domain until it is so. */
  until(host: string, isMet: (domain: Domain) => boolean): Promise<Domain>
  /** The log of a domain, newest first. */
  events(host: string): Promise<DomainEvent[]>
  deleteProject(): Promise<void>
  /** Runs a command over the management API, with a token of the account. */
  run(words: string[], input?: string, env?: Record<string, string>): Promise<CommandResult>
  /** Adds a new subdomain, which points nowhere. */
  addNew(): Promise<{ zone: BoughtZone; host: string }>
  /** The same, proven by its CNAME. */
  addProven(): Promise<{ zone: BoughtZone; host: string }>
}

let bought = 0
let projects = 0

export interface DomainsOptions {
  /** Pebble issues, and the clock starts now, as its certificates do; otherwise no outside server is asked. */
  hasAuthority?: boolean
  /** Further variables of the lab: `PEBBLE` empty for its own authority. */
  labEnv?: Record<string, string>
  /** The providers of the lab are allowed for Domain Connect. */
  hasConnect?: boolean
  /** Whether DNS providers may be asked at the lab's addresses; true by default. */
  allowsProviders?: boolean
  /** On PostgreSQL: another installation on the same database. The platform host has the addresses of both. */
  hasSecondNode?: boolean
  /** Further variables of the configuration. */
  env?: Record<string, string>
  /** Other options of the start. */
  start?: Pick<StartOptions, 'outgoing' | 'streamLimits'>
}

export async function startDomains(
  engine: Engine,
  { env: given = {}, labEnv, start = {}, ...has }: DomainsOptions = {},
): Promise<DomainsInTest> {
  const { hasAuthority = false, hasConnect = false, hasSecondNode = false } = has
  const { allowsProviders = true } = has
  const clock = { now: hasAuthority ? Date.now() : 0 }
  const lab = await startLabForTest({
    env: hasAuthority ? { ...process.env, ...labEnv } : {},
    now: () => clock.now,
  })
  const faults = await proxyBefore(lab)
  const { DATA_DIR: _, ...inLab } = environmentIn(lab)
  const proxyEnv = faults && { ACME_DIRECTORY: faults.directoryUrl, CA_FILE: faults.rootFile }
  const connectEnv = hasConnect ? connectEnvironmentIn(lab) : {}
  const checkEnv = allowsProviders ? {} : { CHECK_ALLOW: inLab.CHECK_ALLOW ?? '' }
  const nodesEnv = hasSecondNode ? { SECRET_KEY: randomBytes(32).toString('base64') } : {}
  const env = { ...inLab, ...proxyEnv, ...connectEnv, ...checkEnv, ...nodesEnv, ...given }
  const publishing = await startPublishing(engine, {
    ...start,
    env,
    ...(hasAuthority && { now: clock.now }),
  })
  const second = hasSecondNode ? await startSecondNode(lab, publishing.store, env) : undefined
  const inTest = {
    ...publishing,
    lab,
    env,
    faults,
    root: (await lab.authority?.root()) ?? '',
    httpsPort: publishing.store.running.config.httpsPort ?? 0,
    async owner() {
      return await inTest.asOwner(await publishing.member('paid'))
    },
    async asOwner(person: Person) {
      const slug = `project-${++projects}`
      await person.publish(slug, { 'index.html': `<title>${slug}</title>` })
      return ownerOf(inTest, person, slug)
    },
    buy: (provider?: ProviderId) => buyZone(lab, `acorn${++bought}.example`, provider),
    pass(ms: number) {
      publishing.pass(ms)
      clock.now = publishing.store.clock.now
      if (second) second.clock.now = clock.now
    },
    async release() {
      await second?.release()
      await publishing.release()
      await faults?.close()
      await lab.stop()
    },
  }
  inTest.pass(0)
  return inTest
}

/** With a data folder of its own, in this process, because its clock is the lab's, too. */
async function startSecondNode(
  { dns, topology }: Lab,
  { clock, place }: RunningStore,
  env: Record<string, string>,
): Promise<Pick<RunningStore, 'clock' | 'release'>> {
  const dataDir = await createDataFolder('animal-store-second-')
  const node = await startStore(place.engine, {
    place: { ...place, dataDir },
    env: { ...env, LISTEN_ADDRESS: topology.secondNode },
    now: clock.now,
  })
  dns.setPlatformRecords(
    [platformHost, `*.${platformHost}`].map((name) => ({
      ...{ name, ttlSeconds: 60, type: 'A', address: topology.secondNode },
    })),
  )
  return {
    clock: node.clock,
    async release() {
      await node.release()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function proxyBefore({ authority, folder }: Lab) {
  if (!authority) return undefined
  const roots = await readFile(join(folder, serverRoots), 'utf8')
  const proxy = await startFaultProxy(authority.directoryUrl, roots)
  const rootFile = join(folder, 'fault-proxy-root.pem')
  // The lab's own authority gives its own addresses, past the proxy.
  await writeFile(rootFile, `${proxy.root}${roots}`)
  return Object.assign(proxy, { rootFile })
}

function ownerOf(inTest: DomainsInTest, person: Person, slug: string): Owner {
  const at = (path: string) => `/projects/${slug}/domains${path}`
  const read: Owner['read'] = (path) => person.read(at(path))
  return {
    ...{ person, slug, read },
    ask: (path, options) => person.ask(at(path), options),
    post: (path, body) => person.post(at(path), body),
    patch: (path, body) => person.patch(at(path), body),
    delete: (path) => person.delete(at(path)),
    async add(host, more) {
      return expectJson(await this.post('', { host, ...more }), 201) as Domain
    },
    get: (host) => read(`/${host}`),
    async verify(host) {
      inTest.pass(11_000)
      // The authority asks the same resolver, whose clock is stopped.
      if (inTest.faults) inTest.lab.dns.resolver.clear()
      return expectJson(await this.post(`/${host}/verify`), 200) as Domain
    },
    async remove(host) {
      return expectJson(await this.delete(`/${host}`), 200) as RemovedDomain
    },
    async until(host, isMet) {
      return await eventually(() => this.get(host), isMet)
    },
    events: async (host) => (await read<{ items: DomainEvent[] }>(`/${host}/events`)).items,
    async deleteProject() {
      expectJson(await person.delete(`/projects/${slug}?name=${slug}`), 204)
    },
    async run(words, input, env) {
      const { place, running } = inTest.store
      const remote = {
        ANIMAL_STORE_URL: `http://localhost:${running.config.httpPort}`,
        ANIMAL_STORE_TOKEN: await person.token(),
      }
      return await runCommand(place, words, { ...remote, NO_COLOR: '1', ...env }, input)
    },
    async addNew() {
      const zone = inTest.buy()
      const host = `docs.${zone.name}`
      await this.add(host)
      return { zone, host }
    },
    async addProven() {
      const { host, zone } = await this.addNew()
      zone.put('docs', 'CNAME', `${target}.`)
      expect(await this.verify(host)).toMatchObject(provenByPointer)
      return { zone, host }
    },
  }
}
