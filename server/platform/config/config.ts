// The one schema of the configuration: environment variables (or a .env file) in, a checked Config out.
// Only main.ts and the commands read it; the table in the README is held against `variables` by a test.
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { type LogLevel, logLevels } from '../log.ts'
import { isMailFrom, type MailConfig, readSmtpUrl } from '../mail/mail-config.ts'
import { readAddressPort } from '../network/address-port.ts'
import { parseSecretKey } from '../secrets.ts'
import { ownHostsOf } from './platform-hosts.ts'

export interface HostPort {
  address: string
  port: number
}

export interface RateLimit {
  requests: number
  windowSeconds: number
}

/** How certificates are come by. */
export interface AcmeConfig {
  /** The directory of an authority; `internal` for one of our own, which nobody believes unasked. */
  directory: string
  /** Asked where the first one fails again and again. */
  fallbackDirectory: string | undefined
  /** Where the authority writes to. */
  email: string | undefined
  /** PEM of roots by which the authority's own HTTPS is believed, besides the usual ones. */
  caFile: string | undefined
  /** An account elsewhere that ours is bound to (RFC 8555, section 7.3.4); both or neither. */
  eabKeyId: string | undefined
  eabMacKey: string | undefined
  /** One of the kinds of certificate that the authority offers. */
  profile: string | undefined
}

export interface Config {
  httpPort: number
  /** Undefined: there is no HTTPS listener. */
  httpsPort: number | undefined
  /** By which clients reach the HTTPS listener. */
  publicHttpsPort: number
  listenAddress: string
  dataDir: string
  databaseUrl: string | undefined
  baseUrl: URL
  stagingBaseUrl: URL
  dashboardUrl: URL
  /** Below it every project has a host of its own. */
  platformHost: string
  /** Addresses that sites are served at; looked up when there are none. */
  platformAddresses: string[]
  /** Of the operator, for hosts of our own; instead of one for each. */
  ownCertificate: { chainFile: string; keyFile: string } | undefined
  /** Recursive resolvers; the system's when there are none. */
  dnsServers: HostPort[]
  /** Where walks through the DNS begin; the internet's root servers when there are none. */
  dnsRoots: HostPort[]
  dnsAllow: string[]
  probeAllow: string[]
  /** Whether the store's own documentation is published as the first project. */
  firstProject: boolean
  workers: number
  rateLimit: RateLimit | undefined
  corsOrigins: string[]
  trustedProxies: string[]
  metricsAllow: string[]
  /** 32 bytes each; the first encrypts. */
  secretKeys: Buffer[]
  webhookAllow: string[]
  /** The same for webhooks of projects, whose owners need not be operators. */
  projectWebhookAllow: string[]
  /** Undefined: nobody is written to. */
  mail: MailConfig | undefined
  acme: AcmeConfig
  logLevel: LogLevel
}

/** A variable with a value it cannot take. The message is one line and names variable, value and what it accepts. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

interface Variable<T> {
  /** What the README and the error message say it accepts. */
  accepts: string
  /** The default as the README shows it. */
  default: string
  meaning: string
  /** Returns undefined for what it does not accept. */
  parse: (text: string) => T | undefined
}

const variable = <T>(v: Variable<T>): Variable<T> => v

const list = (text: string, item: (part: string) => boolean): string[] | undefined => {
  const parts = text.split(',').map((part) => part.trim())
  return parts.every(item) ? parts : undefined
}

const wholeNumber = (text: string, min: number, max: number): number | undefined => {
  if (!/^\d{1,9}$/.test(text)) return undefined
  const value = Number(text)
  return value >= min && value <= max ? value : undefined
}

const httpUrl = (text: string): URL | undefined => {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  return url.search || url.hash || url.username || url.password ? undefined : url
}

const baseAddress = (text: string): URL | undefined => {
  const url = httpUrl(text)
  return url?.pathname.endsWith('/v1') ? url : undefined
}

const serverList = (text: string): HostPort[] | undefined => {
  const servers = text.split(',').map((part): HostPort | undefined => {
    const read = readAddressPort(part.trim())
    return read?.range === '' ? { address: read.address, port: read.port ?? 53 } : undefined
  })
  return servers.every((server) => server !== undefined) ? servers : undefined
}

const portText = (text: string): number | undefined => wholeNumber(text, 0, 65535)

const acmeDirectory = (text: string): string | undefined => {
  if (text === 'internal') return text
  const url = httpUrl(text)
  return url?.protocol === 'https:' ? url.href : undefined
}

/** Names that no public authority certifies, because nobody owns them (RFC 6761, RFC 2606, ICANN's internal). */
const isPrivateName = (host: string): boolean =>
  !host.includes('.') || /\.(localhost|test|example|invalid|local|internal|home\.arpa)$/.test(host)

const isAllowed = (text: string): boolean => readAddressPort(text) !== undefined

const isAddressOrRange = (text: string): boolean => {
  const [address = '', bits = '0', ...more] = text.split('/')
  const family = isIP(address)
  return (
    family > 0 && more.length === 0 && wholeNumber(bits, 0, family === 4 ? 32 : 128) !== undefined
  )
}

const hostOf = (text: string): string | undefined => {
  const isHost =
    /^(?=.{1,190}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/
  const host = text.toLowerCase()
  return isHost.test(host) && isIP(host) === 0 ? host : undefined
}

export function parseRateLimit(text: string): RateLimit | undefined {
  const match = /^([1-9]\d{0,8})\/(\d{1,5})(s|m|h)$/.exec(text)
  if (!match) return undefined
  const windowSeconds = Number(match[2]) * { s: 1, m: 60, h: 3600 }[match[3] as 's' | 'm' | 'h']
  return windowSeconds >= 1 ? { requests: Number(match[1]), windowSeconds } : undefined
}

export const variables = {
  HTTP_PORT: variable({
    meaning: 'Port of the HTTP listener.',
    accepts: 'a port from 0 to 65535 (0 takes a free one)',
    default: '8080',
    parse: (text) => wholeNumber(text, 0, 65535),
  }),
  HTTPS_PORT: variable({
    meaning: 'Port of the HTTPS listener.',
    accepts: 'a port from 0 to 65535 (0 takes a free one), or off',
    default: '8443 (0 where HTTP_PORT is 0)',
    parse: (text) => (text === 'off' ? text : portText(text)),
  }),
  PUBLIC_HTTPS_PORT: variable({
    meaning:
      'Port by which visitors reach the HTTPS listener, where something leads from it to ours.',
    accepts: 'a port from 1 to 65535',
    default: '443 if PLATFORM_HOST is a public name, else HTTPS_PORT',
    parse: (text) => portText(text) || undefined,
  }),
  LISTEN_ADDRESS: variable({
    meaning: 'Address the listener binds.',
    accepts: 'an IP address or a host name',
    default: ':: (every address, IPv4 too)',
    parse: (text) => (/^[\w.:-]+$/.test(text) ? text : undefined),
  }),
  DATA_DIR: variable({
    meaning: 'Folder of the SQLite databases.',
    accepts: 'a folder',
    default: 'data beside the program',
    parse: (text) => resolve(text),
  }),
  DATABASE_URL: variable({
    meaning: 'PostgreSQL instead of SQLite.',
    accepts: 'postgres://user:password@host:port/database',
    default: 'SQLite in DATA_DIR',
    parse: (text) => (/^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '') ? text : undefined),
  }),
  BASE_URL: variable({
    meaning: 'Base address of production.',
    accepts: 'an http or https address that ends in /v1',
    default: 'http://localhost:8080/v1',
    parse: baseAddress,
  }),
  STAGING_BASE_URL: variable({
    meaning: 'Base address of staging.',
    accepts: 'an http or https address that ends in /v1',
    default: 'http://staging.localhost:8080/v1',
    parse: baseAddress,
  }),
  DASHBOARD_URL: variable({
    meaning: 'Address of the dashboard.',
    accepts: 'an http or https address',
    default: 'http://localhost:8080',
    parse: httpUrl,
  }),
  PLATFORM_HOST: variable({
    meaning: 'Host below which published projects are, each at a name of its own.',
    accepts: 'a host name such as docs.example.com, which nothing else uses',
    default: 'docs.localhost',
    parse: hostOf,
  }),
  PLATFORM_ADDRESSES: variable({
    meaning:
      'Public addresses at which published sites are served, for domains that cannot have a CNAME.',
    accepts: 'IP addresses separated by commas',
    default: 'those of PLATFORM_HOST',
    parse: (text) => list(text, (part) => isIP(part) > 0),
  }),
  PLATFORM_CERTIFICATE_FILE: variable({
    meaning:
      'Certificate with its chain for hosts of our own that it covers, such as a wildcard, instead of one for each.',
    accepts: 'a PEM file, which is read again when it changes',
    default: 'none',
    parse: (text) => resolve(text),
  }),
  PLATFORM_KEY_FILE: variable({
    meaning: 'Private key of the same.',
    accepts: 'a PEM file',
    default: 'none',
    parse: (text) => resolve(text),
  }),
  DNS_SERVERS: variable({
    meaning: 'Recursive resolvers that checks of domains ask.',
    accepts: 'addresses separated by commas, with a port if it is not 53, such as 192.0.2.1:5353',
    default: "the system's",
    parse: serverList,
  }),
  DNS_ROOTS: variable({
    meaning: 'Root servers at which walks through the DNS begin, on a closed network.',
    accepts: 'addresses separated by commas, with a port if it is not 53, such as 192.0.2.1:5353',
    default: "the internet's",
    parse: serverList,
  }),
  DNS_ALLOW: variable({
    meaning: 'Name servers that checks of domains may ask besides public ones.',
    accepts:
      'IP addresses or ranges separated by commas, with a port if it is not 53, such as 10.0.0.0/8:5353',
    default: 'none',
    parse: (text) => list(text, isAllowed),
  }),
  PROBE_ALLOW: variable({
    meaning:
      'Addresses that checks of domains may fetch from by HTTP besides public ones, and whose certificates they look at (PUBLIC_HTTPS_PORT).',
    accepts:
      'IP addresses or ranges separated by commas, with a port if it is not 80, such as 127.0.0.0/8:8080',
    default: 'none',
    parse: (text) => list(text, isAllowed),
  }),
  ACME_DIRECTORY: variable({
    meaning:
      'Certificate authority that issues certificates, by its ACME directory. Using one means agreeing to its terms.',
    accepts: 'an https address, or internal for one of our own that browsers do not know',
    default: "Let's Encrypt if PLATFORM_HOST is a public name, else internal",
    parse: acmeDirectory,
  }),
  ACME_FALLBACK_DIRECTORY: variable({
    meaning: 'Another authority, asked where the first one has failed twice.',
    accepts: 'an https address',
    default: 'none',
    parse: (text) => (text === 'internal' ? undefined : acmeDirectory(text)),
  }),
  ACME_EMAIL: variable({
    meaning: 'Where the authority writes to, about what concerns all certificates.',
    accepts: 'an e-mail address',
    default: 'none',
    parse: (text) => (/^[^\s@,]+@[^\s@,]+$/.test(text) ? text : undefined),
  }),
  ACME_CA_FILE: variable({
    meaning: "Roots by which the authority's own HTTPS is believed, besides the usual ones.",
    accepts: 'a PEM file',
    default: 'none',
    parse: (text) => resolve(text),
  }),
  ACME_EAB_KID: variable({
    meaning: 'Key id of the account at the authority that ours is bound to, where it asks for one.',
    accepts: 'what the authority gives',
    default: 'none',
    parse: (text) => text,
  }),
  ACME_EAB_KEY: variable({
    meaning: 'MAC key of the same.',
    accepts: 'base64url, as the authority gives it',
    default: 'none',
    parse: (text) => (/^[A-Za-z0-9_-]+=*$/.test(text) ? text : undefined),
  }),
  ACME_PROFILE: variable({
    meaning: "One of the authority's kinds of certificate, such as shortlived.",
    accepts: 'a name that its directory lists',
    default: "the authority's choice",
    parse: (text) => (/^[\w.-]{1,64}$/.test(text) ? text : undefined),
  }),
  FIRST_PROJECT: variable({
    meaning: "Whether the store's own documentation is published as the first project.",
    accepts: 'on or off',
    default: 'on',
    parse: (text) => (text === 'on' || text === 'off' ? text : undefined),
  }),
  WORKERS: variable({
    meaning: 'Processes that share the port.',
    accepts: 'a number from 1 to 64',
    default: 'the number of cores',
    parse: (text) => wholeNumber(text, 1, 64) || undefined,
  }),
  RATE_LIMIT: variable({
    meaning: 'Requests a key may make, unless the key has a limit of its own.',
    accepts: 'requests/window, such as 600/60s, 100/1m or 5000/1h',
    default: 'off',
    parse: parseRateLimit,
  }),
  CORS_ORIGINS: variable({
    meaning: 'Origins whose pages may call the API from a browser.',
    accepts: 'origins separated by commas, such as https://shop.example.com',
    default: 'none',
    parse: (text) => list(text, (origin) => URL.parse(origin)?.origin === origin),
  }),
  TRUSTED_PROXIES: variable({
    meaning: 'Proxies whose X-Forwarded-For is believed.',
    accepts: 'IP addresses or ranges separated by commas, such as 10.0.0.0/8',
    default: 'none',
    parse: (text) => list(text, isAddressOrRange),
  }),
  METRICS_ALLOW: variable({
    meaning: 'Who may read /metrics besides this machine.',
    accepts: 'IP addresses or ranges separated by commas, such as 10.0.0.0/8',
    default: 'none',
    parse: (text) => list(text, isAddressOrRange),
  }),
  SECRET_KEY: variable({
    meaning: 'Encrypts secrets at rest. The same on every node.',
    accepts:
      '32 bytes in base64 (openssl rand -base64 32); older keys may follow, separated by commas',
    default: 'a file that is made in DATA_DIR',
    parse: (text) => {
      const keys = text.split(',').map((part) => parseSecretKey(part.trim()))
      return keys.every((key) => key !== undefined) ? keys : undefined
    },
  }),
  WEBHOOK_ALLOW: variable({
    meaning:
      'Addresses that webhooks may go to besides public ones, by plain HTTP and any port, too.',
    accepts: 'IP addresses or ranges separated by commas, such as 10.0.0.0/8',
    default: 'none',
    parse: (text) => list(text, isAddressOrRange),
  }),
  SMTP_URL: variable({
    meaning: 'Server that mail to owners of domains is sent through.',
    accepts: 'smtp://user:password@host:port (STARTTLS) or smtps://…',
    default: 'none: no mail is sent',
    parse: readSmtpUrl,
  }),
  MAIL_FROM: variable({
    meaning: 'Sender of that mail.',
    accepts: 'an e-mail address, alone or as Name <address>',
    default: "Animal Store <no-reply@…> with the dashboard's host",
    parse: (text) => (isMailFrom(text) ? text : undefined),
  }),
  PROJECT_WEBHOOK_ALLOW: variable({
    meaning: 'The same for webhooks of projects, which every owner of a project can set.',
    accepts: 'IP addresses or ranges separated by commas, such as 10.0.0.0/8',
    default: 'none',
    parse: (text) => list(text, isAddressOrRange),
  }),
  LOG_LEVEL: variable({
    meaning: 'The least that is logged; debug adds every successful read.',
    accepts: logLevels.join(', '),
    default: 'info',
    parse: (text) => logLevels.find((level) => level === text),
  }),
}

const mailFrom = (dashboard: URL | undefined): string =>
  `Animal Store <no-reply@${dashboard?.hostname ?? 'localhost'}>`

type Values = {
  [K in keyof typeof variables]: ReturnType<(typeof variables)[K]['parse']> | undefined
}

/** Where the program lies; what is not configured is looked for here, wherever it is called from. */
export const projectRoot = resolve(import.meta.dirname, '../../..')

const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory'

/** Reads and checks the environment. Throws ConfigError at the first variable that does not fit. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const values: Record<string, unknown> = {}
  for (const [name, { accepts, parse }] of Object.entries(variables)) {
    const text = env[name]
    if (text === undefined || text === '') continue
    values[name] = parse(text)
    if (values[name] === undefined) {
      const isSecret = ['DATABASE_URL', 'SECRET_KEY', 'ACME_EAB_KEY', 'SMTP_URL'].includes(name)
      const shown = isSecret ? 'what it was given' : JSON.stringify(text)
      throw new ConfigError(`${name} cannot be ${shown}: it accepts ${accepts}.`)
    }
  }
  const v = values as Values
  const httpPort = v.HTTP_PORT ?? 8080
  const here = httpPort === 80 ? '' : `:${httpPort}`
  const httpsPort = v.HTTPS_PORT ?? (httpPort === 0 ? 0 : 8443)
  const platformHost = v.PLATFORM_HOST ?? 'docs.localhost'
  const isPublic = !isPrivateName(platformHost)
  const config: Config = {
    httpPort,
    httpsPort: httpsPort === 'off' ? undefined : httpsPort,
    publicHttpsPort: v.PUBLIC_HTTPS_PORT ?? (isPublic || httpsPort === 'off' ? 443 : httpsPort),
    listenAddress: v.LISTEN_ADDRESS ?? '::',
    dataDir: v.DATA_DIR ?? join(projectRoot, 'data'),
    databaseUrl: v.DATABASE_URL,
    baseUrl: v.BASE_URL ?? new URL(`http://localhost${here}/v1`),
    stagingBaseUrl: v.STAGING_BASE_URL ?? new URL(`http://staging.localhost${here}/v1`),
    dashboardUrl: v.DASHBOARD_URL ?? new URL(`http://localhost${here}`),
    platformHost,
    platformAddresses: v.PLATFORM_ADDRESSES ?? [],
    ownCertificate:
      v.PLATFORM_CERTIFICATE_FILE !== undefined && v.PLATFORM_KEY_FILE !== undefined
        ? { chainFile: v.PLATFORM_CERTIFICATE_FILE, keyFile: v.PLATFORM_KEY_FILE }
        : undefined,
    dnsServers: v.DNS_SERVERS ?? [],
    dnsRoots: v.DNS_ROOTS ?? [],
    dnsAllow: v.DNS_ALLOW ?? [],
    probeAllow: v.PROBE_ALLOW ?? [],
    firstProject: v.FIRST_PROJECT !== 'off',
    workers: v.WORKERS ?? availableParallelism(),
    rateLimit: v.RATE_LIMIT,
    corsOrigins: v.CORS_ORIGINS ?? [],
    trustedProxies: v.TRUSTED_PROXIES ?? [],
    metricsAllow: v.METRICS_ALLOW ?? [],
    secretKeys: v.SECRET_KEY ?? [],
    webhookAllow: v.WEBHOOK_ALLOW ?? [],
    projectWebhookAllow: v.PROJECT_WEBHOOK_ALLOW ?? [],
    mail: v.SMTP_URL && { ...v.SMTP_URL, from: v.MAIL_FROM ?? mailFrom(v.DASHBOARD_URL) },
    acme: {
      directory: v.ACME_DIRECTORY ?? (isPublic ? letsEncrypt : 'internal'),
      fallbackDirectory: v.ACME_FALLBACK_DIRECTORY,
      email: v.ACME_EMAIL,
      caFile: v.ACME_CA_FILE,
      eabKeyId: v.ACME_EAB_KID,
      eabMacKey: v.ACME_EAB_KEY,
      profile: v.ACME_PROFILE,
    },
    logLevel: v.LOG_LEVEL ?? 'info',
  }
  if ((v.ACME_EAB_KID === undefined) !== (v.ACME_EAB_KEY === undefined)) {
    throw new ConfigError('ACME_EAB_KID and ACME_EAB_KEY go together: give both, or neither.')
  }
  if ((v.PLATFORM_CERTIFICATE_FILE === undefined) !== (v.PLATFORM_KEY_FILE === undefined)) {
    throw new ConfigError(
      'PLATFORM_CERTIFICATE_FILE and PLATFORM_KEY_FILE go together: give both, or neither.',
    )
  }
  const place = (url: URL): string => url.hostname + url.pathname
  if (place(config.baseUrl) === place(config.stagingBaseUrl)) {
    throw new ConfigError(
      'STAGING_BASE_URL cannot be the same address as BASE_URL: give it a host of its own.',
    )
  }
  if (ownHostsOf(config).includes(config.platformHost)) {
    throw new ConfigError(
      `PLATFORM_HOST cannot be ${config.platformHost}: that host is used already. Give it one of its own.`,
    )
  }
  return config
}
