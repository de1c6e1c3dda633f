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
    meaning:
      'Bucket of an object storage with an S3 interface, for large files of sites, with its access key and secret key.',
    accepts:
      'the http or https address of the bucket (path-style), such as https://ACCESS:SECRET@s3.example.com/bucket, percent-encoded, with a prefix if needed; then ?region= if it is not us-east-1, and take_over= with the id of another installation that no longer runs, from the log or animal-store doctor, to take the bucket over from it',
    default: 'none: all files are in the database',
    parse: bucketOf,
  },
  OBJECT_STORAGE_MOVE: {
    meaning:
      'Whether large files are moved out of the database, or back into it before the object storage is turned off. With off, nothing is moved or deleted: for a copy of an installation. Set it to the same on all nodes.',
    accepts: 'out, back or off',
    default: 'out',
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
  default: 'none',
  parse: (text: string) => list(text, isAddressOrRange),
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
    meaning: 'Port of the HTTP listener.',
    accepts: 'a port from 0 to 65535 (0 takes a free one)',
    default: '8080',
    parse: (text) => wholeNumber(text, 0, 65535),
  },
  HTTPS_PORT: {
    meaning: 'Port of the HTTPS listener.',
    accepts: 'a port from 0 to 65535 (0 takes a free one), or off',
    default: '8443 (0 where HTTP_PORT is 0)',
    parse: (text) => (text === 'off' ? text : portText(text)),
  },
  PUBLIC_HTTPS_PORT: {
    meaning:
      'Port by which visitors reach the HTTPS listener, if it is forwarded from another one.',
    accepts: 'a port from 1 to 65535',
    default: '443 if PLATFORM_HOST is a public name, else HTTPS_PORT',
    parse: (text) => portText(text) || undefined,
  },
  LISTEN_ADDRESS: {
    meaning: 'Address the listener binds.',
    accepts: 'an IP address or a host name',
    default:
      ':: (every address, IPv4 too); 127.0.0.1 while all hosts below are names of this machine',
    parse: (text) => (/^[\w.:-]+$/.test(text) ? text : undefined),
  },
  DATA_DIR: {
    meaning: 'Folder of the SQLite databases.',
    accepts: 'a folder',
    default: 'data beside the program',
    parse: (text) => resolve(text),
  },
  DATABASE_URL: {
    meaning: 'PostgreSQL instead of SQLite.',
    accepts:
      'postgres://user:password@host:port/database, with several hosts separated by commas, target_session_attrs and sslmode if needed',
    default: 'SQLite in DATA_DIR',
    parse: (text) => (parseDatabaseUrl(text) ? text : undefined),
  },
  DATABASE_CONNECTIONS: {
    meaning:
      'Most connections to PostgreSQL of one process: four for writes, the others for reads.',
    accepts: 'a number from 8 to 400',
    default: '36',
    parse: (text) => wholeNumber(text, 8, 400),
  },
  DATABASE_TIMEOUT_MS: {
    meaning:
      'Longest wait of a request for the database; then a 503, or a 504 if its commit was sent.',
    accepts: 'milliseconds from 500 to 60000',
    default: '1400',
    parse: (text) => wholeNumber(text, 500, 60_000),
  },
  BACKUP_DIR: {
    meaning:
      'Folder for scheduled backups. Set it on one node, or to a folder that all nodes share.',
    accepts: 'a folder, which is created with mode 0700',
    default: 'none: no scheduled backups',
    parse: (text) => resolve(text),
  },
  BACKUP_EVERY: {
    meaning: 'Time between scheduled backups.',
    accepts: 'hours or days from 1h to 31d, such as 6h',
    default: '1d',
    parse: hoursOrDays,
  },
  BACKUP_KEEP: {
    meaning: 'Number of scheduled backups that are kept; older ones are deleted.',
    accepts: 'a number from 1 to 10000',
    default: '14',
    parse: (text) => wholeNumber(text, 1, 10_000),
  },
  ...objectStorageVariables,
  MIN_FREE_DISK: {
    meaning:
      'Free disk space below which uploads and deploys are refused, so that the store can always write.',
    accepts: 'megabytes from 0 (off) to 100000000',
    default: '512',
    parse: (text) => wholeNumber(text, 0, 100_000_000),
  },
  BASE_URL: {
    meaning: 'Base address of production.',
    accepts: 'an http or https address that ends in /v1',
    default: 'http://localhost:8080/v1',
    parse: baseAddress,
  },
  STAGING_BASE_URL: {
    meaning: 'Base address of staging.',
    accepts: 'an http or https address that ends in /v1',
    default: 'http://staging.localhost:8080/v1',
    parse: baseAddress,
  },
  DASHBOARD_URL: {
    meaning: 'Address of the dashboard.',
    accepts: 'an http or https address',
    default: 'http://localhost:8080',
    parse: httpUrl,
  },
  PLATFORM_HOST: {
    meaning: 'Host of the published projects: each has a subdomain of it.',
    accepts: 'a host name such as docs.example.com, which nothing else uses',
    default: 'docs.localhost',
    parse: hostOf,
  },
  PLATFORM_ADDRESSES: {
    meaning:
      'Public addresses at which published sites are served, for domains that cannot have a CNAME.',
    accepts: 'IP addresses separated by commas',
    default: 'those of PLATFORM_HOST',
    parse: (text) => list(text, (part) => isIP(part) > 0),
  },
  PLATFORM_CERTIFICATE_FILE: {
    meaning:
      "Certificate with its chain for the platform's hosts that it covers, such as a wildcard, instead of one for each, and its private key.",
    accepts: 'two PEM files separated by a comma, or one with both; read again when they change',
    default: 'none',
    parse: (text) => {
      const [chain = '', key = chain, ...more] = text.split(',').map((part) => part.trim())
      const isComplete = chain !== '' && key !== '' && more.length === 0
      return isComplete ? { chainFile: resolve(chain), keyFile: resolve(key) } : undefined
    },
  },
  CA_FILE: {
    meaning:
      "Roots that are trusted in addition to the system's, for the HTTPS of certificate authorities, of DNS providers (Domain Connect) and of the OpenID Connect provider.",
    accepts: 'a PEM file',
    default: 'none',
    parse: (text) => resolve(text),
  },
  DNS_SERVERS: {
    meaning: 'Recursive resolvers for checks of domains and for webhooks.',
    ...dnsServers,
    default: "the system's",
  },
  DNS_ROOTS: {
    meaning: 'Root servers for checks of domains on a closed network.',
    ...dnsServers,
    default: "the internet's",
  },
  CHECK_ALLOW: {
    meaning:
      'Addresses besides public ones: name servers that checks of domains may query (dns:), addresses from which they may fetch by HTTP and whose certificates they check (http:), and DNS providers that Domain Connect may ask on any port (connect:).',
    accepts:
      'dns:, http: or connect: with an IP address or range each, separated by commas; dns: and http: with a port if it is not 53 or 80, such as dns:10.0.0.0/8:5353,http:127.0.0.0/8:8080',
    default: 'none',
    parse: allowedByKind,
  },
  ACME_DIRECTORY: {
    meaning:
      'Certificate authority that issues certificates, by its ACME directory; a second one is used after two failures of the first. Using one means agreeing to its terms.',
    accepts:
      'one or two https addresses separated by a comma, or internal for a built-in one that browsers do not trust',
    default: "Let's Encrypt if PLATFORM_HOST is a public name, else internal",
    parse: (text) => {
      const urls = text.split(',').map((part) => acmeDirectory(part.trim()))
      const isInternal = urls.length === 1 && urls[0] === 'internal'
      const arePublic = urls.every((url) => url !== undefined && url !== 'internal')
      return isInternal || (arePublic && urls.length <= 2) ? (urls as string[]) : undefined
    },
  },
  ACME_EMAIL: {
    meaning: 'Contact address for the authority.',
    accepts: 'an e-mail address',
    default: 'none',
    parse: (text) => (/^[^\s@,]+@[^\s@,]+$/.test(text) ? text : undefined),
  },
  ACME_EAB: {
    meaning: 'Key id and MAC key for external account binding, if the authority requires it.',
    accepts: 'KID:KEY as the authority gives them, the key in base64url',
    default: 'none',
    parse: (text) => {
      const [, keyId = '', macKey = ''] = /^(.+):([A-Za-z0-9_-]+=*)$/.exec(text) ?? []
      return keyId === '' ? undefined : { keyId, macKey }
    },
  },
  ACME_PROFILE: {
    meaning: 'Certificate profile of the authority, such as shortlived.',
    accepts: 'a name that its directory lists',
    default: "the authority's choice",
    parse: (text) => (/^[\w.-]{1,64}$/.test(text) ? text : undefined),
  },
  ...domainConnectVariables,
  FIRST_PROJECT: {
    meaning: "Whether the store's own documentation is published as the first project.",
    accepts: 'on or off',
    default: 'on',
    parse: (text) => (text === 'on' || text === 'off' ? text : undefined),
  },
  PREVIEW_AGE: {
    meaning: 'How long a preview of a deploy exists after the last deploy to it.',
    accepts: 'hours or days from 1h to 31d, such as 12h',
    default: '30d',
    parse: hoursOrDays,
  },
  WORKERS: {
    meaning: 'Number of processes, which share the ports.',
    accepts: 'a number from 1 to 64',
    default: 'the number of cores',
    parse: (text) => wholeNumber(text, 1, 64) || undefined,
  },
  DRAIN_SECONDS: {
    meaning:
      'How long a process that was told to stop goes on serving, with /readyz at 503, so that a load balancer sees it.',
    accepts: 'seconds from 0 to 300',
    default: '0',
    parse: (text) => wholeNumber(text, 0, 300),
  },
  RATE_LIMIT: {
    meaning: 'Rate limit of API keys without their own limit.',
    accepts: 'requests/window, such as 600/60s, 100/1m or 5000/1h',
    default: 'off',
    parse: parseRateLimit,
  },
  REQUIRE_SECOND_FACTOR: {
    meaning: 'Who must sign in with a passkey or a one-time code.',
    accepts: 'off, operators or all',
    default: 'off',
    parse: (text) => secondFactorRules.find((rule) => rule === text),
  },
  OIDC_URL: {
    meaning:
      'OpenID Connect provider of the organisation, by which people can sign in, with the id and the secret of this installation there.',
    accepts:
      'the https address of the issuer without /.well-known (plain http for this machine only), such as https://ID:SECRET@id.example.com, percent-encoded; then, if needed, ?name= for the button, email_domains= with domains separated by commas, and create_accounts=on for people without account or invitation',
    default: 'none: no sign-in by a provider',
    parse: identityProvider,
  },
  CORS_ORIGINS: {
    meaning:
      "Origins whose pages may call the API from a browser. Staging also allows the first project's platform host.",
    accepts: 'origins separated by commas, such as https://shop.example.com',
    default: 'none',
    parse: (text) => list(text, (origin) => URL.parse(origin)?.origin === origin),
  },
  TRUSTED_PROXIES: {
    meaning: 'Proxies whose X-Forwarded-For is trusted.',
    ...addressRanges,
  },
  METRICS_ALLOW: {
    meaning: 'Clients that may read /metrics, in addition to this machine.',
    ...addressRanges,
  },
  SECRET_KEY: {
    meaning: 'Encrypts secrets at rest. The same on every node.',
    accepts:
      '32 bytes in base64 (openssl rand -base64 32); older keys may follow, separated by commas',
    default: 'a file that is created in DATA_DIR',
    parse: (text) => {
      const keys = text.split(',').map((part) => parseSecretKey(part.trim()))
      return keys.every((key) => key !== undefined) ? keys : undefined
    },
  },
  WEBHOOK_ALLOW: {
    meaning:
      'Addresses that webhooks may go to, in addition to public ones, also by plain HTTP and on any port.',
    ...addressRanges,
  },
  SMTP_URL: {
    meaning: 'Mail server for notices to owners of domains.',
    accepts:
      "smtp://user:password@host:port (STARTTLS) or smtps://…, with ?from= and the percent-encoded sender if it is not Animal Store <no-reply@…> with the dashboard's host",
    default: 'none: no mail is sent',
    parse: readSmtpUrl,
  },
  PROJECT_WEBHOOK_ALLOW: {
    meaning:
      'Like WEBHOOK_ALLOW, for webhooks of projects, which every owner of a project can set.',
    ...addressRanges,
  },
  LOG_LEVEL: {
    meaning: 'The least that is logged; debug adds every successful read.',
    accepts: logLevels.join(', '),
    default: 'info',
    parse: (text) => logLevels.find((level) => level === text),
  },
} satisfies Record<string, Variable>

/** The parsed values of the variables that are set. */
export type Values = {
  [K in keyof typeof variables]: ReturnType<(typeof variables)[K]['parse']> | undefined
}
