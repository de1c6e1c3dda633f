// The certificate authorities of this process: the configured one and an optional fallback. For each: a client, the
// account, and the identities that CAA records must name.

import { type AcmeAccount, type AcmeSession, getDirectory } from '#acme/requests/acme-client.ts'
import type { ChallengeType } from '#acme/resources/authorizations.ts'
import type { Clock } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import type { Secrets } from '#kit/secrets.ts'
import type { PlatformFacts } from '../../evidence/evidence.ts'
import { type AccountsContext, findAccountUrl, forgetAccount, getAccount } from './acme-accounts.ts'
import { createAuthorityClients, internalDirectory } from './authority-clients.ts'

export type Authorities = ReturnType<typeof openAuthorities>

interface AuthoritiesOptions {
  acme: Config['acme']
  clock: Clock
  database: Database
  secrets: Secrets
  methods: readonly ChallengeType[]
}

const directoryTimeoutMs = 2000
/** After a failure, the directory is not requested again for this long. */
const retryAfterMs = 60_000
const defaultIdentity = 'letsencrypt.org'

/** Throws ConfigError when ACME_CA_FILE cannot be read. */
export function openAuthorities({ acme, clock, database, methods, secrets }: AuthoritiesOptions) {
  const { binding, directory, email } = acme
  const { clientOf, close, directories } = createAuthorityClients(acme, clock)
  const context: AccountsContext = {
    database,
    clock,
    secrets,
    email,
    externalAccount: binding,
  }
  const accounts = new Map<string, Promise<AcmeAccount>>()
  const identities = new Map<string, string[]>()
  const failedAt = new Map<string, number>()
  const stopping = new AbortController()

  /** Does not throw. */
  async function fetchIdentities(url: string): Promise<void> {
    if (clock() - (failedAt.get(url) ?? Number.NEGATIVE_INFINITY) < retryAfterMs) return
    try {
      const signal = AbortSignal.timeout(directoryTimeoutMs)
      const { caaIdentities } = await getDirectory(clientOf(url), { signal })
      const names = caaIdentities.map((each) => each.toLowerCase())
      identities.set(url, names)
    } catch {
      failedAt.set(url, clock())
    }
  }

  /** Its identities in CAA records; undefined while its directory cannot be read. */
  async function identitiesOf(url: string): Promise<string[] | undefined> {
    if (!identities.has(url)) await fetchIdentities(url)
    return identities.get(url)
  }

  return {
    /** In order of preference: `internal` alone, or directory URLs. */
    directories,
    clientOf,
    /** The display name: its first CAA identity, such as `letsencrypt.org`, or its host. */
    nameOf: (url: string) => identities.get(url)?.[0] ?? URL.parse(url)?.hostname ?? url,
    /** The account there, created if necessary. Throws AcmeProblem and AcmeNoResponse. */
    accountAt(url: string): Promise<AcmeAccount> {
      // Concurrent callers share one request. A failure is not cached.
      let account = accounts.get(url)
      if (!account) {
        account = getAccount(context, clientOf(url), stopping.signal)
        accounts.set(url, account)
        account.catch(() => accounts.delete(url))
      }
      return account
    },
    /** Requests of the account with this URL, which is not created; undefined when there is no such account. */
    async sessionOf(url: string, accountUrl: string): Promise<AcmeSession | undefined> {
      if ((await findAccountUrl(database.read, url)) !== accountUrl) return undefined
      const account = await this.accountAt(url)
      return account.url === accountUrl ? { client: clientOf(url), account } : undefined
    },
    /** Deletes an account that the authority no longer knows. */
    async forgetAccount(directory: string, { url }: AcmeAccount) {
      accounts.delete(directory)
      await forgetAccount(database, { directory, url })
    },
    identitiesOf,
    /** The authorities that CAA records must allow, as far as known within two seconds. */
    async forCaa(): Promise<PlatformFacts['authorities']> {
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
      close()
    },
  }
}
