// The certificate engine between a real authority, behind a proxy that injects faults, and real servers: names of the
// lab resolve to both ports of this test, which answer challenges from the database.
import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AcmeSession } from '#acme/requests/acme-client.ts'
import { httpChallengePath } from '#acme/resources/orders.ts'
import { type Diagnostic, judge } from '#doctor/rules/judge.ts'
import { startDeactivation } from '#domains/certificates/authorities/deactivate-authorizations.ts'
import {
  authoritiesOf,
  type Certificates,
  type CertificatesOptions,
  openCertificates,
} from '#domains/certificates/open-certificates.ts'
import { setPreparation } from '#domains/claims/add-domain.ts'
import { removeDomain } from '#domains/claims/remove-domain.ts'
import { applyEvent } from '#domains/database/apply-event.ts'
import { wantedChallengeOf } from '#domains/database/challenges.ts'
import type { FoundDomain } from '#domains/database/domain-row.ts'
import {
  findDomainById,
  findDomainDetails,
  findLastEvidence,
} from '#domains/database/find-domains.ts'
import { openDomains } from '#domains/domains.ts'
import { answerChallenge } from '#domains/edge/redirects-and-challenges.ts'
import { answerProbe, probePath } from '#domains/evidence/fetch-at-address.ts'
import {
  type DomainLease,
  domainLeases,
  startDomainWorker,
} from '#domains/scheduling/domain-worker.ts'
import { badgeOf } from '#domains/state/badge.ts'
import { programOrigin } from '#kit/audit/record-audit.ts'
import { type Config, readConfig } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import { openDatabase } from '#kit/database/engines/open.ts'
import { listen } from '#kit/http/listener/intake.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import { listenSecurely } from '#kit/http/tls/secure-listener.ts'
import { createRecordId } from '#kit/identifiers.ts'
import type { PollLoop } from '#kit/jobs/poll-loop.ts'
import { createLog } from '#kit/log.ts'
import { createMetrics } from '#kit/metrics.ts'
import { openSecrets } from '#kit/secrets.ts'
import { publishingTransaction } from '#publishing/database/publishing-state.ts'
import type { Lab } from '../../lab/lab.ts'
import { type ProviderId, platformHost } from '../../lab/network/topology.ts'
import type { EditedRecord } from '../../lab/registrar/edited-record.ts'
import { environmentIn } from '../../lab/serve-in-lab.ts'
import { startFaultProxy } from '../acme/fault-proxy.ts'
import { createTestDatabase, type Engine as DatabaseEngine } from '../database.ts'
import { eventually } from '../eventually.ts'
import { type BoughtZone, buyZone } from '../lab/buy-zone.ts'
import { startLabForTest } from '../lab/started-lab.ts'
import { query } from '../query.ts'
import {
  addRow,
  findRecordedEvents,
  ledgerOf,
  rowsOf,
  stealLease,
} from './certificate-rows-in-test.ts'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export const loseOwnership = publishingTransaction(
  async (session, { at, id }: { at: number; id: string }) => {
    const domain = await findDomainById(session, id)
    if (domain) await applyEvent(session, domain, { type: 'ownership_lost', at })
  },
)

export interface Subject {
  id: string
  host: string
  zone: BoughtZone
  /** As in its zone, and the resolver forgets what it has cached. */
  put(name: string, type: EditedRecord['type'], value: string): void
  clear(name: string): void
}

export interface EngineOptions
  extends Partial<
    Pick<CertificatesOptions, 'limitsOf' | 'random' | 'servesHttps' | 'database' | 'log'>
  > {
  env?: Record<string, string>
}

export interface TestEngine {
  certificates: Certificates
  check: ReturnType<typeof openDomains>['check']
  /** Under a new lease. Rejects as `processCertificate` does. */
  processCertificate(subject: Subject): Promise<FoundDomain>
  /** Until nothing is due. */
  settle(subject: Subject): Promise<FoundDomain>
  /** Checks, as the Verify button does, after a while, and processes what is due then. */
  look(subject: Subject, after?: number): Promise<FoundDomain['state']>
  /** Processes everything that is due in the background. */
  begin(): PollLoop
  /** Requests of this server's account. */
  session(): Promise<AcmeSession>
  /** Deactivates what is due at the authority. */
  deactivateAuthorizations(): Promise<void>
  counted: string[]
  stop(): Promise<void>
}

export type EngineWorld = Awaited<ReturnType<typeof startEngineWorld>>

let hostCount = 0

/** With PEBBLE empty in `env`, the authority is the lab's own, which uses the clock of this world. */
export async function startEngineWorld(
  engine: DatabaseEngine = 'sqlite',
  env: NodeJS.ProcessEnv = process.env,
) {
  const clock = { now: Date.now() }
  const lab = await startLabForTest({ env, now: () => clock.now })
  const { authority } = lab
  if (!authority) throw new Error('Missing: Debian’s package pebble. `npm test` fetches it.')
  const roots = await readFile(authority.rootFile, 'utf8')
  const faults = await startFaultProxy(authority.directoryUrl, roots)
  const rootFile = join(lab.folder, 'authorities.pem')
  await writeFile(rootFile, `${faults.root}${roots}`)
  const place = await createTestDatabase(engine)
  const open = () =>
    openDatabase(place, 'publishing', { clock: () => clock.now, onError: () => {} })
  const database = open()
  const engines: TestEngine[] = []
  const databases = [database]

  const configOf = (env: Record<string, string> = {}): Config =>
    readConfig({
      ...environmentIn(lab),
      HTTPS_PORT: `${lab.topology.ports.https}`,
      ACME_DIRECTORY: faults.directoryUrl,
      CA_FILE: rootFile,
      ...env,
      DATA_DIR: place.dataDir,
      DATABASE_URL: place.databaseUrl,
    })

  function startEngine({ env, ...given }: EngineOptions = {}): TestEngine {
    const config = configOf(env)
    const context = {
      database,
      clock: () => clock.now,
      log: createLog('silent', false),
      ...given,
    }
    const stopping = new AbortController()
    const authorities = authoritiesOf(config, context)
    const domains = openDomains(config, {
      ...context,
      stopping: stopping.signal,
      authorities: authorities.forCaa,
      verifyRemoval: () => Promise.reject(new Error('no domain is removed here')),
    })
    const counted: string[] = []
    const certificates = openCertificates(config, authorities, {
      random: () => 0.5,
      ...context,
      check: domains.check,
      count: (name, result) => void counted.push(`${name} ${result}`),
    })
    let work: PollLoop | undefined
    const made: TestEngine = {
      certificates,
      check: domains.check,
      counted,
      async processCertificate({ id }) {
        const lease: DomainLease = { id, token: randomUUID() }
        await stealLease(database, { ...lease, until: clock.now + domainLeases.durationMs })
        const domain = await get(id)
        await certificates.processCertificate(domain, lease, stopping.signal)
        await database.write(domainLeases.releaseTransaction, { lease })
        return await get(id)
      },
      async settle(subject) {
        for (let turns = 0; turns < 20; turns++) {
          const { state } = await made.processCertificate(subject)
          if (state.issueAt === null || state.issueAt > clock.now) break
        }
        return await get(subject.id)
      },
      async look(subject, after = minute) {
        clock.now += after
        await first.check(await get(subject.id))
        const { state } = await get(subject.id)
        if (state.issueAt !== null && state.issueAt <= clock.now) await made.settle(subject)
        return (await get(subject.id)).state
      },
      async session() {
        const [directory = ''] = authorities.directories
        const account = await authorities.accountAt(directory)
        return { client: authorities.clientOf(directory), account }
      },
      async deactivateAuthorizations() {
        const jobs = startDeactivation({ ...context, authorities })
        const isDue = async () =>
          (await rowsOf(context.database)).authorizations.some(({ due_at: at }) => at !== null)
        await eventually(isDue, (due) => !due)
        await jobs.stop()
      },
      begin() {
        work = startDomainWorker(context, {
          check: domains.check,
          processCertificate: certificates.processCertificate,
        })
        return work
      },
      async stop() {
        stopping.abort()
        await work?.stop()
        await certificates.stop()
      },
    }
    engines.push(made)
    return made
  }

  async function get(id: string): Promise<FoundDomain> {
    const found = await findDomainById(database.read, id)
    if (!found) throw new Error(`there is no domain ${id}`)
    return found
  }

  const update = (change: string) => query(place, 'publishing', `update ${change}`)
  const buy = (provider: ProviderId) => buyZone(lab, `cert${++hostCount}.example`, provider)
  const first = startEngine()
  const servers = await startServers(configOf(), lab, first.certificates)

  return {
    lab,
    faults,
    clock,
    database,
    servers,
    root: () => authority.root(),
    startEngine,
    get,
    /** The same database, opened as another process does. */
    openAgain(): Database {
      const again = open()
      databases.push(again)
      return again
    },
    secrets: openSecrets(configOf()),
    rows: () => rowsOf(database),
    /** No faults any more, and nothing was asked. */
    reset(): void {
      faults.asked.length = 0
      faults.faultFor = () => undefined
      servers.refuses = () => undefined
    },
    /** The value of the TXT record that the owner is asked for. */
    async findRecordValue({ id }: Subject): Promise<string | undefined> {
      const details = await findDomainDetails(database.read, id)
      return wantedChallengeOf(await get(id), details).value
    },
    async recordValueOf(subject: Subject): Promise<string> {
      const value = await this.findRecordValue(subject)
      if (value === undefined) throw new Error('no record is asked for')
      return value
    },
    /** The doctor's diagnostics of the domain, from its last stored check. */
    async diagnosticsOf({ id }: Subject): Promise<Diagnostic[]> {
      return judge(JSON.parse((await findLastEvidence(database.read, id)) ?? '')).diagnostics
    },
    async codesOf(subject: Subject): Promise<string[]> {
      return (await this.diagnosticsOf(subject)).map(({ code }) => code)
    },
    badgeOf: async ({ id }: Subject) => badgeOf((await get(id)).state, clock.now),
    /** Replaces the certificate of the internal root; its key stays. */
    storeRootChain: (chain: string) => update(`internal_roots set chain = '${chain}'`),
    /** `turnOwner`: of the site at a platform host; the holder otherwise. */
    setHolder: ({ id }: Subject, holder: string, turnOwner = holder) =>
      update(`domains set holder = '${holder}', turn_owner = '${turnOwner}' where id = '${id}'`),
    ledger: (host: string) => ledgerOf(database, host),
    kindsOf: async ({ host }: Subject) => (await ledgerOf(database, host)).map(({ kind }) => kind),
    async certificatesOf({ id }: Subject) {
      const { certificates } = await rowsOf(database)
      return certificates.filter(({ domain_id }) => domain_id === id)
    },
    /** The types of its recorded events, in order. */
    async eventTypesOf({ id }: Subject) {
      return (await findRecordedEvents(database, id)).map(({ type }) => type)
    },
    /** A host that points to us and is proven, at the apex or below it. */
    async subject(label = 'docs', provider: ProviderId = 'burrow'): Promise<Subject> {
      return await this.lead(buy(provider), label)
    },
    /** Another host of the same registered domain. */
    subjectInSameZone({ zone }: Subject, label: string): Promise<Subject> {
      return this.lead(zone, label)
    },
    /** A host of a site elsewhere, with the TXT record of ownership, whose certificate is requested before the switch. */
    async elsewhere(label = 'docs', provider: ProviderId = 'burrow'): Promise<Subject> {
      const subject = await this.add(buy(provider), label)
      subject.put(label, 'A', lab.topology.otherPlatform)
      subject.put(label === '@' ? '_animal-store' : `_animal-store.${label}`, 'TXT', 'test')
      await this.prepare(subject, true)
      await this.check(subject)
      return subject
    },
    async prepare({ id }: Subject, isRequested: boolean): Promise<FoundDomain | undefined> {
      const origin = programOrigin(clock.now)
      return await setPreparation(database, { id, isRequested, origin })
    },
    async lead(zone: BoughtZone, label: string): Promise<Subject> {
      const subject = await this.add(zone, label)
      subject.put(label, label === '@' ? 'ALIAS' : 'CNAME', `${platformHost}.`)
      await this.check(subject)
      return subject
    },
    async add(zone: BoughtZone, label: string): Promise<Subject> {
      const host = label === '@' ? zone.name : `${label}.${zone.name}`
      const id = createRecordId('dom', clock.now)
      await addRow(database, { id, host, now: clock.now })
      return {
        ...{ id, host, zone },
        put(name, type, value) {
          zone.put(name, type, value, 60)
          lab.dns.resolver.clear()
        },
        clear(name) {
          zone.clear(name)
          lab.dns.resolver.clear()
        },
      }
    },
    async remove({ id }: Subject): Promise<void> {
      await removeDomain(database, { id, origin: programOrigin(clock.now) })
    },
    async check({ id }: Subject): Promise<FoundDomain> {
      await first.check(await get(id))
      return await get(id)
    },
    /** The requests to the authority without identifiers. */
    asked(): string[] {
      const lines = faults.asked.map((line) => line.replace(/^(\w+) \/([\w-]+).*$/, '$1 $2'))
      return lines.filter((line) => line !== 'GET dir')
    },
    async release() {
      for (const each of engines) await each.stop()
      await servers.close()
      for (const each of databases) await each.close()
      await faults.close()
      await place.release()
      await lab.stop()
    },
  }
}

/** Both ports with challenges and probes for every host, as in the program, and nothing else. */
async function startServers(config: Config, { topology }: Lab, certificates: Certificates) {
  const { http, https } = topology.ports
  const probes = answerProbe(openSecrets(config))
  const challenges = answerChallenge(certificates.keyAuthorizationFor)
  const servers = {
    /** Which requests of challenges are refused, by their User-Agent. */
    refuses: (_userAgent: string): 'nothing' | 'silence' | undefined => undefined,
    close: async () => {},
  }
  const plain = await listen(http, topology.server, createMetrics())
  plain.serve((_host, path) => (request, response) => {
    const isChallenge = path.startsWith(httpChallengePath)
    if (!isChallenge) return path.startsWith(probePath) ? probes(request, response) : response.end()
    const refused = servers.refuses((request as ApiRequest).headers['user-agent'] ?? '')
    if (refused === 'silence') return void request.socket.destroy()
    if (refused === 'nothing') return void response.writeHead(404).end('a page')
    return challenges(request, response)
  })
  const secure = await listenSecurely(plain.intake, https, topology.server, {
    directory: { certificateFor: () => undefined, challengeFor: certificates.challengeFor },
    ticketKeys: () => Buffer.alloc(48),
  })
  servers.close = async () => void (await Promise.all([plain.stop(), secure.stop()]))
  return servers
}
