// Finds out whether the DNS provider of a host supports Domain Connect, and knows a template of ours
// (draft-ietf-dconn-domainconnect, DNS Provider Discovery). The zone and what it names may belong to a stranger: only
// providers of a list are asked, and only the consent pages that belong to them are opened.

import type { Agent } from 'node:https'
import { recordsOfType } from '#dns/messages/exchange.ts'
import type { DnsNetwork } from '#dns/queries/dns-network.ts'
import { type Inquiry, startInquiry } from '#dns/queries/inquiry.ts'
import { resolveFromZone } from '#dns/resolution/look-up.ts'
import { type Walk, walk } from '#dns/walk/walk.ts'
import type { Clock } from '#kit/clock.ts'
import type { DomainConnectSettings } from '#kit/config/config.ts'
import type { HostPort } from '#kit/config/parse-variable.ts'
import type { ConnectProvider } from '#kit/config/variables.ts'
import { judgeAddresses } from '#kit/network/addresses.ts'
import {
  type Destinations,
  RequestError,
  resolveBy,
  sendRequest,
  trustingAgent,
} from '#kit/network/http-client.ts'
import { templateVersion } from '../links/connect-template.ts'

/** What is used of the settings document of a DNS provider. */
interface ProviderSettings {
  providerId: string
  /** For display. */
  name: string
  /** Base address of the consent page; undefined where the provider has no synchronous flow. */
  consentUrl: URL | undefined
  /** Base address of the query for a template. */
  apiUrl: URL
  /** Lower case, without the dot at the end; undefined if the provider does not say. */
  nameServers: string[] | undefined
  /** Page for editing the zone by hand. */
  controlPanel: string | undefined
}

const maxNameLength = 60
const maxUrlLength = 500
const maxNameServers = 50
/** What `crit` may name: the fields that are understood here. */
const understood = new Set([
  'providerId',
  'providerName',
  'providerDisplayName',
  'urlSyncUX',
  'urlAPI',
  'urlControlPanel',
  'nameServers',
])

/**
 * The settings document is untrusted input: unknown fields are ignored, and what is used is checked. Undefined where it
 * cannot be used. Plain HTTP only at `consentOrigin`.
 */
export function readSettings(
  text: string,
  { consentOrigin, zone }: { consentOrigin: string; zone: string },
): ProviderSettings | undefined {
  const document = readObject(text)
  if (!document) return undefined
  const { crit, providerId, urlControlPanel, urlSyncUX } = document
  if (crit !== undefined && !isListOf(crit, (name) => understood.has(name))) return undefined
  if (typeof providerId !== 'string' || !/^[\w.-]{1,63}$/.test(providerId)) return undefined
  const apiUrl = baseUrl(document.urlAPI)
  const consentUrl = urlSyncUX === undefined ? undefined : baseUrl(urlSyncUX, consentOrigin)
  if (!apiUrl || (urlSyncUX !== undefined && !consentUrl)) return undefined
  const { nameServers } = document
  const isServers = nameServers === undefined || isListOf(nameServers, (name) => name.length <= 255)
  if (!isServers) return undefined
  return {
    providerId,
    name:
      displayName(document.providerDisplayName) ?? displayName(document.providerName) ?? providerId,
    consentUrl,
    apiUrl,
    nameServers: nameServers?.map((name) => name.toLowerCase().replace(/\.$/, '')),
    controlPanel: controlPanelOf(urlControlPanel, zone),
  }
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {}
  return undefined
}

function isListOf(value: unknown, isAllowed: (text: string) => boolean): value is string[] {
  return (
    Array.isArray(value) &&
    value.length <= maxNameServers &&
    value.every((item) => typeof item === 'string' && isAllowed(item))
  )
}

/** https, without query, fragment and user; without a slash at the end. */
function baseUrl(value: unknown, allowedOrigin?: string): URL | undefined {
  if (typeof value !== 'string' || value.length > maxUrlLength) return undefined
  const url = URL.parse(value.replace(/\/+$/, ''))
  if (!url || url.search || url.hash || url.username || url.password) return undefined
  return url.protocol === 'https:' || url.origin === allowedOrigin ? url : undefined
}

/** Text without control characters, and without those that change the direction of the text around them. */
function displayName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const plain = value.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim()
  return plain === '' ? undefined : plain.slice(0, maxNameLength)
}

function controlPanelOf(value: unknown, zone: string): string | undefined {
  if (typeof value !== 'string' || value.length > maxUrlLength) return undefined
  const url = URL.parse(value.replaceAll('%domain%', encodeURIComponent(zone)))
  return url?.protocol === 'https:' && !url.username && !url.password ? url.href : undefined
}

/**
 * The DNS providers whose consent pages the dashboard may open. Only values of this list, or of the operator's, are
 * followed in a `_domainconnect` record, and each only to the consent pages that belong to it.
 */
const knownProviders: readonly ConnectProvider[] = [
  {
    discovery: 'api.cloudflare.com/client/v4/dns/domainconnect',
    consentOrigin: 'https://dash.cloudflare.com',
  },
  { discovery: 'domainconnect.api.godaddy.com', consentOrigin: 'https://dcc.godaddy.com' },
  { discovery: 'domainconnect.vercel.com', consentOrigin: 'https://vercel.com' },
]

const maxValueLength = 200
/** A host, with a port and a path: no scheme, user, query or fragment. */
const form = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?(\/[\w.~%-]+)*\/?$/i

/** The value of a `_domainconnect` record in one notation; undefined where it is not an address. */
export function readDiscoveryValue(text: string): string | undefined {
  const value = text.trim()
  if (value.length > maxValueLength || !form.test(value)) return undefined
  const url = URL.parse(`https://${value}`)
  return url ? (url.host + url.pathname).replace(/\/$/, '') : undefined
}

export function findAllowedProvider(
  value: string,
  added: readonly ConnectProvider[],
): ConnectProvider | undefined {
  return [...added, ...knownProviders].find(({ discovery }) => discovery === value)
}

/** Why a provider cannot be used. The first four: there is nothing to tell the owner of a domain. */
export const noProviderReasons = [
  ...(['dns_unknown', 'no_record', 'not_allowed', 'not_hosted'] as const),
  ...(['unreachable', 'invalid_settings', 'left_over', 'manual_only', 'other_site'] as const),
]
type NoProvider = (typeof noProviderReasons)[number]

export type Discovered =
  | { kind: 'found'; provider: ConnectedProvider }
  | {
      kind: 'none'
      reason: NoProvider
      name: string | undefined
      detail: string | undefined
    }

export interface ConnectedProvider extends ProviderSettings {
  consentUrl: URL
  zone: string
}

export interface DiscoveryContext {
  clock: Clock
  network: DnsNetwork
  settings: DomainConnectSettings
  ask: AskProvider
}

/** A zone as its own servers show it now. */
export interface ZoneLook {
  inquiry: Inquiry
  walked: Walk
}

const maxQueries = 40
const maxMs = 4000
const maxValues = 2

interface LookedUp {
  host: string
  /** The account that asks. */
  owner: string
  /** Nothing below it is taken from caches. */
  registrableDomain: string
}

/** Finds the zone of a host, and runs `use` within the limits of a check. */
export async function lookAtZone<T>(
  { clock, network }: Pick<DiscoveryContext, 'clock' | 'network'>,
  { host, owner, registrableDomain: freshFrom }: LookedUp,
  use: (look: ZoneLook) => Promise<T>,
): Promise<T> {
  const release = await network.checks.acquire(owner)
  try {
    const limits = { maxQueries, timeLimitMs: maxMs }
    const inquiry = startInquiry({ network, clock, owner, freshFrom, ...limits })
    return await use({ inquiry, walked: await walk(inquiry, host) })
  } finally {
    release()
  }
}

/** Never throws because of network failures. `ttlSeconds`: how long the record may be cached. */
export async function discoverProvider(
  context: DiscoveryContext,
  { inquiry, walked }: ZoneLook,
): Promise<{ discovered: Discovered; ttlSeconds: number }> {
  if (walked.outcome === 'unknown') return { discovered: none('dns_unknown'), ttlSeconds: 0 }
  const question = { name: `_domainconnect.${walked.apex}`, type: 'TXT' } as const
  const { outcome, records, ttlSeconds = 0 } = await resolveFromZone(inquiry, question)
  const values = recordsOfType(records, 'TXT').map(({ strings }) => strings.join(''))
  const isUnknown = outcome === 'failure'
  const discovered = isUnknown ? none('dns_unknown') : await tryValues(context, values, walked)
  return { discovered, ttlSeconds }
}

/** The first value that leads to a provider, else why the first allowed one does not. */
async function tryValues(
  context: DiscoveryContext,
  values: string[],
  walked: Walk,
): Promise<Discovered> {
  if (values.length === 0) return none('no_record')
  const allowed = [...new Set(values.map(readDiscoveryValue))].flatMap((value) => {
    const provider =
      value === undefined ? undefined : findAllowedProvider(value, context.settings.providers)
    return provider ?? []
  })
  let failure: Discovered | undefined
  for (const provider of allowed.slice(0, maxValues)) {
    const discovered = await tryProvider(context, provider, walked)
    if (discovered.kind === 'found') return discovered
    failure ??= discovered
  }
  return failure ?? none('not_allowed')
}

async function tryProvider(
  { ask }: DiscoveryContext,
  { consentOrigin, discovery }: { consentOrigin: string; discovery: string },
  { apex: zone, ownNames, parentNames }: Walk,
): Promise<Discovered> {
  const url = new URL(`https://${discovery}/v2/${encodeURIComponent(zone)}/settings`)
  const response = await ask(url, 'application/json')
  const host = url.hostname
  if ('failed' in response) return none('unreachable', host, response.failed)
  if (response.status === 404) return none('not_hosted', host)
  const settings = readSettings(response.body, { consentOrigin, zone })
  if (!settings) return none('invalid_settings', host)
  const { consentUrl, name, nameServers } = settings
  if (nameServers && !nameServers.some((each) => [...ownNames, ...parentNames].includes(each)))
    return none('left_over', name)
  if (!consentUrl) return none('manual_only', name)
  if (consentUrl.origin !== consentOrigin) return none('other_site', name)
  return { kind: 'found', provider: { ...settings, consentUrl, zone } }
}

function none(reason: NoProvider, name?: string, detail?: string): Discovered {
  return { kind: 'none', reason, name, detail }
}

export type TemplateAnswer = 'known' | 'unknown' | 'old' | { failed: string }

export interface TemplateId {
  providerId: string
  serviceId: string
}

/** Whether the provider has our template, in this version or a later one. */
export async function queryTemplate(
  { ask }: Pick<DiscoveryContext, 'ask'>,
  { apiUrl }: Pick<ProviderSettings, 'apiUrl'>,
  { providerId, serviceId }: TemplateId,
): Promise<TemplateAnswer> {
  const path = `/v2/domainTemplates/providers/${providerId}/services/${serviceId}`
  const response = await ask(new URL(apiUrl.href.replace(/\/$/, '') + path), 'application/json')
  if ('failed' in response) return response
  if (response.status === 404) return 'unknown'
  const { version } = readObject(response.body) ?? {}
  return typeof version === 'number' && version < templateVersion ? 'old' : 'known'
}

const timeoutMs = 3000
const maxBytes = 64 * 1024

/** `failed`: no complete response, or not one of 200 or 404. The text is safe to show. */
type Asked = { status: 200; body: string } | { status: 404 } | { failed: string }

export type AskProvider = (url: URL, accept: string) => Promise<Asked>

/**
 * Requests to DNS providers. Their addresses come from the DNS of strangers and from documents that those name: only public
 * addresses are asked, and those that the operator allows; time and size are limited, redirects are not followed. Never
 * throws.
 */
export function createConnectClient(
  { allow, trustedRoots }: DomainConnectSettings,
  dnsServers: readonly HostPort[],
): AskProvider {
  const destinations: Destinations = {
    judge: judgeAddresses(allow),
    resolve: resolveBy(dnsServers),
  }
  let agent: Agent | undefined
  return async (url, accept) => {
    if (trustedRoots !== undefined) agent ??= trustingAgent(trustedRoots)
    try {
      const { body, status } = await sendRequest(url, {
        method: 'GET',
        headers: { accept, 'user-agent': 'Animal-Store-Domain-Connect' },
        timeoutMs,
        maxBytes,
        oversize: 'fail',
        destinations,
        ...(agent && { agent }),
      })
      if (status === 404) return { status }
      if (status !== 200) return { failed: `it responded with status ${status}` }
      return { status, body: body.toString('utf8') }
    } catch (error) {
      if (error instanceof RequestError) return { failed: error.message }
      throw error
    }
  }
}
