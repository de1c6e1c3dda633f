// When a domain is checked next, by what it waits for: often while its owner is likely working on it, rarely
// later, and not at all after 30 days.
import { type DomainState, isPreparing } from './domain-state.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** While a record is missing or wrong: the interval by the age of the verification request. */
const waiting: [below: number, every: number][] = [
  [10 * minute, minute],
  [2 * hour, 5 * minute],
  [48 * hour, 15 * minute],
  [14 * day, hour],
  [30 * day, 6 * hour],
]
const proofEveryMs = 5 * minute
const proofForMs = 14 * day
const partialEveryMs = 30 * second
const partialForMs = 48 * hour
const activeEveryMs = 6 * hour
const driftingEveryMs = 10 * minute
const pausedAfterMs = 30 * day

/** Null for never: a paused domain waits for a user's request. */
export function nextCheckAt(state: DomainState, at: number): number | null {
  if (state.pausedAt !== null) return null
  return at + waitOf(state, at)
}

/** When checks of an unverified domain stop; Infinity for a verified one. */
export function pausesAt(state: DomainState): number {
  const { dns, expiresAt, failingSince, ownership, verificationRequestedAt } = state
  const isReady = dns === 'ok' || (expiresAt !== null && isPreparing(state))
  if (ownership === 'proven' && isReady) return Number.POSITIVE_INFINITY
  const since = Math.max(verificationRequestedAt, failingSince ?? 0, requestedAt(state))
  return since + pausedAfterMs
}

/** When the certificate before the switch was requested; 0 without such a request. */
function requestedAt({ preparation, preparationAt }: DomainState): number {
  return preparation === 'requested' ? (preparationAt ?? 0) : 0
}

function waitOf(state: DomainState, at: number): number {
  const { dns, ownership, verificationRequestedAt } = state
  const age = at - Math.max(verificationRequestedAt, requestedAt(state))
  if (isPreparing(state) && dns !== 'ok' && dns !== 'partial') return waitByAge(age)
  if (dns === 'drifting' || dns === 'lost') return driftingEveryMs
  if (dns === 'partial' && age < partialForMs) return partialEveryMs
  if (dns === 'ok') {
    if (ownership === 'proven') return activeEveryMs
    if (age < proofForMs) return proofEveryMs
  }
  return waitByAge(age)
}

function waitByAge(age: number): number {
  return waiting.find(([below]) => age < below)?.[1] ?? 6 * hour
}
