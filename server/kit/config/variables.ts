// The environment variables of the configuration: what each means and accepts, its default, and how it is parsed.
// A test compares the table in docs/configuration.md with `variables`.
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { logLevels } from '../log.ts'
import { readSmtpUrl } from '../mail/mail-config.ts'
import { parseSecretKey } from '../secret-key-file.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { domainConnectVariables } from './domain-connect-variables.ts'
import {
  acmeDirectory,
  baseAddress,
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
  type Variable,
  wholeNumber,
} from './parse-variable.ts'

// The environment variables of the object storage, a part of variables.ts.

const objectStorageVariables = {
  OBJECT_STORAGE_URL: {
    accepts:
      'the http or https address of the bucket (path-style), such as https://ACCESS:SECRET@s3.example.com/bucket, percent-encoded, with a prefix if needed; then ?region= if it is not us-east-1, and take_over= with the id of another installation that no longer runs, from the log or animal-store doctor, to take the bucket over from it',
    parse: bucketOf,
  },
  OBJECT_STORAGE_MOVE: {
    accepts: 'out, back or off',
    parse: (text) => (text === 'out' || text === 'back' || text === 'off' ? text : undefined),
  },
} satisfies Record<string, Variable>

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

const secondFactorRules = ['off', 'operators', 'all'] as const
/** Whose sessions need a second factor. */
export type SecondFactorRule = (typeof secondFactorRules)[number]

const addressRanges = {
  accepts: 'IP addresses or ranges separated by commas, such as 10.0.0.0/8',
  parse: (text: string) => list(text, isAddressOrRange),
}
const apiAddress = {
  accepts: 'an http or https address that ends in /v1',
  parse: baseAddress,
}
const dnsServers = {
  accepts: 'addresses separated by commas, with a port if it is not 53, such as 192.0.2.1:5353',
  parse: serverList,
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

export const variables = {
  HTTP_PORT: {
    accepts: 'a port from 0 to 65535 (0 takes a free one)',
    parse: (text) => wholeNumber(text, 0, 65535),
  },
  HTTPS_PORT: {
    accepts: 'a port from 0 to 65535 (0 takes a free one), or off',
    parse: (text) => (text === 'off' ? text : portText(text)),
  },
  PUBLIC_HTTPS_PORT: {
    accepts: 'a port from 1 to 65535',
    parse: (text) => portText(text) || undefined,
  },
  LISTEN_ADDRESS: {
    accepts: 'an IP address or a host name',
    parse: (text) => (/^[\w.:-]+$/.test(text) ? text : undefined),
  },
  DATA_DIR: {
    accepts: 'a folder',
    parse: (text) => resolve(text),
  },
  DATABASE_URL: {
    accepts:
      'postgres://user:password@host:port/database, with several hosts separated by commas, target_session_attrs and sslmode if needed',
    parse: (text) => (parseDatabaseUrl(text) ? text : undefined),
  },
  DATABASE_CONNECTIONS: {
    accepts: 'a number from 8 to 400',
    parse: (text) => wholeNumber(text, 8, 400),
  },
  DATABASE_TIMEOUT_MS: {
    accepts: 'milliseconds from 500 to 60000',
    parse: (text) => wholeNumber(text, 500, 60_000),
  },
  BACKUP_DIR: {
    accepts: 'a folder, which is created with mode 0700',
    parse: (text) => resolve(text),
  },
  BACKUP_EVERY: {
    accepts: 'hours or days from 1h to 31d, such as 6h',
    parse: hoursOrDays,
  },
  BACKUP_KEEP: {
    accepts: 'a number from 1 to 10000',
    parse: (text) => wholeNumber(text, 1, 10_000),
  },
  ...objectStorageVariables,
  MIN_FREE_DISK: {
    accepts: 'megabytes from 0 (off) to 100000000',
    parse: (text) => wholeNumber(text, 0, 100_000_000),
  },
  BASE_URL: apiAddress,
  STAGING_BASE_URL: apiAddress,
  DASHBOARD_URL: {
    accepts: 'an http or https address',
    parse: httpUrl,
  },
  PLATFORM_HOST: {
    accepts: 'a host name such as docs.example.com, which nothing else uses',
    parse: hostOf,
  },
  PLATFORM_ADDRESSES: {
    accepts: 'IP addresses separated by commas',
    parse: (text) => list(text, (part) => isIP(part) > 0),
  },
  PLATFORM_CERTIFICATE_FILE: {
    accepts: 'two PEM files separated by a comma, or one with both; read again when they change',
    parse: (text) => {
      const [chain = '', key = chain, ...more] = text.split(',').map((part) => part.trim())
      const isComplete = chain !== '' && key !== '' && more.length === 0
      return isComplete ? { chainFile: resolve(chain), keyFile: resolve(key) } : undefined
    },
  },
  CA_FILE: {
    accepts: 'a PEM file',
    parse: (text) => resolve(text),
  },
  DNS_SERVERS: dnsServers,
  DNS_ROOTS: dnsServers,
  CHECK_ALLOW: {
    accepts:
      'dns:, http: or connect: with an IP address or range each, separated by commas; dns: and http: with a port if it is not 53 or 80, such as dns:10.0.0.0/8:5353,http:127.0.0.0/8:8080',
    parse: allowedByKind,
  },
  ACME_DIRECTORY: {
    accepts:
      'one or two https addresses separated by a comma, or internal for a built-in one that browsers do not trust',
    parse: (text) => {
      const urls = text.split(',').map((part) => acmeDirectory(part.trim()))
      const isInternal = urls.length === 1 && urls[0] === 'internal'
      const arePublic = urls.every((url) => url !== undefined && url !== 'internal')
      return isInternal || (arePublic && urls.length <= 2) ? (urls as string[]) : undefined
    },
  },
  ACME_EMAIL: {
    accepts: 'an e-mail address',
    parse: (text) => (/^[^\s@,]+@[^\s@,]+$/.test(text) ? text : undefined),
  },
  ACME_EAB: {
    accepts: 'KID:KEY as the authority gives them, the key in base64url',
    parse: (text) => {
      const [, keyId = '', macKey = ''] = /^(.+):([A-Za-z0-9_-]+=*)$/.exec(text) ?? []
      return keyId === '' ? undefined : { keyId, macKey }
    },
  },
  ACME_PROFILE: {
    accepts: 'a name that its directory lists',
    parse: (text) => (/^[\w.-]{1,64}$/.test(text) ? text : undefined),
  },
  ...domainConnectVariables,
  FIRST_PROJECT: {
    accepts: 'on or off',
    parse: (text) => (text === 'on' || text === 'off' ? text : undefined),
  },
  PREVIEW_AGE: {
    accepts: 'hours or days from 1h to 31d, such as 12h',
    parse: hoursOrDays,
  },
  WORKERS: {
    accepts: 'a number from 1 to 64',
    parse: (text) => wholeNumber(text, 1, 64) || undefined,
  },
  DRAIN_SECONDS: {
    accepts: 'seconds from 0 to 300',
    parse: (text) => wholeNumber(text, 0, 300),
  },
  RATE_LIMIT: {
    accepts: 'requests/window, such as 600/60s, 100/1m or 5000/1h',
    parse: parseRateLimit,
  },
  REQUIRE_SECOND_FACTOR: {
    accepts: 'off, operators or all',
    parse: (text) => secondFactorRules.find((rule) => rule === text),
  },
  OIDC_URL: {
    accepts:
      'the https address of the issuer without /.well-known (plain http for this machine only), such as https://ID:SECRET@id.example.com, percent-encoded; then, if needed, ?name= for the button, email_domains= with domains separated by commas, and create_accounts=on for people without account or invitation',
    parse: identityProvider,
  },
  CORS_ORIGINS: {
    accepts: 'origins separated by commas, such as https://shop.example.com',
    parse: (text) => list(text, (origin) => URL.parse(origin)?.origin === origin),
  },
  TRUSTED_PROXIES: addressRanges,
  METRICS_ALLOW: addressRanges,
  SECRET_KEY: {
    accepts:
      '32 bytes in base64 (openssl rand -base64 32); older keys may follow, separated by commas',
    parse: (text) => {
      const keys = text.split(',').map((part) => parseSecretKey(part.trim()))
      return keys.every((key) => key !== undefined) ? keys : undefined
    },
  },
  WEBHOOK_ALLOW: addressRanges,
  SMTP_URL: {
    accepts:
      "smtp://user:password@host:port (STARTTLS) or smtps://…, with ?from= and the percent-encoded sender if it is not Animal Store <no-reply@…> with the dashboard's host",
    parse: readSmtpUrl,
  },
  PROJECT_WEBHOOK_ALLOW: addressRanges,
  LOG_LEVEL: {
    accepts: logLevels.join(', '),
    parse: (text) => logLevels.find((level) => level === text),
  },
} satisfies Record<string, Variable>

/** The parsed values of the variables that are set. */
export type Values = {
  [K in keyof typeof variables]: ReturnType<(typeof variables)[K]['parse']> | undefined
}
