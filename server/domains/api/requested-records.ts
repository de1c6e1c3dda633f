// The DNS records of a domain as the management API gives them: what each is for, and whether it has to be set now.

import { timeOrNull } from '#kit/clock.ts'
import type { KeptCheck } from '../checks/check-result.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { inForm, recordTtlSeconds } from '../doctor/wording.ts'
import { zoneLine } from '../doctor/zone-line.ts'
import type { WantedChallenge } from '../evidence/evidence.ts'
import { maxPrepared } from '../state/transition.ts'
import type { RequestedRecord } from './record-schema.ts'
import type { Domain } from './schema.ts'

interface Shown {
  challenge: WantedChallenge
  now: number
  last: KeptCheck | undefined
  record: Domain['record']
  verification: Domain['verification']
  zone: string
}

export function preparationOf({ state }: Pick<FoundDomain, 'state'>): Domain['preparation'] {
  const { preparation, preparationAt, preparedCount } = state
  return {
    state: preparation,
    since: timeOrNull(preparationAt),
    certificatesLeft: preparation === 'requested' ? Math.max(0, maxPrepared - preparedCount) : 0,
  }
}

/** The site's record, the TXT record of ownership where it is asked for, and that of the challenge. */
export function recordsOf(domain: FoundDomain, shown: Shown): RequestedRecord[] {
  const all = [siteRecord(domain, shown), ownershipRecord(domain, shown)]
  return [...all, ...challengeRecords(domain, shown)].filter((each) => each !== undefined)
}

function siteRecord({ state }: FoundDomain, { last, record }: Shown): RequestedRecord {
  const { responding = 0, updated = 0 } = last?.check.propagation ?? {}
  const isLater = state.preparation === 'requested' && state.expiresAt === null
  return {
    ...record,
    purpose: 'site',
    state: state.dns === 'ok' ? 'found' : isLater ? 'later' : 'required',
    servers: last ? { responding, updated } : null,
    setBy: null,
    replaces: null,
  }
}

function ownershipRecord(
  { state }: FoundDomain,
  { last, verification, zone }: Shown,
): RequestedRecord | undefined {
  const isWanted = state.preparation === 'requested' && state.dns !== 'ok'
  const isThere = state.txtFoundAt !== null || last?.isVerificationFound === true
  const isNeeded = isWanted || (verification.isRequired && state.ownership !== 'proven')
  if (!isNeeded && !isThere) return undefined
  return txtRecord(zone, {
    purpose: 'ownership',
    host: verification.host,
    value: verification.value,
    // It may stay: it proves ownership anew if that is needed.
    state: isThere ? 'found' : 'required',
  })
}

/** None before the authority has been asked: there is no value yet. */
function challengeRecords(domain: FoundDomain, shown: Shown): RequestedRecord[] {
  const { challenge, last, zone } = shown
  const { former, name, until, value } = challenge
  const fields = { purpose: 'challenge', host: name } as const
  const isAwaited = domain.state.preparation === 'requested' && value !== undefined
  if (!isAwaited) {
    // It was used, its order was abandoned, or it is given up.
    const left = domain.formerChallenge
    return left ? [txtRecord(zone, { ...fields, value: left.value, state: 'obsolete' })] : []
  }
  const { responding = 0, updated = 0 } = last?.challenge ?? {}
  const isEverywhere = responding > 0 && updated === responding
  return [
    {
      ...txtRecord(zone, { ...fields, value, state: isEverywhere ? 'found' : 'required' }),
      servers: last?.challenge ? { responding, updated } : null,
      setBy: timeOrNull(until),
      replaces: former ? { value: former.value, because: former.because } : null,
    },
  ]
}

function txtRecord(
  zone: string,
  fields: Pick<RequestedRecord, 'purpose' | 'host' | 'value' | 'state'>,
): RequestedRecord {
  const { host, value } = fields
  const plain = { type: 'TXT', value, ttlSeconds: recordTtlSeconds } as const
  return {
    ...fields,
    ...plain,
    name: inForm(host, zone),
    servers: null,
    setBy: null,
    replaces: null,
    zoneLine: zoneLine({ name: host, ...plain }),
  }
}
