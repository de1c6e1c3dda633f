// The switch of a live domain as the management API gives it: the checklist, the record to change, and its state.
//   preparing  an item of the checklist has failed or is waiting.
//   ready      none does: the record may be changed now.
//   switching  some name servers, or caches, still have the old record.
//   switched   every name server points here, and no cache keeps the old record.

import type { Evidence } from '#doctor/evidence.ts'
import { ownRecords, pointsToUs, type Reading, readEvidence } from '#doctor/reading.ts'
import { plainRecords } from '#doctor/wording.ts'
import { type Clock, timeOrNull } from '#kit/clock.ts'
import type { Session } from '#kit/database/database.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { findDomainDetails, findLastEvidence } from '../database/find-domains.ts'
import { lastCheckOf } from './check-result.ts'
import { bestSwitchTime, judgeSwitch, shortTtlSeconds } from './judge-switch.ts'
import type { SwitchRunner } from './switch-runner.ts'
import type { DomainSwitch } from './switch-schema.ts'

/** What the API shows of the domain: the record to create. */
interface ShownDomain {
  record: DomainSwitch['change']['to']
  records: readonly { type: string; name: string; host: string; purpose: string; state: string }[]
}

/** At least that long, and twice the TTL, the old site should run on. */
const keepOldSiteMs = 48 * 3_600_000
const usualPort = 443

export async function describeSwitch(
  { clock, read, switches }: { read: Session; clock: Clock; switches: SwitchRunner },
  domain: FoundDomain,
  { record: to, records }: ShownDomain,
): Promise<DomainSwitch> {
  const { host, state } = domain
  const [details, bundle] = await Promise.all([
    findDomainDetails(read, domain.id),
    findLastEvidence(read, domain.id),
  ])
  const reading = bundle === undefined ? undefined : readEvidence(JSON.parse(bundle) as Evidence)
  // Nobody has us send requests for a host that may be somebody else's.
  const isOwn = state.ownership === 'proven' && state.dns !== 'ok'
  const look = await switches.look(domain, isOwn ? addressOfOldSite(reading) : undefined)
  const lastCheck = lastCheckOf(details)
  const now = clock()
  const { httpsPort } = switches
  const items = judgeSwitch({
    ...{ domain, reading, kept: lastCheck, httpsPort, now, ...look },
    fingerprint: details?.fingerprint ?? undefined,
  })
  const isOpen = items.some(({ state: found }) => found === 'failed' || found === 'waiting')
  const { cachedUntil, ttlSeconds = 0 } = lastCheck?.elsewhere ?? {}
  const isCached = cachedUntil !== undefined && cachedUntil > now
  const step = stepOf(state.dns, isCached, !isOpen)
  const [address] = look.seen.map((each) => each.address)
  const port = httpsPort ?? usualPort
  const origin = `https://${host}${port === usualPort ? '' : `:${port}`}`
  const { type, name, value } = to
  return {
    host,
    state: step,
    ready: step === 'ready',
    checkedAt: timeOrNull(state.checkedAt),
    items,
    bestFrom: timeOrNull(bestSwitchTime({ kept: lastCheck, now }) ?? null),
    change: {
      from: reading ? recordsElsewhere(reading) : [],
      // Short, so that the change can be taken back.
      to: { type, name, value, ttlSeconds: shortTtlSeconds },
    },
    preview: {
      command: `curl --connect-to ${host}:${port}:${value}:${port} ${origin}/`,
      hostsLine: address === undefined ? null : `${address} ${host}`,
    },
    cachedUntil: timeOrNull(isCached ? cachedUntil : null),
    removable: step === 'switched' ? removableRecords(records) : [],
    keepOldSiteUntil: timeOrNull(
      cachedUntil === undefined
        ? null
        : cachedUntil - ttlSeconds * 1000 + Math.max(keepOldSiteMs, 2 * ttlSeconds * 1000),
    ),
  }
}

function stepOf(
  dns: FoundDomain['state']['dns'],
  isCached: boolean,
  isReady: boolean,
): DomainSwitch['state'] {
  if (dns === 'partial') return 'switching'
  if (dns === 'ok') return isCached ? 'switching' : 'switched'
  return isReady ? 'ready' : 'preparing'
}

/** Undefined once the host points to us, and where no address responded to the last check or may be asked. */
function addressOfOldSite(reading: Reading | undefined): string | undefined {
  if (!reading || reading.state === 'right') return undefined
  const { platform, probes } = reading
  const others = probes.filter(({ address }) => !platform.addresses.includes(address))
  const current =
    others.find(({ outcome }) => outcome.kind === 'other') ??
    others.find(({ outcome }) => outcome.kind !== 'platform' && outcome.kind !== 'not asked')
  return current?.address
}

/** Each record once, by which the host leads elsewhere at some name server. */
function recordsElsewhere(reading: Reading) {
  const elsewhere = reading.answers.filter(
    ({ pointer }) => !pointsToUs(pointer) && pointer.kind !== 'nothing',
  )
  return plainRecords(elsewhere.flatMap(({ view }) => ownRecords(view.host, reading.subject.host)))
}

/** The TXT records that were needed before: they prove nothing any more, or only what the pointer proves, too. */
function removableRecords(records: ShownDomain['records']): DomainSwitch['removable'] {
  return records.flatMap(({ host, name, purpose, state, type }) => {
    const isOver = state === 'obsolete' || (purpose === 'ownership' && state === 'found')
    return type === 'TXT' && isOver ? [{ type, name, host }] : []
  })
}
