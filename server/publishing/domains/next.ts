// The state of a domain and how it changes: one pure function. What changed it is an event, and the time of
// the event is part of it; nothing here looks at a clock or a database.
import type { DnsResult } from './doctor/judge.ts'

export const ownershipStates = ['unproven', 'proven', 'disputed', 'revoked'] as const
export const dnsStates = [
  'unchecked',
  'missing',
  'conflict',
  'wrong_target',
  'partial',
  'ok',
  'drifting',
  'lost',
] as const

export interface DomainState {
  /** `disputed`: another account holds the host. `revoked`: another one proved that it is theirs. */
  ownership: (typeof ownershipStates)[number]
  provenBy: 'pointer' | 'txt' | null
  provenAt: number | null
  /** `drifting`: it led here and does not any more; `lost`: two checks at least 10 minutes apart say so. */
  dns: (typeof dnsStates)[number]
  /** Null until a check could tell. */
  pointedWhenAdded: boolean | null
  checkedAt: number | null
  failingSince: number | null
  partialSince: number | null
}

export type DomainEvent =
  | {
      type: 'checked'
      at: number
      result: DnsResult
      /** Whether any server leads here, in whatever way. */
      leadsHere: boolean
      provenBy: 'pointer' | 'txt' | undefined
      /** Another account holds the host. */
      isDisputed: boolean
    }
  /** Another account has proven that the host is theirs. */
  | { type: 'outproven'; at: number }

/** Two bad checks have to lie so far apart before a domain counts as lost. */
export const lostAfterMs = 10 * 60_000

export const stateWhenAdded: DomainState = {
  ownership: 'unproven',
  provenBy: null,
  provenAt: null,
  dns: 'unchecked',
  pointedWhenAdded: null,
  checkedAt: null,
  failingSince: null,
  partialSince: null,
}

export function next(state: DomainState, event: DomainEvent): DomainState {
  if (event.type === 'outproven') {
    return { ...state, ownership: 'revoked', provenBy: null, provenAt: null }
  }
  const { at, isDisputed, leadsHere, provenBy, result } = event
  // What could not be looked up changes nothing that was known.
  const isKnown = result !== 'unknown'
  const dns = isKnown ? nextDns(state, result, at) : state
  return {
    ...state,
    ...dns,
    checkedAt: at,
    pointedWhenAdded: state.pointedWhenAdded ?? (isKnown ? leadsHere : null),
    ...nextOwnership(state, provenBy, isDisputed, at),
  }
}

type DnsPart = Pick<DomainState, 'dns' | 'failingSince' | 'partialSince'>

function nextDns(
  { dns, failingSince, partialSince }: DnsPart,
  result: Exclude<DnsResult, 'unknown'>,
  at: number,
): DnsPart {
  if (result === 'ok') return { dns: 'ok', failingSince: null, partialSince: null }
  const partial = result === 'partial' ? (partialSince ?? at) : null
  const led = dns === 'ok' || dns === 'drifting' || dns === 'lost'
  if (!led) return { dns: result, failingSince: null, partialSince: partial }
  const since = failingSince ?? at
  const isLost = dns === 'lost' || at - since >= lostAfterMs
  return { dns: isLost ? 'lost' : 'drifting', failingSince: since, partialSince: partial }
}

function nextOwnership(
  state: DomainState,
  provenBy: 'pointer' | 'txt' | undefined,
  isDisputed: boolean,
  at: number,
): Partial<DomainState> {
  // What was once proven stays so until somebody else proves it, or it is removed.
  if (state.ownership === 'proven') return {}
  if (provenBy) return { ownership: 'proven', provenBy, provenAt: at }
  if (state.ownership === 'revoked') return {}
  return { ownership: isDisputed ? 'disputed' : 'unproven' }
}
