// Which authority is asked for a host and by which method it is validated: the first one, and a second one in
// turn with it once two attempts have failed; where CAA records speak, only whom they allow.
import type { ChallengeType } from '../../acme/resources/authorizations.ts'
import { evaluateCaa } from '../../dns/caa/judge-caa.ts'
import type { Evidence, PlatformFacts } from '../../domains/evidence/evidence.ts'

/** From so many failures in a row on, the second authority has its turn. */
export const failuresBeforeFallback = 2

export interface AuthorityChoice {
  directory: string
  /** Those that CAA allows, in the given order. */
  methods: ChallengeType[]
}

export interface Candidate {
  directory: string
  /** Undefined while they are not known: the authority judges CAA itself. */
  identities: string[] | undefined
  accountUri: string | undefined
}

/** Undefined when CAA forbids all of them. */
export function chooseAuthority(
  candidates: Candidate[],
  methods: readonly ChallengeType[],
  caa: Evidence['caa'],
  failures: number,
): AuthorityChoice | undefined {
  const ways = candidates
    .map((candidate) => ({
      directory: candidate.directory,
      methods: methods.filter((method) => isAllowed(candidate, method, caa)),
    }))
    .filter((way) => way.methods.length > 0)
  const [first, second] = ways
  return second && usesFallback(failures) ? second : first
}

export function usesFallback(failures: number): boolean {
  return failures >= failuresBeforeFallback && failures % 2 === 0
}

/** What the doctor has of an authority, for its directory. */
export function accountUriOf(
  platform: PlatformFacts,
  identities: string[] | undefined,
): string | undefined {
  return platform.authorities.find(({ domain }) => identities?.includes(domain))?.accountUri
}

function isAllowed(
  { accountUri, identities }: Candidate,
  method: ChallengeType,
  caa: Evidence['caa'],
): boolean {
  const set = caa.find(({ records }) => records.length > 0)
  if (!set || !identities || identities.length === 0) return true
  const request = { issuers: identities, method, ...(accountUri !== undefined && { accountUri }) }
  return evaluateCaa(set.records, request).isAllowed
}
