// The settings document of a DNS provider (draft-ietf-dconn-domainconnect, DNS Provider Discovery). It is untrusted
// input: unknown fields are ignored, and what is used is checked.

export interface ProviderSettings {
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

/** Undefined where the document cannot be used. Plain HTTP only at `consentOrigin`. */
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

export function readObject(text: string): Record<string, unknown> | undefined {
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
