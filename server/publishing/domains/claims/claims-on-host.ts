// Finds other claims on a host, and recent holders, in our database.
import type { Session } from '../../../platform/database/database.ts'
import { prepareQuery } from '../../database/tables.ts'
import { domainOf, type FoundDomain } from '../database/domain-row.ts'
import type { ClaimFacts } from '../evidence/evidence.ts'

/** How long after removal a leftover pointer does not prove ownership for another account. */
export const tombstoneMs = 90 * 24 * 3_600_000
/** An unproven claim without a verification request for this long does not affect other accounts. */
const claimLapsesMs = 30 * 24 * 3_600_000

/** More competing claims than occur in practice; further accounts must prove by TXT as well. */
const maxRivals = 100

const claimsOn = prepareQuery<{ host: string; max: number }>()((db, param) =>
  db
    .selectFrom('domains')
    .selectAll()
    .where('host', '=', param('host'))
    .orderBy('added_at')
    .limit(param('max')),
)
const tombstonesOn = prepareQuery<{ host: string; now: number; max: number }>()((db, param) =>
  db
    .selectFrom('domain_tombstones')
    .select('holder')
    .where('host', '=', param('host'))
    .where('held_until', '>', param('now'))
    .limit(param('max')),
)
const provenOn = prepareQuery<{ host: string }>()((db, param) =>
  db
    .selectFrom('domains')
    .selectAll()
    .where('host', '=', param('host'))
    .where('ownership', '=', 'proven'),
)

export type ClaimsOnHost = Awaited<ReturnType<typeof findClaimsOn>>

export async function findClaimsOn(session: Session, host: string, now: number) {
  const claims = await session.all(claimsOn, { host, max: maxRivals })
  const tombstones = await session.all(tombstonesOn, { host, now, max: maxRivals })
  const [proven] = await session.all(provenOn, { host })
  return {
    claims: claims.map(domainOf),
    proven: proven && domainOf(proven),
    /** The accounts that held it within 90 days. */
    heldLately: new Set(tombstones.map(({ holder }) => holder)),
  }
}

/** The claim for the doctor. `pointsToUs`: the result of the judged check. */
export function claimFactsOf(
  domain: FoundDomain,
  { claims, heldLately, proven }: ClaimsOnHost,
  pointsToUs: boolean,
  now: number,
): ClaimFacts {
  const { addedAt, holder, id, state } = domain
  const isRival = (other: FoundDomain): boolean =>
    other.id !== id &&
    other.state.ownership !== 'revoked' &&
    now - other.state.verificationRequestedAt < claimLapsesMs
  const heldByOther = () => {
    if (proven && proven.id !== id) return 'holds'
    if (claims.some(isRival)) return 'claims'
    return [...heldLately].some((each) => each !== holder) ? 'held' : 'no'
  }
  return {
    addedAt,
    isProven: state.ownership === 'proven',
    pointedWhenAdded: state.pointedWhenAdded ?? pointsToUs,
    heldByOther: heldByOther(),
    heldBefore: heldLately.has(holder),
    failingSince: state.failingSince ?? undefined,
    partialSince: state.partialSince ?? undefined,
  }
}
