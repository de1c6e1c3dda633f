// The certificate authorities of one process: which one issues for a host, an ACME client for each directory, our account
// there, and the identities that CAA records must name. The configured authority comes first; after two failed attempts
// it alternates with the optional fallback, and only authorities and challenge types that CAA allows are chosen.
// All processes share one account per directory. Its key is stored before it is sent, and the same key always gives the
// same account (RFC 8555, section 7.3.1), so an interruption creates no second one. What operators have to do about it is
// in database/account-problems.ts. Only an operator replaces one that the authority refuses: CAA records may name it.

import {
  type AcmeAccount,
  type AcmeClient,
  type AcmeSession,
  closeAcmeClient,
  createAccount,
  createAcmeClient,
  getAccountStatus,
  getDirectory,
} from '#acme/requests/acme-client.ts'
import { AcmeNoResponse, AcmeProblem } from '#acme/requests/read-response.ts'
import type { ChallengeType } from '#acme/resources/orders.ts'
import { createKey } from '#acme/x509/keys.ts'
import { caaSetIn, evaluateCaa } from '#dns/caa/find-caa.ts'
import type { Evidence, PlatformFacts } from '#doctor/evidence.ts'
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import type { Clock } from '#kit/clock.ts'
import { type Config, readProgramVersion } from '#kit/config/config.ts'
import { type Database, findOne, getOne, type Session } from '#kit/database/database.ts'
import type { StoredRow } from '#kit/database/plain-row.ts'
import { locked, unlocked } from '#kit/database/transactions.ts'
import type { Secrets } from '#kit/secrets.ts'
import { type PublishingTables, prepare } from '#publishing/database/tables.ts'

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

export function openAuthorities(options: AuthoritiesOptions) {
  const { acme, clock, database, methods, secrets } = options
  const { clientOf, close, directories } = createAuthorityClients(acme, clock)
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
      // Concurrent callers share one request. Later ones read the row again: another process may have replaced it.
      let account = accounts.get(url)
      if (!account) {
        account = getAccount(options, clientOf(url), stopping.signal)
        accounts.set(url, account)
        const forget = () => void accounts.delete(url)
        account.then(forget, forget)
      }
      return account
    },
    /** See askAccount. */
    askAccount: (url: string) =>
      askAccount({ read: database.read, secrets }, clientOf(url), stopping.signal),
    /** The same; with `origin`, one that is refused is replaced. Throws AcmeProblem and AcmeNoResponse. */
    async reviewAccount(directory: string, origin: AuditOrigin | undefined) {
      const state = await this.askAccount(directory)
      const url = await findAccountUrl(database.read, directory)
      if (state !== 'refused' || !origin || !url) return state
      await forgetAccount(database, { directory, url }, origin)
      await this.accountAt(directory)
      return 'replaced'
    },
    /** Requests of the account with this URL, which is not created; undefined when there is no such account. */
    async sessionOf(url: string, accountUrl: string): Promise<AcmeSession | undefined> {
      if ((await findAccountUrl(database.read, url)) !== accountUrl) return undefined
      const account = await this.accountAt(url)
      return account.url === accountUrl ? { client: clientOf(url), account } : undefined
    },
    /** Deletes an account that the authority no longer knows. */
    forgetAccount: (directory: string, { url }: AcmeAccount) =>
      forgetAccount(database, { directory, url }),
    identitiesOf,
    /** The authorities that CAA records must allow, as far as known within two seconds. */
    async forCaa(): Promise<PlatformFacts['authorities']> {
      if (acme.directory === internalDirectory) return []
      const all = await Promise.all(
        directories.map(async (url) => {
          const identities = await identitiesOf(url)
          const accountUri = await findAccountUrl(database.read, url)
          const names = identities ?? (url === acme.directory ? [defaultIdentity] : [])
          return names.map((domain) => ({ domain, accountUri, methods: [...methods] }))
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

/** Stands for the internal authority in place of a directory URL. */
export const internalDirectory = 'internal'

export type AuthorityClients = ReturnType<typeof createAuthorityClients>

export function createAuthorityClients(acme: Config['acme'], clock: Clock) {
  const { directory, fallbackDirectory, trustedRoots } = acme
  const directories =
    directory === internalDirectory || !fallbackDirectory || fallbackDirectory === directory
      ? [directory]
      : [directory, fallbackDirectory]
  const userAgent = `Animal-Store/${readProgramVersion()}`
  const clients = new Map<string, AcmeClient>()
  return {
    /** In order of preference: `internal` alone, or directory URLs. */
    directories,
    /** For any directory, configured or not. */
    clientOf(url: string): AcmeClient {
      let client = clients.get(url)
      if (!client) {
        client = createAcmeClient({ directoryUrl: url, trustedRoots, userAgent, now: clock })
        clients.set(url, client)
      }
      return client
    },
    close() {
      for (const client of clients.values()) closeAcmeClient(client)
    },
  }
}

/** After this many consecutive failures, attempts alternate with the fallback. */
export const failuresBeforeFallback = 2

export interface AuthorityChoice {
  directory: string
  /** Those that CAA records allow, in the given order. */
  methods: ChallengeType[]
}

export interface Candidate {
  directory: string
  /** Undefined while unknown: the authority checks CAA itself. */
  identities: string[] | undefined
  accountUri: string | undefined
}

/** Undefined when CAA records forbid all of them, or are not known. `caa`: undefined where the authority alone checks. */
export function chooseAuthority(
  candidates: Candidate[],
  methods: readonly ChallengeType[],
  caa: Evidence['caa'] | undefined,
  failures: number,
): AuthorityChoice | undefined {
  const choices = candidates
    .map((candidate) => ({
      directory: candidate.directory,
      methods: methods.filter((method) => isAllowed(candidate, method, caa)),
    }))
    .filter((choice) => choice.methods.length > 0)
  const [first, second] = choices
  return second && usesFallback(failures) ? second : first
}

export function usesFallback(failures: number): boolean {
  return failures >= failuresBeforeFallback && failures % 2 === 0
}

/** The account URI that the evidence has for an authority. */
export function accountUriOf(platform: PlatformFacts, identities: string[] | undefined) {
  return platform.authorities.find(({ domain }) => identities?.includes(domain))?.accountUri
}

function isAllowed(
  { accountUri, identities }: Candidate,
  method: ChallengeType,
  caa: Evidence['caa'] | undefined,
): boolean {
  const set = caa ? caaSetIn(caa) : 'none'
  if (set === 'unknown') return false
  if (set === 'none' || !identities || identities.length === 0) return true
  return evaluateCaa(set.records, { issuers: identities, method, accountUri }).isAllowed
}

type AccountRow = StoredRow<PublishingTables['acme_accounts']>

const byDirectory = prepare.select('acme_accounts', ['url', 'private_key'], {
  directory: 'directory',
})
/** Keeps an account that is there. `url`: empty until the authority has created the account. */
const insert = prepare.upsert(
  'acme_accounts',
  { directory: 'directory' },
  { directory: 'directory' },
  { url: { value: '' }, private_key: 'privateKey', created_at: 'createdAt' },
)
const setUrl = prepare.update(
  'acme_accounts',
  { url: 'url' },
  { directory: 'directory', private_key: 'privateKey' },
)
const remove = prepare.delete('acme_accounts', { directory: 'directory', url: 'url' })

/** Returns the key that was stored first for a directory. */
const saveAccountKey = unlocked(async (session, account: Omit<AccountRow, 'url'>) => {
  await session.all(insert, account)
  return await getOne(session, byDirectory, { directory: account.directory })
})
const saveAccountUrl = unlocked(async (session, row: Omit<AccountRow, 'createdAt'>) => {
  await session.all(setUrl, row)
})
/** Deletes an account that the authority no longer knows, or that `origin` replaces. One created since is kept. */
const forgetAccount = locked(
  async (session, account: Pick<AccountRow, 'directory' | 'url'>, origin?: AuditOrigin) => {
    await session.all(remove, account)
    const target = { id: account.url, name: account.directory }
    if (origin) await recordAudit(session, origin, 'domain.account_replaced', target)
  },
)

/** The account's URL; undefined when there is none yet. */
async function findAccountUrl(session: Session, directory: string) {
  return (await findOne(session, byDirectory, { directory }))?.url || undefined
}

/** The encryption context of an account's key. */
export function accountContext(directory: string): string {
  return `acme account ${directory}`
}

/**
 * The account at an authority, created if necessary. The external account is used where one is required. Throws
 * AcmeProblem and AcmeNoResponse.
 */
async function getAccount(
  { acme: { binding, email }, clock, database, secrets }: AuthoritiesOptions,
  client: AcmeClient,
  signal: AbortSignal,
): Promise<AcmeAccount> {
  const directory = client.directoryUrl
  const context = accountContext(directory)
  let row = await findOne(database.read, byDirectory, { directory })
  if (!row) {
    const privateKey = secrets.encrypt(Buffer.from(await createKey()), context)
    row = await saveAccountKey(database, { directory, privateKey, createdAt: clock() })
  }
  const privateKey = secrets.decrypt(row.private_key, context).toString()
  if (row.url !== '') return { url: row.url, privateKey }
  const { externalAccountRequired } = await getDirectory(client, { signal })
  const wanted = {
    privateKey,
    contacts: email === undefined ? [] : [`mailto:${email}`],
    externalAccount: externalAccountRequired ? binding : undefined,
  }
  const { url } = await createAccount(client, wanted, { signal })
  await saveAccountUrl(database, { directory, url, privateKey: row.private_key })
  return { url, privateKey }
}

/** Whether the authority accepts the account, asked now. `none`: there is none yet. */
export async function askAccount(
  { read, secrets }: { read: Session; secrets: Secrets },
  client: AcmeClient,
  signal: AbortSignal,
): Promise<'none' | 'accepted' | 'refused' | 'unknown'> {
  const directory = client.directoryUrl
  const row = await findOne(read, byDirectory, { directory })
  if (!row?.url) return 'none'
  const privateKey = secrets.decrypt(row.private_key, accountContext(directory)).toString()
  try {
    const account = { url: row.url, privateKey }
    const status = await getAccountStatus({ client, account, signal })
    return status === 'valid' ? 'accepted' : 'refused'
  } catch (error) {
    if (error instanceof AcmeProblem && error.type === 'unauthorized') return 'refused'
    if (error instanceof AcmeProblem || error instanceof AcmeNoResponse) return 'unknown'
    throw error
  }
}
