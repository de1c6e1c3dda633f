// The certificate authorities of this process: the configured one and an optional fallback. For each: a client, the
// account, and the identities that CAA records must name.
import { readFileSync } from 'node:fs'
import type { Clock } from '../../../platform/clock.ts'
import { type Config, ConfigError } from '../../../platform/config/config.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import {
  type AcmeAccount,
  type AcmeClient,
  closeAcmeClient,
  createAcmeClient,
  getDirectory,
} from '../../acme/requests/acme-client.ts'
import type { ChallengeType } from '../../acme/resources/authorizations.ts'
import type { PlatformFacts } from '../../domains/evidence/evidence.ts'
import { type AccountsContext, findAccountUrl, forgetAccount, getAccount } from './acme-accounts.ts'

/** Stands for the internal authority in place of a directory URL. */
export const internalDirectory = 'internal'

export interface Authorities {
  /** In order of preference: `internal` alone, or directory URLs. */
  directories: readonly string[]
  /** For any directory, configured or not. */
  clientOf(directory: string): AcmeClient
  /** The display name: its first CAA identity, such as `letsencrypt.org`, or its host. */
  nameOf(directory: string): string
  /** The account there, created if necessary. Throws AcmeProblem and AcmeNoResponse. */
  accountAt(directory: string): Promise<AcmeAccount>
  /** Deletes an account that the authority no longer knows. */
  forgetAccount(directory: string, account: AcmeAccount): Promise<void>
  /** Its identities in CAA records; undefined while its directory cannot be read. */
  identitiesOf(directory: string): Promise<string[] | undefined>
  /** The authorities that CAA records must allow, as far as known within two seconds. */
  forCaa(): Promise<PlatformFacts['authorities']>
  stop(): void
}

export interface AuthoritiesOptions {
  acme: Config['acme']
  clock: Clock
  database: Database
  secrets: Secrets
  methods: readonly ChallengeType[]
}

const userAgent = 'Animal-Store/0.1'
const directoryTimeoutMs = 2000
/** After a failure, the directory is not requested again for this long. */
const retryAfterMs = 60_000
const defaultIdentity = 'letsencrypt.org'

/** Throws ConfigError when ACME_CA_FILE cannot be read. */
export function openAuthorities({
  acme,
  clock,
  database,
  methods,
  secrets,
}: AuthoritiesOptions): Authorities {
  const { directory, eabKeyId, eabMacKey, email, fallbackDirectory } = acme
  const trustedRoots = acme.caFile === undefined ? undefined : readRoots(acme.caFile)
  const directories =
    directory === internalDirectory || !fallbackDirectory || fallbackDirectory === directory
      ? [directory]
      : [directory, fallbackDirectory]
  const context: AccountsContext = {
    database,
    clock,
    secrets,
    email,
    externalAccount:
      eabKeyId === undefined || eabMacKey === undefined
        ? undefined
        : { keyId: eabKeyId, macKey: eabMacKey },
  }
  const clients = new Map<string, AcmeClient>()
  const accounts = new Map<string, Promise<AcmeAccount>>()
  const identities = new Map<string, string[]>()
  const failedAt = new Map<string, number>()
  const stopping = new AbortController()

  function clientOf(url: string): AcmeClient {
    let client = clients.get(url)
    if (!client) {
      client = createAcmeClient({ directoryUrl: url, trustedRoots, userAgent, now: clock })
      clients.set(url, client)
    }
    return client
  }

  /** Does not throw. */
  async function fetchIdentities(url: string): Promise<void> {
    if (clock() - (failedAt.get(url) ?? Number.NEGATIVE_INFINITY) < retryAfterMs) return
    try {
      const signal = AbortSignal.timeout(directoryTimeoutMs)
      const { caaIdentities } = await getDirectory(clientOf(url), { signal })
      identities.set(
        url,
        caaIdentities.map((each) => each.toLowerCase()),
      )
    } catch {
      failedAt.set(url, clock())
    }
  }

  async function identitiesOf(url: string): Promise<string[] | undefined> {
    if (!identities.has(url)) await fetchIdentities(url)
    return identities.get(url)
  }

  return {
    directories,
    clientOf,
    nameOf: (url) => identities.get(url)?.[0] ?? URL.parse(url)?.hostname ?? url,
    accountAt(url) {
      // Concurrent callers share one request. A failure is not cached.
      let account = accounts.get(url)
      if (!account) {
        account = getAccount(context, clientOf(url), stopping.signal)
        accounts.set(url, account)
        account.catch(() => accounts.delete(url))
      }
      return account
    },
    async forgetAccount(url, account) {
      accounts.delete(url)
      await forgetAccount(database, { directory: url, url: account.url })
    },
    identitiesOf,
    async forCaa() {
      if (directory === internalDirectory) return []
      const all = await Promise.all(
        directories.map(async (url) => {
          const known = await identitiesOf(url)
          const accountUri = await findAccountUrl(database.read, url)
          const names = known ?? (url === directory ? [defaultIdentity] : [])
          return names.map((domain) => ({
            domain,
            ...(accountUri !== undefined && { accountUri }),
            methods: [...methods],
          }))
        }),
      )
      return all.flat()
    },
    stop() {
      stopping.abort()
      for (const client of clients.values()) closeAcmeClient(client)
    },
  }
}

function readRoots(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code
    throw new ConfigError(`ACME_CA_FILE cannot be ${file} (${reason}): it accepts a PEM file.`)
  }
}
