// The configuration: reads the environment (or a .env file) into a checked Config. Only main.ts and the commands
// read it; variables.ts lists what can be set.
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import type { LogLevel } from '../log.ts'
import type { MailConfig } from '../mail/mail-config.ts'
import { type HostPort, type RateLimit, type Values, variables } from './variables.ts'

/** How certificates are obtained. */
export interface AcmeConfig {
  /** The directory of an authority; `internal` for a built-in one that browsers do not trust. */
  directory: string
  /** Used when the first one fails repeatedly. */
  fallbackDirectory: string | undefined
  /** The contact address given to the authority. */
  email: string | undefined
  /** A PEM file of roots trusted for the authority's own HTTPS, in addition to the system's. */
  caFile: string | undefined
  /** External account binding (RFC 8555, section 7.3.4); both or neither. */
  eabKeyId: string | undefined
  eabMacKey: string | undefined
  /** One of the certificate profiles that the authority offers. */
  profile: string | undefined
}

export interface Config {
  httpPort: number
  /** Undefined: there is no HTTPS listener. */
  httpsPort: number | undefined
  /** The port by which clients reach the HTTPS listener. */
  publicHttpsPort: number
  listenAddress: string
  dataDir: string
  databaseUrl: string | undefined
  baseUrl: URL
  stagingBaseUrl: URL
  dashboardUrl: URL
  /** Each project has a host of its own below it. */
  platformHost: string
  /** Addresses that sites are served at; looked up when there are none. */
  platformAddresses: string[]
  /** The operator's certificate for the platform's hosts, instead of one for each. */
  ownCertificate: { chainFile: string; keyFile: string } | undefined
  /** Recursive resolvers; the system's when there are none. */
  dnsServers: HostPort[]
  /** Root servers for DNS walks; the internet's when there are none. */
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
  /** Undefined: no mail is sent. */
  mail: MailConfig | undefined
  acme: AcmeConfig
  logLevel: LogLevel
}

/** An invalid variable. The message is one line and names the variable, its value and what it accepts. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** The hosts of the API and the dashboard; the hosts below `platformHost` are not among them. */
export function ownHostsOf({
  baseUrl,
  dashboardUrl,
  stagingBaseUrl,
}: Pick<Config, 'baseUrl' | 'dashboardUrl' | 'stagingBaseUrl'>): string[] {
  return [baseUrl, stagingBaseUrl, dashboardUrl].map(({ hostname }) => hostname)
}

/** The port by which visitors reach HTTPS; undefined while it is off. */
export function visitorsHttpsPort({
  httpsPort,
  publicHttpsPort,
}: Pick<Config, 'httpsPort' | 'publicHttpsPort'>): number | undefined {
  return httpsPort === undefined ? undefined : publicHttpsPort
}

/** The program's folder. Default paths are relative to it, not to the working directory. */
export const projectRoot = resolve(import.meta.dirname, '../../..')

const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory'

const mailFrom = (dashboard: URL | undefined): string =>
  `Animal Store <no-reply@${dashboard?.hostname ?? 'localhost'}>`

/** Names that no public authority certifies, because nobody owns them (RFC 6761, RFC 2606, ICANN's internal). */
const isPrivateName = (host: string): boolean =>
  !host.includes('.') || /\.(localhost|test|example|invalid|local|internal|home\.arpa)$/.test(host)

/** Reads and checks the environment. Throws ConfigError for the first invalid variable. */
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
