// Who else claims a host, or held it lately, by our database; and the TXT record by which a claim proves that its holder
// owns the host.

import { randomBytes } from 'node:crypto'
import type { ClaimFacts } from '#doctor/evidence.ts'
import type { Session } from '#kit/database/database.ts'
import { plainRow } from '#kit/database/plain-row.ts'
import { prepare, prepareQuery } from '#publishing/database/tables.ts'
import { domainOf, type FoundDomain } from '../database/domain-row.ts'
import { isOwnershipLapsing } from '../state/domain-state.ts'

/** How long after removal a leftover pointer does not prove ownership for another account. */
export const tombstoneMs = 90 * 24 * 3_600_000
/** How long after a host is added a pointer proves ownership: the time that DNS may take to propagate. */
const pointerProvesMs = 48 * 3_600_000

/** More competing claims than occur in practice; further accounts must prove by TXT as well. */
const maxRivals = 100

/** The proven one first. */
const claimsOn = prepareQuery<{ host: string; max: number }>()((db, param) =>
  db
    .selectFrom('domains')
    .selectAll()
    .where('host', '=', param('host'))
    .orderBy((eb) => eb('ownership', '=', 'proven'), 'desc')
    .limit(param('max')),
)
const tombstonesOn = prepare.select(
  'domain_tombstones',
  ['holder', 'removed_at', 'first_added_at', 'pointer_until'],
  { host: 'host', held_until: { '>': 'now' } },
  { orderBy: ['removed_at desc'], limit: 'max' },
)

export type ClaimsOnHost = Awaited<ReturnType<typeof findClaimsOn>>

export async function findClaimsOn(session: Session, host: string, now: number) {
  const claims = (await session.all(claimsOn, { host, max: maxRivals })).map(domainOf)
  const tombstones = await session.all(tombstonesOn, { host, now, max: maxRivals })
  return {
    claims,
    proven: claims.find(({ state }) => state.ownership === 'proven'),
    /** Claims that were removed within 90 days. */
    removed: tombstones.map(plainRow),
  }
}

/** The claim for the doctor. `pointsToUs`: the result of the judged check. */
export function claimFactsOf(
  domain: FoundDomain,
  { claims, proven, removed }: ClaimsOnHost,
  pointsToUs: boolean,
  now: number,
): ClaimFacts {
  const { addedAt, holder, id, state } = domain
  const others = removed.filter((each) => each.holder !== holder)
  const own = removed.find((each) => each.holder === holder)
  const heldByOther = () => {
    if (proven && proven.id !== id) return 'holds'
    if (claims.some((other) => other.id !== id)) return 'claims'
    if (others.some(({ pointerUntil }) => pointerUntil !== undefined)) return 'held'
    // Two accounts that add and remove the host in turns get no more time than one.
    return others.some(({ removedAt }) => now - removedAt < pointerProvesMs) ? 'claims' : 'no'
  }
  // Adding the host again does not start the time anew.
  const firstAddedAt = Math.min(addedAt, own?.firstAddedAt ?? addedAt)
  const heldUntil = own?.pointerUntil ?? 0
  const isLapsing = isOwnershipLapsing(state, now)
  return {
    addedAt,
    isProven: state.ownership === 'proven' && !isLapsing,
    pointedWhenAdded: state.pointedWhenAdded ?? pointsToUs,
    heldByOther: heldByOther(),
    heldBefore: heldUntil > now,
    pointerProvesUntil: Math.max(firstAddedAt + pointerProvesMs, heldUntil),
    hasLapsed: isLapsing || (state.ownership !== 'proven' && state.provenAt !== null),
    failingSince: state.failingSince ?? undefined,
    partialSince: state.partialSince ?? undefined,
  }
}

export const ownershipLabel = '_animal-store'
/** What the value of each such record starts with. */
export const ownershipPrefix = 'animal-store-verify='

/** An unguessable value: 128 random bits. */
export function createVerificationToken(): string {
  return `${ownershipPrefix}${randomBytes(16).toString('base64url')}`
}

/** The required name and value of the record. */
export function verificationRecordOf({
  host,
  verificationToken,
}: Pick<FoundDomain, 'host' | 'verificationToken'>) {
  return { name: `${ownershipLabel}.${host}`, value: verificationToken }
}
