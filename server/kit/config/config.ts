// The configuration: the environment variables as one checked Config. Only the command line reads it (loadConfig, with the
// .env file) and passes it on; variables.ts lists what can be set.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { getDomain } from 'tldts'
import { findNearMiss } from '../schema/near-miss.ts'
import { loopbackHost } from './parse-variable.ts'
import { type Values, variables } from './variables.ts'

export type Config = ReturnType<typeof readConfig>

/** An invalid variable. The message is one line and names the variable, its value and what it accepts. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** The hosts of the API and the dashboard; the hosts below `platformHost` are not among them. */
export function ownHostsOf(
  config: Record<'baseUrl' | 'dashboardUrl' | 'stagingBaseUrl', URL>,
): string[] {
  const { baseUrl, dashboardUrl, stagingBaseUrl } = config
  return [baseUrl, stagingBaseUrl, dashboardUrl].map(({ hostname }) => hostname)
}

/** What is allowed but unsafe, a sentence each with its fix. */
export function findConfigWarnings({
  dashboardUrl,
  platformHost,
}: Pick<Config, 'dashboardUrl' | 'platformHost'>): string[] {
  const siteOf = (host: string) => getDomain(host, { allowPrivateDomains: true })
  const site = siteOf(platformHost)
  if (site === null || site !== siteOf(dashboardUrl.hostname)) return []
  return [
    `PLATFORM_HOST (${platformHost}) and the dashboard (${dashboardUrl.hostname}) share the domain ${site}: browsers treat published sites as the dashboard's own site, and they can set cookies for it. Use another domain for PLATFORM_HOST.`,
  ]
}

/** Variables that are nearly a setting, which nobody reads, a sentence each. */
export function findMisspeltSettings(env: Record<string, string | undefined>): string[] {
  const names = Object.keys(variables)
  return Object.keys(env).flatMap((name) => {
    const near = names.includes(name) ? undefined : findNearMiss(name, names)
    return near === undefined ? [] : `${name} is not a setting; did you mean ${near}?`
  })
}

/** The port by which visitors reach HTTPS; undefined while it is off. */
export function visitorsHttpsPort({
  httpsPort,
  publicHttpsPort,
}: Pick<Config, 'httpsPort' | 'publicHttpsPort'>): number | undefined {
  return httpsPort === undefined ? undefined : publicHttpsPort
}

/** The default of LISTEN_ADDRESS while all hosts are names of this machine. */
export const localOnly = '127.0.0.1'

/** The program's folder. Default paths are relative to it, not to the working directory. */
export const projectRoot = resolve(import.meta.dirname, '../../..')

const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory'

const mailFrom = (dashboard: URL | undefined): string =>
  `Animal Store <no-reply@${dashboard?.hostname ?? 'localhost'}>`

/** Names without an owner, which no public authority certifies (RFC 6761, RFC 2606, ICANN's internal). */
export const privateSuffixes: readonly string[] = [
  ...['localhost', 'test', 'example', 'invalid', 'local', 'internal', 'home.arpa'],
]
/** Such a name need not be in DNS. */
export const isPrivateName = (host: string): boolean =>
  !host.includes('.') || privateSuffixes.some((suffix) => host.endsWith(`.${suffix}`))

/** An OpenID Connect provider by which people can sign in. */
export type IdentityProviderSettings = NonNullable<ReturnType<typeof readIdentityProvider>>

/** Issuers that stand for every tenant: anyone with an account at Microsoft could sign in. */
const sharedTenant = /^https:\/\/login\.microsoftonline\.com\/(common|organizations|consumers)\//

function readIdentityProvider(provider: Values['OIDC_URL'], trustedRoots: string | undefined) {
  if (!provider) return undefined
  if (sharedTenant.test(provider.issuer.href)) {
    throw new ConfigError(
      `OIDC_URL cannot have ${provider.issuer.href}: it stands for every organisation. Give the address of your tenant.`,
    )
  }
  return { ...provider, trustedRoots }
}

/** Throws ConfigError when the file cannot be read, or has no certificate. */
function readRoots(file: string): string {
  try {
    const text = readFileSync(file, 'utf8')
    new X509Certificate(text)
    return text
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code
    throw new ConfigError(`CA_FILE cannot be ${file} (${reason}): it accepts a PEM file.`)
  }
}

/** One click at DNS providers (Domain Connect). */
export type DomainConnectSettings = Config['domainConnect']

/** Where large files of sites are stored instead of in the database. */
export type ObjectStorageSettings = NonNullable<ReturnType<typeof readObjectStorage>>

function readObjectStorage({ OBJECT_STORAGE_MOVE, OBJECT_STORAGE_URL: bucket }: Values) {
  /** `back`: the files return to the database. `off`: the bucket is only read. */
  const move: 'out' | 'back' | 'off' = OBJECT_STORAGE_MOVE ?? 'out'
  return bucket && { ...bucket, move }
}

/** Settings of earlier versions, by the one that their values belong to now. */
export const formerVariables: Partial<Record<keyof typeof variables, readonly string[]>> = {
  OIDC_URL: [
    ...['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_NAME'],
    ...['OIDC_EMAIL_DOMAINS', 'OIDC_CREATE_ACCOUNTS'],
  ],
  CA_FILE: ['OIDC_CA_FILE', 'ACME_CA_FILE', 'DOMAIN_CONNECT_CA_FILE'],
  OBJECT_STORAGE_URL: [
    ...['OBJECT_STORAGE_REGION', 'OBJECT_STORAGE_ACCESS_KEY', 'OBJECT_STORAGE_SECRET_KEY'],
    ...['OBJECT_STORAGE_TAKE_OVER'],
  ],
  DOMAIN_CONNECT_TEMPLATE: [
    ...['DOMAIN_CONNECT_PROVIDER_ID', 'DOMAIN_CONNECT_SERVICE_ID', 'DOMAIN_CONNECT_KEY_DOMAIN'],
  ],
  CHECK_ALLOW: ['DOMAIN_CONNECT_ALLOW', 'DNS_ALLOW', 'PROBE_ALLOW'],
  ACME_DIRECTORY: ['ACME_FALLBACK_DIRECTORY'],
  ACME_EAB: ['ACME_EAB_KID', 'ACME_EAB_KEY'],
  PLATFORM_CERTIFICATE_FILE: ['PLATFORM_KEY_FILE'],
  SMTP_URL: ['MAIL_FROM'],
}

const secrets: readonly string[] = [
  ...['DATABASE_URL', 'SECRET_KEY', 'ACME_EAB', 'SMTP_URL', 'OIDC_URL', 'OBJECT_STORAGE_URL'],
]

/** Reads and checks the environment. Throws ConfigError for the first invalid variable. */
export function readConfig(env: Record<string, string | undefined>) {
  const values: Record<string, unknown> = {}
  for (const [name, { accepts, parse }] of Object.entries(variables)) {
    const former = formerVariables[name as keyof typeof variables]?.find((each) => env[each])
    if (former !== undefined)
      throw new ConfigError(
        `${former} is no longer a setting: its value is part of ${name}, which accepts ${accepts}.`,
      )
    const text = env[name]
    if (text === undefined || text === '') continue
    values[name] = parse(text)
    if (values[name] === undefined) {
      const shown = secrets.includes(name) ? 'what it was given' : JSON.stringify(text)
      throw new ConfigError(`${name} cannot be ${shown}: it accepts ${accepts}.`)
    }
  }
  const v = values as Values
  /** PEM of roots that are trusted in addition to the system's. */
  const trustedRoots = v.CA_FILE === undefined ? undefined : readRoots(v.CA_FILE)
  const httpPort = v.HTTP_PORT ?? 8080
  const here = httpPort === 80 ? '' : `:${httpPort}`
  const httpsPort = v.HTTPS_PORT ?? (httpPort === 0 ? 0 : 8443)
  const platformHost = v.PLATFORM_HOST ?? 'docs.localhost'
  const isPublic = !isPrivateName(platformHost)
  const config = {
    httpPort,
    /** Undefined: there is no HTTPS listener. */
    httpsPort: httpsPort === 'off' ? undefined : httpsPort,
    /** The port by which clients reach the HTTPS listener. */
    publicHttpsPort: v.PUBLIC_HTTPS_PORT ?? (isPublic || httpsPort === 'off' ? 443 : httpsPort),
    dataDir: v.DATA_DIR ?? join(projectRoot, 'data'),
    databaseUrl: v.DATABASE_URL,
    databaseTimeoutMs: v.DATABASE_TIMEOUT_MS,
    databaseConnections: v.DATABASE_CONNECTIONS,
    /** Undefined: no scheduled backups by this process. */
    backups:
      v.BACKUP_DIR === undefined
        ? undefined
        : {
            folder: v.BACKUP_DIR,
            everyMs: v.BACKUP_EVERY ?? 86_400_000,
            /** How many are kept. */
            keep: v.BACKUP_KEEP ?? 14,
          },
    /** Undefined: all files are in the database. */
    objectStorage: readObjectStorage(v),
    minFreeBytes: (v.MIN_FREE_DISK ?? 512) * 1024 * 1024,
    baseUrl: v.BASE_URL ?? new URL(`http://localhost${here}/v1`),
    stagingBaseUrl: v.STAGING_BASE_URL ?? new URL(`http://staging.localhost${here}/v1`),
    dashboardUrl: v.DASHBOARD_URL ?? new URL(`http://localhost${here}`),
    /** Each project has a subdomain of it. */
    platformHost,
    /** Addresses that sites are served at; those of `platformHost` by default. */
    platformAddresses: v.PLATFORM_ADDRESSES ?? [],
    /** The operator's certificate for the platform's hosts, instead of one for each. */
    ownCertificate: v.PLATFORM_CERTIFICATE_FILE,
    /** Recursive resolvers; the system's by default. */
    dnsServers: v.DNS_SERVERS ?? [],
    /** Root servers for DNS walks; the internet's by default. */
    dnsRoots: v.DNS_ROOTS ?? [],
    dnsAllow: v.CHECK_ALLOW?.dns ?? [],
    probeAllow: v.CHECK_ALLOW?.http ?? [],
    /** Whether the store's own documentation is published as the first project. */
    firstProject: v.FIRST_PROJECT !== 'off',
    /** How long a preview exists after the last deploy to it. */
    previewAgeMs: v.PREVIEW_AGE ?? 30 * 86_400_000,
    workers: v.WORKERS ?? availableParallelism(),
    drainSeconds: v.DRAIN_SECONDS ?? 0,
    rateLimit: v.RATE_LIMIT,
    secondFactor: v.REQUIRE_SECOND_FACTOR ?? 'off',
    /** Undefined: nobody signs in by a provider. */
    identityProvider: readIdentityProvider(v.OIDC_URL, trustedRoots),
    corsOrigins: v.CORS_ORIGINS ?? [],
    trustedProxies: v.TRUSTED_PROXIES ?? [],
    metricsAllow: v.METRICS_ALLOW ?? [],
    /** 32 bytes each; the first encrypts. */
    secretKeys: v.SECRET_KEY ?? [],
    webhookAllow: v.WEBHOOK_ALLOW ?? [],
    /** The same for webhooks of projects, whose owners need not be operators. */
    projectWebhookAllow: v.PROJECT_WEBHOOK_ALLOW ?? [],
    /** Undefined: no mail is sent. */
    mail: v.SMTP_URL && { ...v.SMTP_URL, from: v.SMTP_URL.from ?? mailFrom(v.DASHBOARD_URL) },
    acme: {
      /** `internal` is a built-in authority that browsers do not trust. */
      directory: v.ACME_DIRECTORY?.[0] ?? (isPublic ? letsEncrypt : 'internal'),
      /** Used when the first one fails repeatedly. */
      fallbackDirectory: v.ACME_DIRECTORY?.[1],
      email: v.ACME_EMAIL,
      trustedRoots,
      /** External account binding (RFC 8555, section 7.3.4). */
      binding: v.ACME_EAB,
      profile: v.ACME_PROFILE,
    },
    domainConnect: {
      /** The template of this installation; undefined while the operator has not configured one. */
      template: v.DOMAIN_CONNECT_TEMPLATE,
      /** In addition to the known ones. */
      providers: v.DOMAIN_CONNECT_PROVIDERS ?? [],
      /** Addresses and ranges that are asked in addition to public ones. */
      allow: v.CHECK_ALLOW?.connect ?? [],
      trustedRoots,
    },
    logLevel: v.LOG_LEVEL ?? 'info',
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
  // An installation that only this machine can name offers its network nothing.
  const isLocal = [...ownHostsOf(config), platformHost].every((host) => loopbackHost.test(host))
  return { ...config, listenAddress: v.LISTEN_ADDRESS ?? (isLocal ? localOnly : '::') }
}

/** Such as `1.0.0`. Reads a file. */
export function readProgramVersion(): string {
  return String(JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')).version)
}
