// A domain as the management API shows it: its DNS records, the progress of its certificate and its status, all derived
// from the state and the last check. Also what a list of projects says about the domains of each: the primary, and those
// that need their owner.

import type { WantedChallenge } from '#doctor/evidence.ts'
import { type Hostname, readHostname, wwwPairOf } from '#doctor/hostname.ts'
import { describeTxtReason } from '#doctor/ownership.ts'
import type { Problem } from '#doctor/rules/certificate-rules.ts'
import { answersOfAuthority, type DiagnosticCode } from '#doctor/rules/judge.ts'
import { inForm, plainRecord, recordTtlSeconds, zoneLine } from '#doctor/wording.ts'
import { type Clock, timeOrNull } from '#kit/clock.ts'
import type { Session } from '#kit/database/database.ts'
import type { DomainsOfProject } from '#publishing/projects/schema.ts'
import type { Badge } from '../../../client/values/domain-badges.ts'
import type { ReadHostRateLimits } from '../certificates/rate-limits/attempt-log.ts'
import { type KeptCheck, lastCheckOf } from '../checks/check-result.ts'
import { verificationRecordOf } from '../claims/claims-on-host.ts'
import { wantedChallengeOf } from '../database/challenges.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import {
  type DomainDetails,
  findDomainDetails,
  listDomainDetails,
  listDomains,
} from '../database/find-domains.ts'
import { badgeOf, describeBlocker } from '../state/badge.ts'
import { type DomainState, shownCertificateState } from '../state/domain-state.ts'
import { maxPrepared } from '../state/transition.ts'
import { statusOf } from './domain-status.ts'
import type { Domain, RequestedRecord } from './schema.ts'

interface ShownIn {
  /** The remaining rate limits of the authority, where it has any. */
  budget?: Domain['certificate']['budget'] | undefined
  now: number
  /** The slug of its project. */
  project: string
  platformHost: string
}

export function showDomain(
  domain: FoundDomain,
  details: DomainDetails | undefined,
  { budget = null, now, project, platformHost }: ShownIn,
): Domain {
  const { issuer = null } = details ?? {}
  const { addedAt, host, role, state } = domain
  const { dns, ownership, provenBy, serving } = state
  const name = nameOfHost(host)
  const last = lastCheckOf(details)
  const zone = last?.check.zone ?? name.registrableDomain
  const proof = requirementOf(domain, last, now)
  const txt = verificationRecordOf(domain)
  const verification = { ...proof, ...txt, host: txt.name, name: inForm(txt.name, zone) }
  const certificate = showCertificate(domain, { budget, issuer, now })
  const verified = lastVerified(state)
  const type = host === zone ? 'ALIAS' : 'CNAME'
  const record = { type, ...recordFields(zone, type, host, platformHost) } as const
  const challenge = wantedChallengeOf(domain, details)
  const shown = {
    host,
    unicodeHost: name.unicodeHost,
    project,
    addedAt: new Date(addedAt).toISOString(),
    version: domain.version,
    badge: badgeFrom(domain, last, now),
    ...{ ownership, provenBy, dns, certificate, serving, role },
    redirect: domain.redirect ?? null,
    pair: wwwPairOf(name) ?? null,
    preparation: preparationOf(domain),
    record,
    verification,
    records: recordsOf(domain, { challenge, last, record, verification, zone }),
    checkedAt: timeOrNull(state.checkedAt),
    nextVerifyAt: timeOrNull(verified && verified + minRecheckMs),
    check: last ? withoutSolvedProblems(last.check, certificate, now) : null,
  }
  return { ...shown, status: statusOf(shown) }
}

/** A request to verify within this time of the last one returns its result. */
const minRecheckMs = 10_000

/** Whether the last result is returned instead of another check. A background check does not count as a user's request. */
export function isJustVerified(state: FoundDomain['state'], now: number): boolean {
  const last = lastVerified(state)
  return last !== null && last <= now && now - last < minRecheckMs
}

const lastVerified = ({ checkedAt, verificationRequestedAt }: FoundDomain['state']) =>
  checkedAt && Math.min(checkedAt, verificationRequestedAt)

/** Whether the TXT record that proves ownership is required. */
function requirementOf(domain: FoundDomain, last: KeptCheck | undefined, now: number) {
  const until = last?.pointerProvesUntil
  if (domain.state.ownership === 'proven' || last === undefined) {
    return { isRequired: false, reason: null, requiredFrom: null }
  }
  // The time may have passed since the last check.
  const isTooLate = until !== undefined && now >= until
  const isRequired = last.isVerificationRequired || isTooLate
  const late = describeTxtReason(isTooLate ? ['too late'] : [], domain.host)
  const reason = last.verificationReason ?? (late && `${late.title}. ${late.detail}`) ?? null
  const requiredFrom = isRequired ? null : timeOrNull(until ?? null)
  return { isRequired, reason, requiredFrom }
}

/** What adding the record does not solve: not registered, no name server, broken DNSSEC, a record at the wrong name. */
const brokenDns: string[] = ['D02', 'D03', 'D04', 'D05'] satisfies DiagnosticCode[]

const isBroken = (last: KeptCheck | undefined): boolean =>
  last?.check.diagnostics.some(
    ({ code, severity }) => severity === 'blocks' && brokenDns.includes(code),
  ) ?? false

function badgeFrom(domain: FoundDomain, last: KeptCheck | undefined, now: number): Badge {
  const { isRequired } = requirementOf(domain, last, now)
  const reasons = { isVerificationRequired: isRequired, isDnsBroken: isBroken(last) }
  return badgeOf(domain.state, now, reasons)
}

const oldCaches: DiagnosticCode = 'D09'

/**
 * A check may be hours old: drops what has passed by then, and the authority's problems after it has issued the
 * certificate.
 */
function withoutSolvedProblems(
  check: KeptCheck['check'],
  { problem, state }: Domain['certificate'],
  now: number,
): KeptCheck['check'] {
  const isIssued = state === 'issued' && problem === null
  const isSolved = ({ code, until }: KeptCheck['check']['diagnostics'][number]): boolean =>
    (isIssued && answersOfAuthority.includes(code)) ||
    (code === oldCaches && until !== null && Date.parse(until) <= now)
  return {
    ...check,
    diagnostics: check.diagnostics
      .filter((each) => !isSolved(each))
      // Checks of releases before have no zone lines.
      .map(({ fix, ...rest }) => {
        const { add = [], remove = [], text = '' } = fix ?? {}
        return { ...rest, fix: fix && { text, remove, add, zoneLines: add.map(zoneLine) } }
      }),
  }
}

/** `zone`: of the host; before the first check, the registrable domain. */
function recordFields(zone: string, type: RequestedRecord['type'], host: string, value: string) {
  const line = zoneLine(plainRecord(type, host, value))
  return { name: inForm(host, zone), host, value, ttlSeconds: recordTtlSeconds, zoneLine: line }
}

export type DomainView = (domain: FoundDomain, projectSlug: string) => Promise<Domain>

export function createDomainView(
  read: Session,
  clock: Clock,
  platformHost: string,
  readHostRateLimits?: ReadHostRateLimits,
): DomainView {
  return async (domain, project) => {
    const details = await findDomainDetails(read, domain.id)
    const budget = await readHostRateLimits?.(nameOfHost(domain.host), domain.holder)
    return showDomain(domain, details, { budget, now: clock(), project, platformHost })
  }
}

/** Works for hosts that stricter rules would refuse now, too. */
export function nameOfHost(host: string): Hostname {
  const unknown = { host, unicodeHost: host, registrableDomain: host, label: '@', isApex: true }
  return readHostname(host).ok ?? unknown
}

type Step = Domain['certificate']['steps'][number]

/**
 * How far a domain is on its way to a certificate, derived from its state. `issuer`: of the certificate in use. `budget`:
 * where the limits of the authority are known.
 */
export function showCertificate(
  { problem, state }: Pick<FoundDomain, 'problem' | 'state'>,
  { budget, issuer, now }: Pick<Domain['certificate'], 'budget' | 'issuer'> & { now: number },
): Domain['certificate'] {
  const { blockedBy, certificateSince, expiresAt, failures, renewAt } = state
  return {
    state: shownCertificateState(state),
    since: timeOrNull(certificateSince),
    steps: stepsOf(state, now),
    issuer,
    expiresAt: timeOrNull(expiresAt),
    renewAt: timeOrNull(renewAt),
    blockedBy,
    blockedReason: blockedBy === null ? null : describeBlocker(blockedBy),
    problem: problem ? problemToJson(problem) : null,
    failures,
    nextTryAt: timeOrNull(nextTryOf(state)),
    budget,
  }
}

function problemToJson({ at, authority, detail, status, type }: Problem) {
  return { authority, type, status, detail, at: new Date(at).toISOString() }
}

/** When the next attempt starts after a failure. */
function nextTryOf({ blockedBy, certificate, failures, issueAt }: DomainState): number | null {
  if (certificate === 'blocked' || certificate === 'retry_wait') return issueAt
  return certificate === 'issued' && (failures > 0 || blockedBy !== null) ? issueAt : null
}

/** Of the last attempt, in the order in which they are taken; [] before the first one. */
function stepsOf({ attempt }: DomainState, now: number): Step[] {
  if (!attempt) return []
  const { awaitedAt, begunAt, endedAt, isIssued, orderedAt, validatingAt } = attempt
  type Reached = [step: Step['step'], from: number | null, to: number | null]
  const awaited: Reached[] =
    awaitedAt === undefined ? [] : [['awaiting_record', awaitedAt, validatingAt]]
  const reached: Reached[] = [
    ['preflight', begunAt, orderedAt],
    ['ordering', orderedAt, awaitedAt ?? validatingAt],
    ...awaited,
    ['validating', validatingAt, null],
  ]
  const steps = reached.map(([step, from, to]): Step => {
    if (from === null) return { step, state: 'waiting', elapsedMs: null }
    // Clocks of several nodes may differ.
    const elapsedMs = Math.max(0, (to ?? endedAt ?? now) - from)
    if (to !== null || isIssued) return { step, state: 'done', elapsedMs }
    return { step, state: endedAt === null ? 'running' : 'failed', elapsedMs }
  })
  // Our internal authority does not validate.
  return isIssued ? steps.filter(({ state }) => state === 'done') : steps
}

interface Shown {
  challenge: WantedChallenge
  last: KeptCheck | undefined
  record: Domain['record']
  verification: Domain['verification']
  zone: string
}

function preparationOf({ state }: Pick<FoundDomain, 'state'>): Domain['preparation'] {
  const { preparation, preparationAt, preparedCount } = state
  return {
    state: preparation,
    since: timeOrNull(preparationAt),
    certificatesLeft: preparation === 'requested' ? Math.max(0, maxPrepared - preparedCount) : 0,
  }
}

/**
 * The site's record, the TXT record of ownership where it is asked for, and that of the challenge: each with its purpose,
 * and whether it has to be set now.
 */
function recordsOf(domain: FoundDomain, shown: Shown): RequestedRecord[] {
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
  const { host, value } = verification
  // It may stay: it proves ownership anew if that is needed.
  return txtRecord(zone, 'ownership', host, value, isThere ? 'found' : 'required')
}

/** None before the authority has been asked: there is no value yet. */
function challengeRecords(domain: FoundDomain, shown: Shown): RequestedRecord[] {
  const { challenge, last, zone } = shown
  const { former, name, until, value } = challenge
  const isAwaited = domain.state.preparation === 'requested' && value !== undefined
  if (!isAwaited) {
    // It was used, its order was abandoned, or it is given up.
    const left = domain.formerChallenge
    return left ? [txtRecord(zone, 'challenge', name, left.value, 'obsolete')] : []
  }
  const { responding = 0, updated = 0 } = last?.challenge ?? {}
  const isEverywhere = responding > 0 && updated === responding
  return [
    {
      ...txtRecord(zone, 'challenge', name, value, isEverywhere ? 'found' : 'required'),
      servers: last?.challenge ? { responding, updated } : null,
      setBy: timeOrNull(until),
      replaces: former ? { value: former.value, because: former.because } : null,
    },
  ]
}

function txtRecord(
  zone: string,
  purpose: RequestedRecord['purpose'],
  host: string,
  value: string,
  state: RequestedRecord['state'],
): RequestedRecord {
  const record = recordFields(zone, 'TXT', host, value)
  return { purpose, type: 'TXT', ...record, state, servers: null, setBy: null, replaces: null }
}

/** Those that do not solve themselves. */
const needsOwner: ReadonlySet<Badge> = new Set([
  'add_dns_record',
  'fix_dns',
  'prove_ownership',
  'prepare_certificate',
  'ready_to_switch',
  'needs_attention',
  'at_risk',
  'suspended',
  'paused',
])

type SummariseDomains = (projectId: string) => Promise<DomainsOfProject>

export function createDomainSummary(read: Session, clock: Clock): SummariseDomains {
  return async (projectId) => {
    const domains = await listDomains(read, projectId)
    const now = clock()
    // The last checks are long, and only these depend on them.
    const isSettled = domains.every(
      ({ state }) => state.ownership === 'proven' && state.dns === 'ok',
    )
    const details = isSettled ? undefined : await listDomainDetails(read, projectId)
    const badges = domains.map((domain) => ({
      host: domain.host,
      badge: badgeFrom(domain, lastCheckOf(details?.get(domain.id)), now),
    }))
    const primary = domains.find(({ role }) => role === 'primary')
    return {
      count: domains.length,
      primary: primary?.host ?? null,
      isPrimaryServed: primary?.state.serving === 'https',
      attention: badges.filter(({ badge }) => needsOwner.has(badge)),
    }
  }
}
