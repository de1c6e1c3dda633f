// Pre-checks before an order: a DNS check of the last minute without blocking findings, CAA, rate limits, and a
// self-check that fetches a token from every address of the host. Before DNS points to us there is no self-check, and
// everything that can be known is reported before the owner is asked for a TXT record.
// A failed pre-check asks nothing of the authority and counts against none of its limits: it blocks the domain until a
// retry.
import { randomBytes } from 'node:crypto'
import { type ChallengeType, httpChallengePath } from '#acme/resources/orders.ts'
import { createKey } from '#acme/x509/keys.ts'
import { type Evidence, reachableAddresses } from '#doctor/evidence.ts'
import { readHostname } from '#doctor/hostname.ts'
import {
  type DiagnosticCode,
  findBlocker,
  findPreparationBlocker,
  judge,
} from '#doctor/rules/judge.ts'
import { isEarlyProblem, tooShort } from '#doctor/rules/preparation-rules.ts'
import { LeaseLostError } from '#kit/jobs/lease.ts'
import { findAccountProblem, isRefusal } from '../../database/account-problems.ts'
import { applyEvent } from '../../database/apply-event.ts'
import { abandonChallenge, abandonOrder, removeOrder } from '../../database/challenges.ts'
import { type FoundDomain, platformHolder } from '../../database/domain-row.ts'
import { findLastEvidence } from '../../database/find-domains.ts'
import { type Fetched, fetchAtAddress } from '../../evidence/fetch-at-address.ts'
import { mayIssue, mayIssueAhead } from '../../state/domain-state.ts'
import { type AuthorityChoice, accountUriOf, chooseAuthority } from '../authorities/authorities.ts'
import { findFailedChallengeType } from '../rate-limits/attempt-log.ts'
import {
  type CertificateOrder,
  keyContext,
  type StoredCertificate,
  saveOrder,
} from '../records/certificate-rows.ts'
import {
  applyLeased,
  type IssuanceContext,
  orderAllowedAt,
  requireIssuable,
  setProblem,
  writeLeased,
} from './leased-write.ts'

/** A check is relied on for as long. */
const recentCheckMs = 60_000

/** An order that can be placed now, before or after DNS points to us. Undefined when the domain is blocked or has changed. */
export async function prepareOrder(
  issuance: IssuanceContext,
  domain: FoundDomain,
  current: StoredCertificate | undefined,
): Promise<CertificateOrder | undefined> {
  const { context } = issuance
  const { clock } = context
  const isAhead = mayIssueAhead(domain.state)
  await applyLeased(issuance, { type: 'begun', at: clock() })
  // The DNS of platform hosts is the operator's responsibility.
  const isPlatformHost = domain.holder === platformHolder
  const check = isPlatformHost
    ? { domain, evidence: undefined, blockedBy: undefined }
    : await preCheckDomain(issuance, domain, recentCheckMs, isAhead)
  if (!check) return undefined
  if (check.blockedBy !== undefined) return await blockIssuance(issuance, { by: check.blockedBy })
  const { evidence } = check
  const { failures } = check.domain.state
  const methods: readonly ChallengeType[] = isAhead ? ['dns-01'] : context.methods
  const { blocker, way } = await chooseIssuanceMethod(issuance, evidence, failures, methods)
  if (!way) return await blockIssuance(issuance, blocker)
  // The authority may have sent Retry-After. Early problems prevent nothing after the switch.
  const { directory, retryAt = 0, type = '' } = check.domain.problem ?? {}
  const isEarly = isEarlyProblem(type)
  if (directory === way.directory && retryAt > clock() && (isAhead || !isEarly)) {
    const by = isEarly ? codeOfProblem(type) : 'T05'
    return await blockIssuance(issuance, { by, until: retryAt })
  }
  const order = await beginOrder(issuance, check.domain, way, current)
  if (!order || isAhead) return order
  const hidden = evidence && (await findTokenProblem(issuance, order, evidence))
  return hidden === undefined ? order : await blockIssuance(issuance, { by: hidden })
}

/**
 * DNS was switched while a TXT record was awaited: the same order goes on with a challenge that visitors' traffic proves,
 * since one challenge of an authorization is enough (RFC 8555, section 7.5.1). Undefined when the domain is blocked or
 * has changed; `no` when the order cannot go on.
 */
export async function continueByTraffic(
  issuance: IssuanceContext,
  domain: FoundDomain,
  order: CertificateOrder,
): Promise<CertificateOrder | 'no' | undefined> {
  const { clock, methods } = issuance.context
  const check = await preCheckDomain(issuance, domain, recentCheckMs, false)
  if (!check) return undefined
  const block = async (by: string) =>
    await blockIssuance(issuance, { by, keepsOrder: order.orderUrl !== null })
  if (check.blockedBy !== undefined) return await block(check.blockedBy)
  const { evidence } = check
  const { blocker, way } = await chooseIssuanceMethod(issuance, evidence, 0, methods)
  if (!way) return await block(blocker.by)
  const [challengeType] = way.methods
  if (way.directory !== order.directory || !challengeType) return 'no'
  // The token of the other challenge serves as that of the self-check.
  const hidden = evidence && (await findTokenProblem(issuance, order, evidence))
  if (hidden !== undefined) return await block(hidden)
  const now = clock()
  const changed = { ...order, challengeType, expiresAt: null, recordSeenAt: now }
  await writeLeased(issuance, async (session, domain) => {
    requireIssuable(domain)
    await abandonChallenge(session, domain, 'canceled', now)
    await saveOrder(session, changed)
  })
  return changed
}

/**
 * The check that issuance relies on: the last one while it is younger than `maxAgeMs`, else a new one. `isAhead`: for a
 * certificate before DNS points to us. Undefined when none may be issued any more: then the state says what is next.
 * `evidence`: undefined when no check has found any. Throws LeaseLostError when the domain was removed.
 */
export async function preCheckDomain(
  { context: { check, clock, database }, signal }: IssuanceContext,
  domain: FoundDomain,
  maxAgeMs: number,
  isAhead: boolean,
) {
  const { checkedAt } = domain.state
  const isFresh = checkedAt !== null && clock() - checkedAt < maxAgeMs
  const checked = isFresh ? domain : await check(domain, signal)
  signal.throwIfAborted()
  if (!checked) throw new LeaseLostError(`domain ${domain.id} was removed`)
  if (!(isAhead ? mayIssueAhead : mayIssue)(checked.state)) return undefined
  const stored = await findLastEvidence(database.read, domain.id)
  if (stored === undefined)
    return { domain: checked, evidence: undefined, blockedBy: 'D03' as const }
  const evidence: Evidence = JSON.parse(stored)
  const judged = judge(evidence)
  const blockedBy = isAhead ? findPreparationBlocker(judged) : findBlocker(judged)
  return { domain: checked, evidence, blockedBy }
}

/** `way`: undefined when each authority is forbidden by CAA, or refuses our account. */
async function chooseIssuanceMethod(
  { context: { authorities, clock, database } }: IssuanceContext,
  evidence: Evidence | undefined,
  failures: number,
  methods: readonly ChallengeType[],
): Promise<{ way: AuthorityChoice | undefined; blocker: Blocker }> {
  let blocker: Blocker = { by: 'C01' }
  const lookups = authorities.directories.map(async (directory) => {
    const problem = await findAccountProblem(database.read, directory, clock())
    if (problem && isRefusal(problem)) {
      blocker = { by: 'T10', problem }
      return []
    }
    const identities = await authorities.identitiesOf(directory)
    const accountUri = evidence && accountUriOf(evidence.platform, identities)
    return [{ directory, identities, accountUri }]
  })
  const candidates = (await Promise.all(lookups)).flat()
  return { way: chooseAuthority(candidates, methods, evidence?.caa, failures), blocker }
}

/** Stores a new order. Undefined when a rate limit is reached, which blocks the domain. */
async function beginOrder(
  issuance: IssuanceContext,
  { host, id }: FoundDomain,
  { directory, methods }: AuthorityChoice,
  current: StoredCertificate | undefined,
): Promise<CertificateOrder | undefined> {
  const { authorities, clock, database, limitsOf, secrets } = issuance.context
  const failed = await findFailedChallengeType(database.read, { directory, host })
  // Alternates between challenge types after a failure.
  const challengeType = methods.find((method) => method !== failed) ?? methods[0] ?? null
  const token = randomBytes(24).toString('base64url')
  const isSame = current?.directory === directory && authorities.directories.includes(directory)
  const begunAt = clock()
  const order: CertificateOrder = {
    domainId: id,
    host,
    registeredDomain: readHostname(host).ok?.registrableDomain ?? host,
    directory,
    step: 'new',
    orderUrl: null,
    challengeType,
    token,
    keyAuthorization: `${token}.${randomBytes(24).toString('base64url')}`,
    privateKey: secrets.encrypt(Buffer.from(await createKey()), keyContext('order', id)),
    replaces: isSame ? current.renewalId : null,
    begunAt,
    expiresAt: null,
    recordSeenAt: null,
  }
  return await writeLeased(issuance, async (session, domain) => {
    requireIssuable(domain)
    const until = await orderAllowedAt(session, domain, order, limitsOf, begunAt)
    if (until === undefined) {
      await saveOrder(session, order)
      return order
    }
    await removeOrder(session, id)
    await applyEvent(session, domain, { type: 'blocked', at: begunAt, by: 'budget', until })
    return undefined
  })
}

/** `problem`: why the authority is not asked. */
type Blocker = { by: string; keepsOrder?: boolean; until?: number | undefined } & Partial<
  Pick<FoundDomain, 'problem'>
>

/**
 * Blocks the domain; it is retried at `until`, or after a default delay. `keepsOrder`: a TXT record that its owner may
 * have set stays valid.
 */
export async function blockIssuance(
  issuance: IssuanceContext,
  { by, keepsOrder, problem, until }: Blocker,
): Promise<undefined> {
  const at = issuance.context.clock()
  await writeLeased(issuance, async (session, domain) => {
    if (!keepsOrder) await abandonOrder(session, domain, 'canceled', at)
    if (problem) await setProblem(session, domain.id, problem)
    await applyEvent(session, domain, { type: 'blocked', at, by, until })
  })
  return undefined
}

/** The diagnostic that says why the token cannot be seen everywhere; undefined when it can. Takes 2.5 s at most. */
async function findTokenProblem(
  { context: { probePorts } }: IssuanceContext,
  { host, keyAuthorization, token }: CertificateOrder,
  evidence: Evidence,
): Promise<DiagnosticCode | undefined> {
  // Addresses that did not reach this server come from outdated caches.
  const addresses = reachableAddresses(evidence)
  if (addresses.length === 0) return 'T01'
  const path = httpChallengePath + token
  const outcomes = await Promise.all(
    addresses.map((address) => fetchAtAddress(host, address, path, probePorts)),
  )
  const codes = outcomes.map((fetched) => codeOf(fetched, keyAuthorization))
  return codes.find((code) => code !== undefined)
}

function codeOf(fetched: Fetched, expected: string): DiagnosticCode | undefined {
  if (fetched.kind === 'redirect loop') return 'T02'
  if (fetched.kind !== 'answer') return 'T01'
  // Trailing white space is ignored (RFC 8555, section 8.3).
  return fetched.status === 200 && fetched.body.trimEnd() === expected ? undefined : 'T03'
}

/** The diagnostic by which an authority is not used before the switch. */
export function codeOfProblem(type: string): DiagnosticCode {
  return type === tooShort ? 'M11' : 'M12'
}
