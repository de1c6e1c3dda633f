// Who else claims a host, or held it lately: what our own records say of it.
import type { Session } from '../../../platform/database/database.ts'
import { prepareQuery } from '../../database/tables.ts'
import { domainOf, type FoundDomain } from '../database/domain-row.ts'
import type { ClaimFacts } from '../evidence/evidence.ts'

/** For so long a pointer that was left over gives a host to nobody else. */
export const tombstoneMs = 90 * 24 * 3_600_000
/** A claim that nobody has proven or asked for in so long stands in nobody's way. */
export const claimLapsesMs = 30 * 24 * 3_600_000

/** Nobody has so many rivals: those who come later prove by TXT as well. */
const maxRivals = 100

const claimsOn = prepareQuery<{ host: string; most: number }>()((db, param) =>
  db
    .selectFrom('domains')
    .selectAll()
    .where('host', '=', param('host'))
    .orderBy('added_at')
    .limit(param('most')),
)
const tombstonesOn = prepareQuery<{ host: string; now: number; most: number }>()((db, param) =>
  db
    .selectFrom('domain_tombstones')
    .select('holder')
    .where('host', '=', param('host'))
    .where('held_until', '>', param('now'))
    .limit(param('most')),
)
const provenOn = prepareQuery<{ host: string }>()((db, param) =>
  db
    .selectFrom('domains')
    .selectAll()
    .where('host', '=', param('host'))
    .where('ownership', '=', 'proven'),
)

export interface ClaimsOnHost {
  claims: FoundDomain[]
  /** The claim that is proven. */
  proven: FoundDomain | undefined
  /** Who held it within 90 days. */
  heldLately: Set<string>
}

export async function findClaimsOn(
  session: Session,
  host: string,
  now: number,
): Promise<ClaimsOnHost> {
  const claims = await session.all(claimsOn, { host, most: maxRivals })
  const tombstones = await session.all(tombstonesOn, { host, now, most: maxRivals })
  const [proven] = await session.all(provenOn, { host })
  return {
    claims: claims.map(domainOf),
    proven: proven && domainOf(proven),
    heldLately: new Set(tombstones.map(({ holder }) => holder)),
  }
}

/** What this is for the doctor. `pointsToUs`: as the check that is judged found it. */
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
