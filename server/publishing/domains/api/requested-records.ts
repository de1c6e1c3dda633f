// The DNS records of a domain as the management API gives them: what each is for, and whether it has to be set now.

import { timeOrNull } from '../../../platform/clock.ts'
import { persistentType } from '../../acme/resources/authorizations.ts'
import type { KeptCheck } from '../checks/check-result.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { leftChallengesOf, type OpenChallenge } from '../database/find-challenge.ts'
import { inForm, recordTtlSeconds } from '../doctor/wording.ts'
import { zoneLine } from '../doctor/zone-line.ts'
import type { WantedChallenge } from '../evidence/evidence.ts'
import { preparationMethods } from '../state/domain-state.ts'
import { maxPrepared } from '../state/transition.ts'
import type { RequestedRecord } from './record-schema.ts'
import type { Domain } from './schema.ts'

interface Shown {
  challenge: WantedChallenge
  details: OpenChallenge
  now: number
  last: KeptCheck | undefined
  record: Domain['record']
  verification: Domain['verification']
  zone: string
}

export function preparationOf({
  persistOffer,
  state,
}: Pick<FoundDomain, 'persistOffer' | 'state'>): Domain['preparation'] {
  const { preparation, preparationAt, preparationMethod: method, preparedCount } = state
  return {
    state: preparation,
    since: timeOrNull(preparationAt),
    certificatesLeft: preparation === 'requested' ? Math.max(0, maxPrepared - preparedCount) : 0,
    method,
    methods: preparationMethods.filter((each) => each !== persistentType || persistOffer),
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
    lastsUntil: null,
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
  const { challenge, details, last, now, zone } = shown
  const { former, method, name, until, value } = challenge
  const fields = { purpose: 'challenge', host: name } as const
  const isAwaited = domain.state.preparation === 'requested' && value !== undefined
  const isOver = method !== undefined && until !== undefined && until <= now
  // They were used, their order was abandoned, or they are given up.
  const obsolete = leftChallengesOf(domain, details)
    .filter((left) => !isAwaited || isOver || left.value !== value)
    .filter((left) => !isAwaited || left.value !== former?.value)
    .map(({ value, ...left }) =>
      txtRecord(zone, {
        ...{ purpose: 'challenge', host: left.name, value, state: 'obsolete' },
        lastsUntil: left.until,
      }),
    )
  if (!isAwaited || isOver) return obsolete
  const { responding = 0, updated = 0 } = last?.challenge ?? {}
  const isEverywhere = responding > 0 && updated === responding
  return [
    {
      ...txtRecord(zone, {
        ...fields,
        value,
        state: isEverywhere ? 'found' : 'required',
        lastsUntil: method && until,
      }),
      servers: last?.challenge ? { responding, updated } : null,
      setBy: method ? null : timeOrNull(until),
      replaces: former ? { value: former.value, because: former.because } : null,
    },
    ...obsolete,
  ]
}

function txtRecord(
  zone: string,
  given: Pick<RequestedRecord, 'purpose' | 'host' | 'value' | 'state'> & {
    lastsUntil?: number | undefined
  },
): RequestedRecord {
  const { lastsUntil, ...fields } = given
  const { host, value } = fields
  const plain = { type: 'TXT', value, ttlSeconds: recordTtlSeconds } as const
  return {
    ...fields,
    ...plain,
    name: inForm(host, zone),
    servers: null,
    setBy: null,
    lastsUntil: timeOrNull(lastsUntil),
    replaces: null,
    zoneLine: zoneLine({ name: host, ...plain }),
  }
}
