// The authorities that this program asks: the configured one, and a second one where the first fails. For each
// a client, our account, and the names by which CAA records allow it; all else about them is read anew.
import { readFileSync } from 'node:fs'
import type { Clock } from '../../../platform/clock.ts'
import { type AcmeConfig, ConfigError } from '../../../platform/config/config.ts'
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

/** In the place of a directory: the authority of our own, which asks nobody. */
export const internalDirectory = 'internal'

export interface Authorities {
  /** Those that are asked, the first one first; `internalDirectory` alone, or the addresses of directories. */
  directories: readonly string[]
  /** Of any directory, configured or not. */
  clientOf(directory: string): AcmeClient
  /** As people know it: its first name in CAA, such as `letsencrypt.org`, or its host. */
  nameOf(directory: string): string
  /** Our account there, which is made where there is none. Throws what the authority answers. */
  accountAt(directory: string): Promise<AcmeAccount>
  /** The authority does not know this account any more. */
  forgetAccount(directory: string, account: AcmeAccount): Promise<void>
  /** Its names in CAA records; undefined while they cannot be known. */
  identitiesOf(directory: string): Promise<string[] | undefined>
  /** What CAA records have to allow, as far as that can be known within two seconds. */
  forCaa(): Promise<PlatformFacts['authorities']>
  stop(): void
}

export interface AuthoritiesOptions {
  acme: AcmeConfig
  clock: Clock
  database: Database
  secrets: Secrets
  methods: readonly ChallengeType[]
}

const userAgent = 'Animal-Store/0.1'
const askWithinMs = 2000
/** A directory that did not answer is not waited for again so soon. */
const askAgainAfterMs = 60_000
const whileUnknown = 'letsencrypt.org'

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
  async function learn(url: string): Promise<void> {
    if (clock() - (failedAt.get(url) ?? Number.NEGATIVE_INFINITY) < askAgainAfterMs) return
    try {
      const signal = AbortSignal.timeout(askWithinMs)
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
    if (!identities.has(url)) await learn(url)
    return identities.get(url)
  }

  return {
    directories,
    clientOf,
    nameOf: (url) => identities.get(url)?.[0] ?? URL.parse(url)?.hostname ?? url,
    accountAt(url) {
      // Whoever asks meanwhile waits for the same one, and one that failed is not kept.
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
          const names = known ?? (url === directory ? [whileUnknown] : [])
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
