// DNS-01 (RFC 8555, section 8.4): the owner is asked for a TXT record, and the authority is not told to validate before
// every name server has it. A failed challenge would end the authorization, and with it the value that the owner has set.
import type { AcmeSession } from '#acme/requests/acme-client.ts'
import {
  type Authorization,
  type Challenge,
  keyAuthorization,
  type Order,
} from '#acme/resources/orders.ts'
import { isChallengeComplete, readChallenge } from '#doctor/reading.ts'
import { notOfferedProblem, tooShort } from '#doctor/rules/preparation-rules.ts'
import { applyEvent } from '../../database/apply-event.ts'
import { releaseAuthorizations, removeOrder } from '../../database/challenges.ts'
import type { FoundDomain } from '../../database/domain-row.ts'
import { findDomainById } from '../../database/find-domains.ts'
import { type CertificateOrder, recordOfOrder } from '../records/certificate-rows.ts'
import { type IssuanceContext, saveOrderStep, setProblem, writeLeased } from './leased-write.ts'
import { blockIssuance, codeOfProblem, preCheckDomain } from './prepare-order.ts'
import { NotIssued } from './record-failure.ts'

const minute = 60_000
const hour = 60 * minute
/** The record is seen everywhere twice, this far apart, before the authority is told: name servers may be clusters. */
const confirmAfterMs = 20_000
/** The same where some name servers do not answer. */
const confirmSilentAfterMs = 10 * minute
/** A check is used for as long. */
const maxCheckAgeMs = 10_000
/** Not asked of an owner who would have less time than that. */
const minWindowMs = 30 * minute
/** We stop this long before the authority does, or a tenth of the time. */
const marginMs = hour
/** The domain is checked in between; this is for a check that was missed. */
const lookAgainAfterMs = hour
/** When an authority that cannot be used before the switch is asked again. */
const refusedForMs = 24 * hour

/** The authority ends the order before the owner has set the record: it needs a new value. */
export class RecordExpired extends Error {
  override readonly name = 'RecordExpired'
}

/**
 * The order, once its challenge can be answered. Undefined when the record is not everywhere yet. Throws NotIssued and
 * RecordExpired.
 */
export async function awaitRecord(
  issuance: IssuanceContext & AcmeSession,
  begun: CertificateOrder,
  authorization: Authorization,
  order: Pick<Order, 'expiresAt'>,
): Promise<CertificateOrder | undefined> {
  const isAnswered = authorization.challenges.some(({ status }) => status === 'processing')
  if (isAnswered || begun.step === 'answered') return begun
  if (begun.expiresAt === null) {
    await requestRecord(issuance, begun, authorization, order)
    return undefined
  }
  const { clock, database } = issuance.context
  const until = begun.expiresAt
  if (clock() >= until) throw new RecordExpired()
  const { value } = recordOfOrder(begun) ?? {}
  const domain = await findDomainById(database.read, begun.domainId)
  const check = domain && (await preCheckDomain(issuance, domain, maxCheckAgeMs, true))
  if (!check) return undefined
  if (check.blockedBy !== undefined) {
    return await blockIssuance(issuance, { by: check.blockedBy, keepsOrder: true })
  }
  const { at = 0, preparation } = check.evidence ?? {}
  const progress = check.evidence && readChallenge(check.evidence)
  const postpone = async (recordSeenAt: number | null, nextAt: number): Promise<undefined> => {
    const event = {
      type: 'record_awaited',
      at: clock(),
      until,
      lookAt: Math.min(until, nextAt),
    } as const
    await saveOrderStep(issuance, { ...begun, recordSeenAt }, event)
  }
  // A check that began before the record was asked for looked for another value.
  const isOfOrder = value !== undefined && preparation?.challenge.value === value
  if (!isOfOrder || !progress || !isChallengeComplete(progress)) {
    return await postpone(null, clock() + lookAgainAfterMs)
  }
  // Every name server has to have it twice.
  const seenAt = begun.recordSeenAt ?? at
  const confirmAt = seenAt + (progress.failing === 0 ? confirmAfterMs : confirmSilentAfterMs)
  return at >= confirmAt ? begun : await postpone(seenAt, confirmAt)
}

/** Stores the value and tells the owner. Throws NotIssued where the authority does not offer DNS-01 or enough time. */
async function requestRecord(
  issuance: IssuanceContext & AcmeSession,
  order: CertificateOrder,
  authorization: Authorization,
  { expiresAt }: Pick<Order, 'expiresAt'>,
): Promise<void> {
  const { account, context } = issuance
  const now = context.clock()
  const { token } = getDnsChallenge(authorization)
  const until = windowEnd(now, [expiresAt, authorization.expiresAt])
  const awaiting: CertificateOrder = {
    ...order,
    step: 'ordered',
    token,
    keyAuthorization: keyAuthorization(token, account.privateKey),
    expiresAt: until,
    recordSeenAt: null,
  }
  const { formerChallenge } = (await findDomainById(context.database.read, order.domainId)) ?? {}
  const record = recordOfOrder(awaiting)
  const isNew = formerChallenge?.value !== record?.value
  const because = isNew ? formerChallenge?.because : undefined
  await saveOrderStep(issuance, awaiting, {
    type: 'record_awaited',
    at: now,
    until,
    lookAt: Math.min(until, now + lookAgainAfterMs),
    record: record && { ...record, because },
  })
}

function getDnsChallenge({ challenges, host }: Authorization): Challenge {
  const challenge = challenges.find(({ type }) => type === 'dns-01')
  if (challenge) return challenge
  const detail = `${host} cannot be validated by DNS-01 there.`
  throw new NotIssued({ type: notOfferedProblem, detail })
}

/** Until when the record can be set. Throws NotIssued when that is too soon. */
function windowEnd(now: number, ends: (number | undefined)[]): number {
  const present = ends.filter((end) => end !== undefined)
  // The authority does not say: as long as Let's Encrypt's shortest.
  const end = present.length > 0 ? Math.min(...present) : now + hour
  const until = end - Math.min(marginMs, Math.max(0, end - now) / 10)
  if (until - now >= minWindowMs) return Math.floor(until)
  const minutes = Math.max(0, Math.floor((end - now) / minute))
  throw new NotIssued({
    type: tooShort,
    detail: `The order ends after ${minutes} min, which is too soon for a DNS record.`,
  })
}

/** The authority is not used before the switch: the order is abandoned, and it is tried again in a day. */
export async function refuseEarlyOrder(
  issuance: IssuanceContext,
  said: NonNullable<FoundDomain['problem']>,
): Promise<void> {
  const at = issuance.context.clock()
  const until = at + refusedForMs
  const problem = { ...said, retryAt: until }
  await writeLeased(issuance, async (session, domain) => {
    await releaseAuthorizations(session, domain.id, at)
    await removeOrder(session, domain.id)
    await setProblem(session, domain.id, problem)
    const event = { type: 'blocked', at, by: codeOfProblem(problem.type), until } as const
    await applyEvent(session, { ...domain, problem }, event)
  })
}
