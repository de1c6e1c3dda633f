// The rate limits of authorities, counted by us, so that no request is sent that would be refused. They are computed from
// a log of attempts that outlives orders and domains: removing a domain and adding it again does not reset its limits.

import type { ChallengeType } from '#acme/resources/orders.ts'
import type { Hostname } from '#doctor/hostname.ts'
import { type Clock, timeOrNull } from '#kit/clock.ts'
import { type Database, findOne, type Session } from '#kit/database/database.ts'
import { assignments, type StoredRow } from '#kit/database/plain-row.ts'
import { takeLock } from '#kit/database/transactions.ts'
import { createRecordId } from '#kit/identifiers.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import {
  insertRow,
  type PublishingTables,
  prepare,
  prepareQuery,
} from '#publishing/database/tables.ts'
import { internalDirectory } from '../authorities/authorities.ts'

/** `renewal`: a certificate whose order named the one it replaces; authorities do not count these. */
type AttemptKind = 'order' | 'failed_validation' | 'certificate' | 'renewal'

type Ledger = StoredRow<PublishingTables['authority_ledger']>
/** What a rate limit counts for. */
type AttemptSubject = Pick<Ledger, 'directory' | 'host' | 'registeredDomain'>
/** `holder`: the owner whose share it uses. */
type RateLimitSubject = AttemptSubject & { holder: string }

type RemainingAttempts = ReturnType<typeof allowance>

/** Undefined for limits that do not apply. */
type RateLimitState = { [Name in LimitName]?: RemainingAttempts }

/** An open order is expected to finish within this time. */
const openForMs = 5 * 60_000

const subjectColumns = ['directory', 'host', 'registered_domain', 'holder'] as const
/** The last attempts of a kind that have these values in common with the subject. */
const attemptsBy = (...same: ((typeof subjectColumns)[number] | 'any holder')[]) =>
  prepareQuery<RateLimitSubject & { kind: AttemptKind; since: number; most: number }>()(
    (db, param) =>
      db
        .selectFrom('authority_ledger')
        .select('at')
        .where((eb) =>
          eb.and(
            assignments(
              same.filter((column) => column !== 'any holder'),
              param,
            ),
          ),
        )
        .$if(same.includes('any holder'), (query) => query.where('holder', 'is not', null))
        .where('kind', '=', param('kind'))
        .where('at', '>', param('since'))
        .orderBy('at', 'desc')
        .limit(param('most')),
  )
/** At most this many attempts in a sliding window. */
interface Limit {
  most: number
  withinMs: number
}

const hour = 3_600_000
const day = 24 * hour

const limit = (
  kind: AttemptKind,
  same: Parameters<typeof attemptsBy>,
  most: number,
  withinMs: number,
) => ({ kind, attempts: attemptsBy(...same), most, withinMs })
/** What each limit counts. The numbers are Let's Encrypt's: https://letsencrypt.org/docs/rate-limits/ */
const counted = {
  failedValidations: limit('failed_validation', ['directory', 'host'], 5, hour),
  /** Here and below, renewals that name their predecessor are not counted. */
  certificatesOfHost: limit('certificate', ['directory', 'host'], 5, 7 * day),
  certificatesOfDomain: limit('certificate', ['directory', 'registered_domain'], 50, 7 * day),
  /** Of the account at the authority. */
  orders: limit('order', ['directory'], 300, 3 * hour),
  /** Of these, orders for hosts without a certificate: the rest is kept for renewals. */
  newOrders: limit('order', ['directory', 'any holder'], 200, 3 * hour),
  /** Of those, orders for the domains of one owner. */
  newOrdersOfHolder: limit('order', ['directory', 'holder'], 50, 3 * hour),
  /** In the platform's registrable domain, which all sites share, orders for the sites of one owner. */
  newOrdersOfSiteOwner: limit('order', ['directory', 'registered_domain', 'holder'], 10, 7 * day),
}
type LimitName = keyof typeof counted
/** Undefined for limits that do not apply. */
export type Limits = { [Name in LimitName]?: Limit | undefined }
export type LimitsOf = (directory: string) => Limits

/** One that waits for a record of its owner, and was left, does not count forever. */
const openOrders = prepare.select(
  'certificate_orders',
  ['begun_at'],
  {
    ...{ directory: 'directory', registered_domain: 'registeredDomain', host: { '!=': 'host' } },
    ...{ replaces: null, begun_at: { '>': 'since' } },
  },
  { limit: 'most' },
)
const lastFailed = prepare.select(
  'authority_ledger',
  ['challenge_type'],
  { directory: 'directory', host: 'host', kind: { '!=': { value: 'order' } } },
  { orderBy: ['at desc'], limit: 1 },
)

/** Within the lock. */
export async function recordAttempt(
  session: Session,
  { directory, host, registeredDomain }: AttemptSubject,
  entry: {
    kind: AttemptKind
    at: number
    challengeType?: ChallengeType | undefined
    /** The owner of the domain, for an order of a first certificate. */
    newFor?: string | undefined
  },
): Promise<void> {
  const { challengeType = null, at, kind, newFor: holder = null } = entry
  const id = createRecordId('led', at)
  const subject = { directory, host, registeredDomain, holder }
  await insertRow(session, 'authority_ledger', { ...subject, id, kind, challengeType, at })
}

/** The remaining attempts. Open orders count as certificates. */
export async function readRateLimits(
  session: Session,
  subject: RateLimitSubject,
  limits: Limits,
  now: number,
): Promise<RateLimitState> {
  const state: RateLimitState = {}
  for (const [name, { attempts, kind }] of Object.entries(counted)) {
    const limit = limits[name as LimitName]
    if (!limit) continue
    const since = now - limit.withinMs
    const query = { ...subject, kind, since, most: limit.most }
    const times = (await session.all(attempts, query)).map(({ at }) => Number(at))
    if (name === 'certificatesOfDomain')
      times.push(...(await session.all(openOrders, query)).map(() => since + openForMs))
    state[name as LimitName] = allowance(limit, times)
  }
  return state
}

/** What the certificate authority still allows for a host and its owner; undefined where nothing is limited. */
export type ReadHostRateLimits = ReturnType<typeof createRateLimitReader>

/** Reads the remaining attempts for a host at an authority, for the API. */
export function createRateLimitReader(
  { read }: Pick<Database, 'read'>,
  clock: Clock,
  directory: string,
) {
  return async ({ host, registrableDomain }: Hostname, holder: string) => {
    if (directory === internalDirectory) return undefined
    const subject = { directory, host, registeredDomain: registrableDomain, holder }
    const budget = await readRateLimits(read, subject, limitsOf(directory), clock())
    const { newOrders, newOrdersOfHolder, orders } = budget
    return {
      failedValidations: shown(budget.failedValidations),
      certificatesOfHost: shown(budget.certificatesOfHost),
      certificatesOfDomain: shown(budget.certificatesOfDomain),
      orders: shown(fewest([orders, newOrders, newOrdersOfHolder])),
    }
  }
}

/** The limit that is reached first. */
function fewest(limits: (RemainingAttempts | undefined)[]): RemainingAttempts | undefined {
  const present = limits.filter((each) => each !== undefined)
  return present.toSorted((a, b) => a.left - b.left || (b.until ?? 0) - (a.until ?? 0))[0]
}

function shown(attempts: RemainingAttempts | undefined) {
  return attempts ? { ...attempts, until: timeOrNull(attempts.until) } : null
}

/**
 * When an order is allowed; undefined when it is allowed now. Renewals that name their predecessor are exempt from two
 * limits, and `isNew`, for a host without a certificate, has two of its own; `isSite`, at a platform host of an owner's
 * site, a third.
 */
export function nextOrderAt(
  budget: RateLimitState,
  { isNew, isRenewal, isSite }: { isNew: boolean; isRenewal: boolean; isSite: boolean },
): number | undefined {
  const { certificatesOfDomain, certificatesOfHost, failedValidations, orders } = budget
  const counted: (RemainingAttempts | undefined)[] = [failedValidations, orders]
  if (!isRenewal) counted.push(certificatesOfDomain, certificatesOfHost)
  if (isNew) counted.push(budget.newOrders, budget.newOrdersOfHolder)
  if (isNew && isSite) counted.push(budget.newOrdersOfSiteOwner)
  const times = counted.flatMap((each) => each?.until ?? [])
  return times.length > 0 ? Math.max(...times) : undefined
}

/** The challenge type of the host's last failed validation, if nothing has been issued since. */
export async function findFailedChallengeType(
  session: Session,
  subject: Pick<AttemptSubject, 'directory' | 'host'>,
): Promise<ChallengeType | undefined> {
  const last = await findOne(session, lastFailed, subject)
  return (last?.challenge_type as ChallengeType | null | undefined) ?? undefined
}

/**
 * `spent`: when attempts were made. `until`: when the next one is possible, in milliseconds since the epoch; undefined
 * while some are left.
 */
function allowance({ most, withinMs }: Limit, spent: number[]) {
  const times = spent.toSorted((a, b) => b - a).slice(0, most)
  const oldest = times[most - 1]
  const until = oldest === undefined ? undefined : oldest + withinMs
  return { most, left: most - times.length, until }
}

function isLetsEncrypt(directory: string): boolean {
  return /(^|\.)letsencrypt\.org$/.test(URL.parse(directory)?.hostname ?? '')
}

/** Other authorities have no limits per registrable domain and account; the rest applies everywhere to stop faulty retries. */
export const limitsOf: LimitsOf = (directory) => {
  const { certificatesOfHost, failedValidations } = counted
  return isLetsEncrypt(directory) ? counted : { certificatesOfHost, failedValidations }
}

/** The longest window of any limit. */
const attemptRetentionMs = 7 * day

/** Deletes attempts that no limit counts any more. */
export const deleteOldAttempts = oldRowsOf<PublishingTables>()({
  table: 'authority_ledger',
  key: ['id'],
  time: 'at',
  keptMs: attemptRetentionMs,
  lock: takeLock,
})
