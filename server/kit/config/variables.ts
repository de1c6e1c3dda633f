// The environment variables of the configuration: what each accepts, and how it is parsed. A parser returns undefined for
// what it does not accept. docs/configuration.md has meanings and defaults: a test compares its table with `variables`.
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { logLevels } from '../log.ts'
import { readSmtpUrl } from '../mail/send-mail.ts'
import { parseSecretKey } from '../secrets.ts'
import { parseDatabaseUrl } from './database-url.ts'
import {
  acmeDirectory,
  baseAddress,
  every,
  hostOf,
  hoursOrDays,
  httpUrl,
  isAddressOrRange,
  isAllowed,
  list,
  loopbackHost,
  parseRateLimit,
  portText,
  serverList,
  urlWithLogin,
  wholeNumber,
} from './parse-variable.ts'

const setting = <T>(accepts: string, parse: (text: string) => T) => ({ accepts, parse })

/** Such as `a number from 1 to 64`. */
const numberOf = (what: string, min: number, max: number) =>
  setting(`${what} from ${min} to ${max}`, (text) => wholeNumber(text, min, max))
const oneOf = <Word extends string>(accepts: string, words: readonly Word[]) =>
  setting(accepts, (text) => words.find((word) => word === text))
const path = (accepts: string) => setting(accepts, (text) => resolve(text))
const age = (example: string) =>
  setting(`hours or days from 1h to 31d, such as ${example}`, hoursOrDays)

const secondFactorRules = ['off', 'operators', 'all'] as const
/** Whose sessions need a second factor. */
export type SecondFactorRule = (typeof secondFactorRules)[number]

const addressRanges = setting(
  'IP addresses or ranges separated by commas, such as 10.0.0.0/8',
  (text) => list(text, isAddressOrRange),
)
const apiAddress = setting('an http or https address that ends in /v1', baseAddress)
const dnsServers = setting(
  'addresses separated by commas, with a port if it is not 53, such as 192.0.2.1:5353',
  serverList,
)

export const variables = {
  HTTP_PORT: setting('a port from 0 to 65535 (0 takes a free one)', portText),
  HTTPS_PORT: setting('a port from 0 to 65535 (0 takes a free one), or off', (text) =>
    text === 'off' ? text : portText(text),
  ),
  PUBLIC_HTTPS_PORT: numberOf('a port', 1, 65535),
  LISTEN_ADDRESS: setting('an IP address or a host name', (text) =>
    /^[\w.:-]+$/.test(text) ? text : undefined,
  ),
  DATA_DIR: path('a folder'),
  DATABASE_URL: setting(
    'postgres://user:password@host:port/database, with several hosts separated by commas, target_session_attrs and sslmode if needed',
    (text) => (parseDatabaseUrl(text) ? text : undefined),
  ),
  DATABASE_CONNECTIONS: numberOf('a number', 8, 400),
  DATABASE_TIMEOUT_MS: numberOf('milliseconds', 500, 60_000),
  BACKUP_DIR: path('a folder, which is created with mode 0700'),
  BACKUP_EVERY: age('6h'),
  BACKUP_KEEP: numberOf('a number', 1, 10_000),
  OBJECT_STORAGE_URL: setting(
    'the http or https address of the bucket (path-style), such as https://ACCESS:SECRET@s3.example.com/bucket, percent-encoded, with a prefix if needed; then ?region= if it is not us-east-1, and take_over= with the id of another installation that no longer runs, from the log or animal-store doctor, to take the bucket over from it',
    bucketOf,
  ),
  OBJECT_STORAGE_MOVE: oneOf('out, back or off', ['out', 'back', 'off']),
  MIN_FREE_DISK: setting('megabytes from 0 (off) to 100000000', (text) =>
    wholeNumber(text, 0, 100_000_000),
  ),
  BASE_URL: apiAddress,
  STAGING_BASE_URL: apiAddress,
  DASHBOARD_URL: setting('an http or https address', httpUrl),
  PLATFORM_HOST: setting('a host name such as docs.example.com, which nothing else uses', hostOf),
  PLATFORM_ADDRESSES: setting('IP addresses separated by commas', (text) =>
    list(text, (part) => isIP(part) > 0),
  ),
  PLATFORM_CERTIFICATE_FILE: setting(
    'two PEM files separated by a comma, or one with both; read again when they change',
    (text) => {
      const [chain = '', key = chain, ...more] = text.split(',').map((part) => part.trim())
      const isComplete = chain !== '' && key !== '' && more.length === 0
      return isComplete ? { chainFile: resolve(chain), keyFile: resolve(key) } : undefined
    },
  ),
  CA_FILE: path('a PEM file'),
  DNS_SERVERS: dnsServers,
  DNS_ROOTS: dnsServers,
  CHECK_ALLOW: setting(
    'dns:, http: or connect: with an IP address or range each, separated by commas; dns: and http: with a port if it is not 53 or 80, such as dns:10.0.0.0/8:5353,http:127.0.0.0/8:8080',
    allowedByKind,
  ),
  ACME_DIRECTORY: setting(
    'one or two https addresses separated by a comma, or internal for a built-in one that browsers do not trust',
    (text) => {
      const urls = text.split(',').map((part) => acmeDirectory(part.trim()))
      const isInternal = urls.length === 1 && urls[0] === 'internal'
      const arePublic = urls.every((url) => url !== undefined && url !== 'internal')
      return isInternal || (arePublic && urls.length <= 2) ? (urls as string[]) : undefined
    },
  ),
  ACME_EMAIL: setting('an e-mail address', (text) =>
    /^[^\s@,]+@[^\s@,]+$/.test(text) ? text : undefined,
  ),
  ACME_EAB: setting('KID:KEY as the authority gives them, the key in base64url', (text) => {
    const [, keyId = '', macKey = ''] = /^(.+):([A-Za-z0-9_-]+=*)$/.exec(text) ?? []
    return keyId === '' ? undefined : { keyId, macKey }
  }),
  ACME_PROFILE: setting('a name that its directory lists', (text) =>
    /^[\w.-]{1,64}$/.test(text) ? text : undefined,
  ),
  DOMAIN_CONNECT_TEMPLATE: setting(
    'a domain of yours, such as example.com; then, if needed, /SERVICE in lower-case letters, digits and hyphens (docs by default), and @ with the domain of the key (the first one by default)',
    connectTemplate,
  ),
  DOMAIN_CONNECT_PROVIDERS: setting(
    'discovery=origin separated by commas: the value of their _domainconnect records, and the origin of their consent pages, such as connect.example.net/v1=https://dns.example.net',
    (text) => every(text.split(',').map(connectProvider)),
  ),
  FIRST_PROJECT: oneOf('on or off', ['on', 'off']),
  PREVIEW_AGE: age('12h'),
  WORKERS: numberOf('a number', 1, 64),
  DRAIN_SECONDS: numberOf('seconds', 0, 300),
  RATE_LIMIT: setting('requests/window, such as 600/60s, 100/1m or 5000/1h', parseRateLimit),
  REQUIRE_SECOND_FACTOR: oneOf('off, operators or all', secondFactorRules),
  OIDC_URL: setting(
    'the https address of the issuer without /.well-known (plain http for this machine only), such as https://ID:SECRET@id.example.com, percent-encoded; then, if needed, ?name= for the button, email_domains= with domains separated by commas, and create_accounts=on for people without account or invitation',
    identityProvider,
  ),
  CORS_ORIGINS: setting('origins separated by commas, such as https://shop.example.com', (text) =>
    list(text, (origin) => URL.parse(origin)?.origin === origin),
  ),
  TRUSTED_PROXIES: addressRanges,
  METRICS_ALLOW: addressRanges,
  SECRET_KEY: setting(
    '32 bytes in base64 (openssl rand -base64 32); older keys may follow, separated by commas',
    (text) => every(text.split(',').map((part) => parseSecretKey(part.trim()))),
  ),
  WEBHOOK_ALLOW: addressRanges,
  SMTP_URL: setting(
    "smtp://user:password@host:port (STARTTLS) or smtps://…, with ?from= and the percent-encoded sender if it is not Animal Store <no-reply@…> with the dashboard's host",
    readSmtpUrl,
  ),
  PROJECT_WEBHOOK_ALLOW: addressRanges,
  LOG_LEVEL: oneOf(logLevels.join(', '), logLevels),
}

/** The parsed values of the variables that are set. */
export type Values = {
  [K in keyof typeof variables]: ReturnType<(typeof variables)[K]['parse']> | undefined
}

function bucketOf(text: string) {
  const read = urlWithLogin(text, ['region', 'take_over'])
  // Only characters that signatures and servers encode alike.
  const url = read && httpUrl(read.address.href.replace(/\/+$/, ''))
  if (!url || !/^(\/[\w.-]+)+$/.test(url.pathname)) return undefined
  const { region = 'us-east-1', take_over: takeOver } = read.query
  const isId = takeOver === undefined || /^[0-9a-f]{16}$/.test(takeOver)
  if (!isId || !/^[\w-]{1,64}$/.test(region)) return undefined
  /** `url`: path-style, without a slash at the end. `takeOver`: the installation that owned the bucket before this one. */
  return { url, region, accessKey: read.user, secretKey: read.password, takeOver }
}

/** OpenID Connect Discovery 1.0, section 3. Plain HTTP never leaves this machine. */
function identityProvider(text: string) {
  const read = urlWithLogin(text, ['name', 'email_domains', 'create_accounts'])
  if (!read) return undefined
  const { address: issuer, password: clientSecret, query, user: clientId } = read
  const isSafe = issuer.protocol === 'https:' || loopbackHost.test(issuer.hostname)
  const {
    create_accounts: creation = 'off',
    email_domains: domains,
    name = issuer.hostname,
  } = query
  const emailDomains = domains?.split(',').map((part) => hostOf(part.trim())) ?? []
  const isValid =
    /^\P{Cc}{0,39}[^\p{Cc}\s]$/u.test(name) && (creation === 'on' || creation === 'off')
  if (!isSafe || !isValid || emailDomains.includes(undefined)) return undefined
  return {
    issuer,
    clientId,
    clientSecret,
    name: name.trim(),
    emailDomains: emailDomains as string[],
    createsAccounts: creation === 'on',
  }
}

function allowedByKind(text: string) {
  const allowed: Record<'dns' | 'http' | 'connect', string[]> = { dns: [], http: [], connect: [] }
  for (const part of text.split(',')) {
    const [, kind, entry = ''] = /^\s*(dns|http|connect):(\S+)\s*$/.exec(part) ?? []
    const isValid = kind === 'connect' ? isAddressOrRange(entry) : isAllowed(entry)
    if (kind === undefined || !isValid) return undefined
    allowed[kind as keyof typeof allowed].push(entry)
  }
  return allowed
}

/** A DNS provider whose consent pages the dashboard may open. */
export interface ConnectProvider {
  /** The value of its `_domainconnect` records: a host, with a port and a path if it has them. */
  discovery: string
  /** The origin of its consent pages. */
  consentOrigin: string
}

function connectTemplate(text: string) {
  const form = /^([^/@]{1,63})(?:\/([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?))?(?:@([^/@]+))?$/
  const [, provider = '', serviceId = 'docs', key = provider] = form.exec(text) ?? []
  const [providerId, keyDomain] = [provider, key].map((host) =>
    host.includes('.') ? hostOf(host) : undefined,
  )
  return providerId && keyDomain ? { providerId, serviceId, keyDomain } : undefined
}

function connectProvider(text: string): ConnectProvider | undefined {
  const [discovery = '', origin = '', ...more] = text.trim().split('=')
  const url = URL.parse(origin)
  const isHere = /^(localhost|127(\.\d+){3})$/.test(url?.hostname ?? '')
  // Plain HTTP never leaves this machine.
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)
  const isDiscovery = /^[a-z0-9.-]+(:\d{1,5})?(\/[\w.~-]+)*$/.test(discovery)
  if (!url || !isSafe || !isDiscovery || url.origin !== origin || more.length > 0) return undefined
  return { discovery, consentOrigin: origin }
}
