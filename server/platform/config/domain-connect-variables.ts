// The environment variables of Domain Connect, a part of variables.ts.
import { resolve } from 'node:path'
import { hostOf, isAddressOrRange, list } from './parse-variable.ts'
import { variable } from './variable.ts'

/** A DNS provider whose consent pages the dashboard may open. */
export interface ConnectProvider {
  /** The value of its `_domainconnect` records: a host, with a port and a path if it has them. */
  discovery: string
  /** The origin of its consent pages. */
  consentOrigin: string
}

export const domainConnectVariables = {
  DOMAIN_CONNECT_PROVIDER_ID: variable({
    meaning:
      'Identifier of this installation at DNS providers that support Domain Connect: the providerId of its template.',
    accepts: 'a domain of yours, such as example.com',
    default: 'none: no Connect button',
    parse: (text) => (text.includes('.') && text.length <= 63 ? hostOf(text) : undefined),
  }),
  DOMAIN_CONNECT_SERVICE_ID: variable({
    meaning: 'The serviceId of its Domain Connect template.',
    accepts: 'lower-case letters, digits and hyphens',
    default: 'docs',
    parse: (text) => (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text) ? text : undefined),
  }),
  DOMAIN_CONNECT_KEY_DOMAIN: variable({
    meaning: 'Domain at which the public key of Domain Connect is published.',
    accepts: 'a domain of yours',
    default: 'DOMAIN_CONNECT_PROVIDER_ID',
    parse: (text) => (text.includes('.') ? hostOf(text) : undefined),
  }),
  DOMAIN_CONNECT_PROVIDERS: variable({
    meaning: 'Further DNS providers that may be used by Domain Connect.',
    accepts:
      'discovery=origin separated by commas: the value of their _domainconnect records, and the origin of their consent pages, such as connect.example.net/v1=https://dns.example.net',
    default: 'none',
    parse: providerList,
  }),
  DOMAIN_CONNECT_ALLOW: variable({
    meaning:
      'Addresses at which Domain Connect may ask DNS providers, in addition to public ones, on any port.',
    accepts: 'IP addresses or ranges separated by commas, such as 10.0.0.0/8',
    default: 'none',
    parse: (text) => list(text, isAddressOrRange),
  }),
  DOMAIN_CONNECT_CA_FILE: variable({
    meaning: "Roots that are trusted for the HTTPS of DNS providers, in addition to the system's.",
    accepts: 'a PEM file',
    default: 'none',
    parse: (text) => resolve(text),
  }),
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
