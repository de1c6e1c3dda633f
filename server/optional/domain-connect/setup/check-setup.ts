// The state of Domain Connect for operators: the signing key, and the DNS providers of the domains that were added
// lately. What is not set up is reported only where a provider of these domains would support it.
import { parse } from 'tldts'
import { recordsOfType } from '#dns/messages/exchange.ts'
import { queryNameFacts } from '#dns/name-servers/name-facts.ts'
import type { DnsNetwork } from '#dns/queries/dns-network.ts'
import { startInquiry } from '#dns/queries/inquiry.ts'
import { walk } from '#dns/walk/walk.ts'
import { nameOfHost } from '#domains/api/domain-response.ts'
import type { Clock } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import type { Session } from '#kit/database/database.ts'
import type { Secrets } from '#kit/secrets.ts'
import { type Finding, findingsOf } from '#kit/system/schema.ts'
import { prepare } from '#publishing/database/tables.ts'
import {
  createConnectClient,
  type Discovered,
  type DiscoveryContext,
  discoverProvider,
  lookAtZone,
  queryTemplate,
} from '../discovery/discover-provider.ts'
import { templateVersion } from '../links/connect-template.ts'
import {
  type ConnectKey,
  findPublicationProblem,
  listConnectKeys,
  writePublicKeyRecords,
} from '../links/signing-keys.ts'

export interface SetupContext extends Pick<DiscoveryContext, 'clock' | 'network'> {
  read: Session
  /** Undefined before the first start. */
  secrets: Secrets | undefined
}

const { ok, problem, skipped, warning } = findingsOf('connect')
/** Of the domains that were added last. */
const maxDomains = 100
const maxZones = 8
const guide = 'See docs/connect.md.'

const recent = prepare.select(
  'domains',
  ['host'],
  { holder: { '!=': { value: 'platform' } } },
  { orderBy: ['added_at desc', 'id'], limit: maxDomains },
)

/** Never throws because of network failures. */
export async function checkConnectSetup(
  { dnsServers, domainConnect: settings }: Pick<Config, 'dnsServers' | 'domainConnect'>,
  parts: SetupContext,
  signal?: AbortSignal,
): Promise<Finding[]> {
  const context = { ...parts, settings, ask: createConnectClient(settings, dnsServers) }
  const { read, secrets } = parts
  const { template } = settings
  const subject = 'DOMAIN_CONNECT_TEMPLATE'
  // Undefined before the first start: there are no tables yet.
  const hosts = await listRecentHosts(read).catch(() => undefined)
  if (!hosts) {
    return [skipped(subject, 'The domains cannot be read from the database.')]
  }
  const providers = await findProvidersInUse(context, hosts)
  const names = [...new Set(providers.map(({ name }) => name))]
  if (!template) {
    if (names.length === 0) {
      const message = 'Not set up. No provider of the domains that were added lately supports it.'
      return [skipped(subject, message)]
    }
    const count = providers.reduce((sum, { zones }) => sum + zones, 0)
    const message = `Not set up, but ${names.join(', ')} support${names.length === 1 ? 's' : ''} it: owners of ${count === 1 ? '1 domain' : `${count} domains`} that ${count === 1 ? 'was' : 'were'} added lately create their records by hand.`
    const fix = `Set DOMAIN_CONNECT_TEMPLATE, and have your template accepted by the providers. ${guide}`
    return [warning(subject, message, fix)]
  }
  const keys = secrets ? await listConnectKeys(read, secrets) : []
  const templates = providers.map(async ({ discovered, name }): Promise<Finding> => {
    return templateFinding(name, await queryTemplate(context, discovered, template))
  })
  return [
    ...(await keyFindings(context, keys, template.keyDomain, signal)),
    ...(await Promise.all(templates)),
  ]
}

async function keyFindings(
  context: DiscoveryContext,
  keys: ConnectKey[],
  keyDomain: string,
  signal: AbortSignal | undefined,
): Promise<Finding[]> {
  const used = keys.filter(({ state }) => state !== 'retired')
  if (used.length === 0) {
    const message = 'There is no signing key, so no Connect button is shown.'
    const fix =
      'Run animal-store connect key, create the TXT records that it prints, then run animal-store connect check.'
    return [problem(keyDomain, message, fix)]
  }
  return await Promise.all(
    used.map(async ({ label, privateKey, state }): Promise<Finding> => {
      const subject = `${label}.${keyDomain}`
      const keyProblem = await findKeyProblem(context, { keyDomain, label, privateKey }, signal)
      if (keyProblem !== undefined) {
        const fix =
          'Create the TXT records that animal-store connect key prints, and no others there.'
        return state === 'active'
          ? problem(
              subject,
              `The key that signs is not published: ${keyProblem}. Providers refuse its links.`,
              fix,
            )
          : warning(subject, `The new key is not published yet: ${keyProblem}.`, fix)
      }
      if (state === 'active')
        return ok(subject, 'The key that signs is published at all name servers.')
      const message = 'The new key is published at all name servers, but does not sign yet.'
      return warning(subject, message, 'Run animal-store connect check.')
    }),
  )
}

function templateFinding(
  subject: string,
  response: Awaited<ReturnType<typeof queryTemplate>>,
): Finding {
  if (response === 'known') return ok(subject, 'Has the template of this platform.')
  if (response === 'unknown') {
    const message = 'Does not have the template of this platform: its customers see no button.'
    return warning(subject, message, `Ask the provider to add it. ${guide}`)
  }
  if (response === 'old') {
    const message = `Has an earlier version of the template than ${templateVersion}.`
    return warning(subject, message, `Send it the new version. ${guide}`)
  }
  const message = `Does not respond as expected (${response.failed}).`
  return warning(subject, message, 'Run the check again later.')
}

interface ProviderInUse {
  name: string
  discovered: Extract<Discovered, { kind: 'found' }>['provider']
  zones: number
}

async function listRecentHosts(read: Session): Promise<string[]> {
  return (await read.all(recent, {})).map(({ host }) => host)
}

async function findProvidersInUse(
  context: DiscoveryContext,
  hosts: string[],
): Promise<ProviderInUse[]> {
  const byDomain = Map.groupBy(hosts, (host) => parse(host).domain ?? host)
  const zones = [...byDomain.values()].slice(0, maxZones)
  const results = await Promise.all(
    zones.map(async ([host = '', ...more]) => {
      const { registrableDomain } = nameOfHost(host)
      const lookedUp = { host, owner: 'system checks', registrableDomain }
      const { discovered } = await lookAtZone(context, lookedUp, (look) =>
        discoverProvider(context, look),
      )
      const provider = discovered.kind === 'found' ? discovered.provider : undefined
      return provider ? [{ name: provider.name, discovered: provider, zones: more.length + 1 }] : []
    }),
  )
  const byName = Map.groupBy(results.flat(), ({ name }) => name)
  return [...byName.values()].flatMap((same) => {
    const [first] = same
    return first ? [{ ...first, zones: same.reduce((sum, { zones: n }) => sum + n, 0) }] : []
  })
}

/**
 * Undefined when every name server has exactly the records of the key; else the problem, as the end of a sentence. A faulty
 * TXT record is the most frequent reason for which providers refuse a platform.
 */
export async function findKeyProblem(
  { clock, network }: { clock: Clock; network: DnsNetwork },
  { keyDomain, label, privateKey }: { keyDomain: string; label: string; privateKey: string },
  signal?: AbortSignal,
): Promise<string | undefined> {
  const name = `${label}.${keyDomain}`
  const inquiry = startInquiry({ network, clock, freshFrom: keyDomain, ...(signal && { signal }) })
  const { outcome, servers } = await walk(inquiry, name)
  if (outcome === 'unknown' || servers.length === 0)
    return `the name servers of ${keyDomain} do not respond`
  const expected = writePublicKeyRecords(privateKey)
  for (const server of servers) {
    const facts = await queryNameFacts(inquiry, server, name, { types: ['TXT'] })
    const at = server.name ?? server.address
    if (facts.kind === 'failure') {
      // More addresses than the limit of queries allows: those before have been asked.
      if (facts.reason === 'not-asked') break
      return `${at} does not respond (${facts.reason})`
    }
    const records = facts.kind === 'records' ? recordsOfType(facts.others, 'TXT') : []
    const published = records.map(({ strings }) => strings.join(''))
    const problem = findPublicationProblem(expected, published)
    if (problem !== undefined) return `${problem} at ${at}`
  }
  return undefined
}
