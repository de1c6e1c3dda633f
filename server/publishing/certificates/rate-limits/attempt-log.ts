// The log of attempts at authorities, from which the remaining rate limits are computed. It outlives orders and
// domains: removing a domain and adding it again does not reset its limits.

import { findOne, type Session } from '../../../platform/database/database.ts'
import { oldRowsOf } from '../../../platform/jobs/delete-old-rows.ts'
import { createRecordId } from '../../../platform/record-id.ts'
import type { ChallengeType } from '../../acme/resources/authorizations.ts'
import { lockPublishing } from '../../database/publishing-state.ts'
import { type PublishingTables, prepareQuery } from '../../database/tables.ts'
import { attemptRetentionMs, type Limit, type Limits } from './rate-limits.ts'

/** `renewal`: a certificate whose order named the one it replaces; authorities do not count these. */
export type AttemptKind = 'order' | 'failed_validation' | 'certificate' | 'renewal'

/** What a rate limit counts for. */
export interface RateLimitSubject {
  directory: string
  host: string
  registeredDomain: string
}

export interface RemainingAttempts {
  most: number
  left: number
  /** When the next attempt is possible; undefined while some are left. Milliseconds since the epoch. */
  until: number | undefined
}

/** Undefined for limits that do not apply. */
export type RateLimitState = Record<keyof Limits, RemainingAttempts | undefined>

/** An open order is expected to finish within this time. */
const openForMs = 5 * 60_000

const insert = prepareQuery<
  RateLimitSubject & {
    id: string
    kind: AttemptKind
    challengeType: ChallengeType | null
    at: number
  }
>()((db, param) =>
  db.insertInto('authority_ledger').values({
    id: param('id'),
    directory: param('directory'),
    host: param('host'),
    registered_domain: param('registeredDomain'),
    kind: param('kind'),
    challenge_type: param('challengeType'),
    at: param('at'),
  }),
)
type Asked = { directory: string; kind: AttemptKind; since: number; most: number }
const ofHost = prepareQuery<Asked & { host: string }>()((db, param) =>
  db
    .selectFrom('authority_ledger')
    .select('at')
    .where('directory', '=', param('directory'))
    .where('host', '=', param('host'))
    .where('kind', '=', param('kind'))
    .where('at', '>', param('since'))
    .orderBy('at', 'desc')
    .limit(param('most')),
)
const ofDomain = prepareQuery<Asked & { registeredDomain: string }>()((db, param) =>
  db
    .selectFrom('authority_ledger')
    .select('at')
    .where('directory', '=', param('directory'))
    .where('registered_domain', '=', param('registeredDomain'))
    .where('kind', '=', param('kind'))
    .where('at', '>', param('since'))
    .orderBy('at', 'desc')
    .limit(param('most')),
)
const ofDirectory = prepareQuery<Asked>()((db, param) =>
  db
    .selectFrom('authority_ledger')
    .select('at')
    .where('directory', '=', param('directory'))
    .where('kind', '=', param('kind'))
    .where('at', '>', param('since'))
    .orderBy('at', 'desc')
    .limit(param('most')),
)
const openOrders = prepareQuery<RateLimitSubject & { most: number }>()((db, param) =>
  db
    .selectFrom('certificate_orders')
    .select('begun_at')
    .where('directory', '=', param('directory'))
    .where('registered_domain', '=', param('registeredDomain'))
    .where('host', '!=', param('host'))
    .where('replaces', 'is', null)
    .limit(param('most')),
)
const lastFailed = prepareQuery<Pick<RateLimitSubject, 'directory' | 'host'>>()((db, param) =>
  db
    .selectFrom('authority_ledger')
    .select(['kind', 'challenge_type'])
    .where('directory', '=', param('directory'))
    .where('host', '=', param('host'))
    .where('kind', '!=', 'order')
    .orderBy('at', 'desc')
    .limit(1),
)

/** Within the lock. */
export async function recordAttempt(
  session: Session,
  account: RateLimitSubject,
  entry: { kind: AttemptKind; at: number; challengeType?: ChallengeType | undefined },
): Promise<void> {
  const { challengeType = null, at, kind } = entry
  const id = createRecordId('led', at)
  await session.all(insert, { ...account, id, kind, challengeType, at })
}

/** The remaining attempts. Open orders count as certificates. */
export async function readRateLimits(
  session: Session,
  account: RateLimitSubject,
  limits: Limits,
  now: number,
): Promise<RateLimitState> {
  const { certificatesOfDomain, certificatesOfHost, failedValidations, orders } = limits
  const asked = (kind: AttemptKind, { most, withinMs }: Limit) => ({
    ...account,
    kind,
    since: now - withinMs,
    most,
  })
  const left = async (limit: Limit | undefined, times: (limit: Limit) => Promise<number[]>) =>
    limit && allowance(limit, await times(limit))
  const ofKind = (kind: AttemptKind) => async (limit: Limit) =>
    moments(await session.all(ofHost, asked(kind, limit)))
  return {
    failedValidations: await left(failedValidations, ofKind('failed_validation')),
    certificatesOfHost: await left(certificatesOfHost, ofKind('certificate')),
    certificatesOfDomain: await left(certificatesOfDomain, async (limit) => {
      const open = await session.all(openOrders, { ...account, most: limit.most })
      const soonOver = now - limit.withinMs + openForMs
      const had = moments(await session.all(ofDomain, asked('certificate', limit)))
      return [...had, ...open.map(() => soonOver)]
    }),
    orders: await left(orders, async (limit) =>
      moments(await session.all(ofDirectory, asked('order', limit))),
    ),
  }
}

/** When an order is allowed; undefined when it is allowed now. Renewals that name their predecessor are exempt from two limits. */
export function nextOrderAt(budget: RateLimitState, isRenewal: boolean): number | undefined {
  const { certificatesOfDomain, certificatesOfHost, failedValidations, orders } = budget
  const counted: (RemainingAttempts | undefined)[] = [failedValidations, orders]
  if (!isRenewal) counted.push(certificatesOfDomain, certificatesOfHost)
  const times = counted.flatMap((each) => each?.until ?? [])
  return times.length > 0 ? Math.max(...times) : undefined
}

/** The challenge type of the host's last failed validation, if nothing has been issued since. */
export async function findFailedChallengeType(
  session: Session,
  account: Pick<RateLimitSubject, 'directory' | 'host'>,
): Promise<ChallengeType | undefined> {
  const { directory, host } = account
  const last = await findOne(session, lastFailed, { directory, host })
  return (last?.challenge_type as ChallengeType | null | undefined) ?? undefined
}

/** Deletes attempts that no limit counts any more. */
export const deleteOldAttempts = oldRowsOf<PublishingTables>()({
  table: 'authority_ledger',
  key: ['id'],
  time: 'at',
  keptMs: attemptRetentionMs,
  lock: lockPublishing,
})

function moments(rows: { at: bigint }[]): number[] {
  return rows.map(({ at }) => Number(at))
}

/** `spent`: when attempts were made. */
function allowance({ most, withinMs }: Limit, spent: number[]): RemainingAttempts {
  const times = spent.toSorted((a, b) => b - a).slice(0, most)
  const oldest = times[most - 1]
  return {
    most,
    left: most - times.length,
    until: oldest === undefined ? undefined : oldest + withinMs,
  }
}
