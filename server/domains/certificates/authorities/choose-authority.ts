// Chooses the authority and the challenge types for a host: the first authority, alternating with the fallback after
// two failed attempts; only those that CAA records allow.
import type { ChallengeType } from '#acme/resources/authorizations.ts'
import { caaSetIn } from '#dns/caa/find-caa.ts'
import { evaluateCaa } from '#dns/caa/judge-caa.ts'
import type { Evidence, PlatformFacts } from '../../evidence/evidence.ts'

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
  const request = { issuers: identities, method, ...(accountUri !== undefined && { accountUri }) }
  return evaluateCaa(set.records, request).isAllowed
}
