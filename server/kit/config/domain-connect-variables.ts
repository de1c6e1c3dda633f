// The environment variables of Domain Connect, a part of variables.ts.
import { hostOf, type Variable } from './parse-variable.ts'

/** A DNS provider whose consent pages the dashboard may open. */
export interface ConnectProvider {
  /** The value of its `_domainconnect` records: a host, with a port and a path if it has them. */
  discovery: string
  /** The origin of its consent pages. */
  consentOrigin: string
}

export const domainConnectVariables = {
  DOMAIN_CONNECT_TEMPLATE: {
    accepts:
      'a domain of yours, such as example.com; then, if needed, /SERVICE in lower-case letters, digits and hyphens (docs by default), and @ with the domain of the key (the first one by default)',
    parse: templateOf,
  },
  DOMAIN_CONNECT_PROVIDERS: {
    accepts:
      'discovery=origin separated by commas: the value of their _domainconnect records, and the origin of their consent pages, such as connect.example.net/v1=https://dns.example.net',
    parse: providerList,
  },
} satisfies Record<string, Variable>

function templateOf(text: string) {
  const form = /^([^/@]{1,63})(?:\/([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?))?(?:@([^/@]+))?$/
  const [, provider = '', serviceId = 'docs', key = provider] = form.exec(text) ?? []
  const [providerId, keyDomain] = [provider, key].map((host) =>
    host.includes('.') ? hostOf(host) : undefined,
  )
  return providerId && keyDomain ? { providerId, serviceId, keyDomain } : undefined
}

function providerList(text: string): ConnectProvider[] | undefined {
  const providers = text.split(',').map(readProvider)
  return providers.every((provider) => provider !== undefined) ? providers : undefined
}

function readProvider(text: string): ConnectProvider | undefined {
  const [discovery = '', origin = '', ...more] = text.trim().split('=')
  const url = URL.parse(origin)
  const isHere = /^(localhost|127(\.\d+){3})$/.test(url?.hostname ?? '')
  // Plain HTTP never leaves this machine.
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)
  const isDiscovery = /^[a-z0-9.-]+(:\d{1,5})?(\/[\w.~-]+)*$/.test(discovery)
  if (!url || !isSafe || !isDiscovery || url.origin !== origin || more.length > 0) return undefined
  return { discovery, consentOrigin: origin }
}
