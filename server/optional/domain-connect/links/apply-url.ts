// The address of the consent page, signed (draft-ietf-dconn-domainconnect, Apply Template URL and Signing Procedure).
import { sign } from 'node:crypto'

interface ApplyRequest {
  consentUrl: URL
  providerId: string
  serviceId: string
  /** The apex of the zone. */
  domain: string
  /** The labels below it. */
  host: string
  /** Never empty: without groups, a provider applies all of them. */
  groups: [string, ...string[]]
  /** The variables of the template. */
  variables: Record<string, string>
  redirectUri: string
  state: string
}

interface SigningKey {
  label: string
  /** PEM. */
  privateKey: string
}

export const maxApplyUrlLength = 8000

export function createApplyUrl(request: ApplyRequest, key: SigningKey): string {
  const { consentUrl, domain, groups, host, providerId, redirectUri, serviceId, state } = request
  const query = canonicalQuery({
    ...request.variables,
    domain,
    host,
    groupId: groups.join(','),
    redirect_uri: redirectUri,
    state,
  })
  const base = consentUrl.href.replace(/\/$/, '')
  const path = `/v2/domainTemplates/providers/${encode(providerId)}/services/${encode(serviceId)}`
  const signature = encode(signQuery(query, key.privateKey))
  // Some providers need the signature at the end.
  return `${base}${path}/apply?${query}&key=${encode(key.label)}&sig=${signature}`
}

/** What is signed: names and values percent-encoded, sorted by the encoded name. */
export function canonicalQuery(parameters: Record<string, string>): string {
  return Object.entries(parameters)
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** RSASSA-PKCS1-v1_5 with SHA-256, in base64. */
export function signQuery(query: string, privateKey: string): string {
  return sign('RSA-SHA256', Buffer.from(query), privateKey).toString('base64')
}

/** RFC 3986: everything but unreserved characters. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
