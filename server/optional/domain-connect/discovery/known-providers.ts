// The DNS providers whose consent pages the dashboard may open. The value of a `_domainconnect` record comes from the
// zone of a stranger: only values of this list, or of the operator's, are followed, and each only to the consent pages
// that belong to it.
import type { ConnectProvider } from '#kit/config/domain-connect-variables.ts'

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
