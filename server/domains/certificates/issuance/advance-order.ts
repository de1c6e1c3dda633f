// Advances an order to its certificate (RFC 8555, section 7.4). The order's status at the authority decides what is done
// next, so that any process continues it after an interruption at any point. Each step is stored before or right after
// the authority learns of it, and only by the holder of the domain's lease.
//
// The stored `step` of an order, of which a domain has at most one:
//   new        stored before anything is sent; its token is that of the self-check (prepare-order.ts).
//   ordered    the authority has created it. The response to its challenge is stored, or the owner is asked for a TXT
//              record until `expiresAt` (await-record.ts).
//   answered   the authority was told to validate, and its authorizations are polled.
//   ready      all authorizations are valid.
//   finalized  the CSR was sent; the order is polled until its certificate can be downloaded.
// It ends, and its row is deleted, with the write that stores the certificate (process-certificate.ts), when the
// authority refuses or no longer knows it, when its pre-checks block the domain, when the time for the record is over,
// and when another authority is tried.
import { type AcmeSession, getDirectory } from '#acme/requests/acme-client.ts'
import { AcmeProblem } from '#acme/requests/read-response.ts'
import {
  type Authorization,
  answerChallenge,
  type Challenge,
  createOrder,
  deactivateAuthorization,
  downloadCertificate,
  finalizeOrder,
  getAuthorization,
  getOrder,
  keyAuthorization,
  type Order,
  pollUntil,
  problemOfAuthorization,
} from '#acme/resources/orders.ts'
import { findChainProblem, signRequest } from '#acme/x509/certificate.ts'
import { type CertificateOrder, keyContext } from '../records/certificate-rows.ts'
import { awaitRecord, RecordExpired } from './await-record.ts'
import { type IssuanceContext, reserveOrder, saveOrderStep } from './leased-write.ts'
import { NotIssued } from './record-failure.ts'

/** How long one pass polls; after that, other domains are processed. */
const maxPollMs = 8_000
/** An older order is abandoned. */
const maxOrderAgeMs = 30 * 60_000
/** The profile whose orders are open longest, for owners who have to set a record: Let's Encrypt's. */
const patientProfile = 'classic'
/** An order has four steps; more rounds mean that the authority loops. */
const maxRounds = 8

/** The session is aborted with the issuance. */
type AdvanceContext = IssuanceContext & AcmeSession

/**
 * Returns the certificate; undefined when the order takes longer and has been postponed. Throws AcmeProblem,
 * AcmeNoResponse, NotIssued, RecordExpired and LeaseLostError.
 */
export async function advanceOrder(issuance: IssuanceContext, begun: CertificateOrder) {
  const { context, signal } = issuance
  const { authorities, secrets } = context
  const advancing: AdvanceContext = {
    ...issuance,
    client: authorities.clientOf(begun.directory),
    account: await authorities.accountAt(begun.directory),
  }
  const key = secrets.decrypt(begun.privateKey, keyContext('order', begun.domainId)).toString()
  let { order, placed } = await findOrCreateOrder(advancing, begun)
  for (let round = 0; round < maxRounds; round++) {
    signal.throwIfAborted()
    if (placed.status === 'invalid') throw await readOrderProblem(advancing, order, placed)
    if (placed.status === 'valid') return await collectCertificate(advancing, order, placed, key)
    if (placed.status === 'pending') {
      const authorized = await authorizeOrder(advancing, order, placed).catch(async (error) => {
        // The authority would give the same value again.
        const ended = error instanceof RecordExpired ? placed.authorizationUrls : []
        for (const url of ended) await deactivateAuthorization(advancing, url)
        throw error
      })
      if (!authorized) return undefined
      order = authorized
      placed = await getOrder(advancing, placed.url)
    } else if (placed.status === 'ready') {
      placed = await finalize(advancing, placed, order.host, key)
      order = await saveOrderStep(issuance, { ...order, step: 'finalized' })
    } else {
      const { url } = placed
      placed = await poll(advancing, () => getOrder(advancing, url), 'processing')
      if (placed.status === 'processing') return await continueLater(advancing, order, placed)
    }
  }
  return await continueLater(advancing, order, placed)
}

/** The order at the authority, created if necessary. */
async function findOrCreateOrder(advancing: AdvanceContext, order: CertificateOrder) {
  if (order.orderUrl !== null) return { order, placed: await getOrder(advancing, order.orderUrl) }
  await reserveOrder(advancing, order)
  const { order: placed, replaces } = await placeOrder(advancing, order)
  const changed = { ...order, step: 'ordered', orderUrl: placed.url, replaces } as const
  const { directory, domainId, host } = order
  const event = { type: 'ordered', at: advancing.context.clock() } as const
  const subject = { directory, domainId, host, account: advancing.account.url }
  const authorizations = placed.authorizationUrls.map((url) => ({ ...subject, url }))
  const saved = await saveOrderStep(advancing, changed, event, authorizations)
  return { order: saved, placed }
}

async function placeOrder(
  advancing: AdvanceContext,
  { challengeType, directory, host, replaces }: CertificateOrder,
): Promise<{ order: Order; replaces: string | null }> {
  const { client, context } = advancing
  const { profiles, renewalInfo } = await getDirectory(client, advancing)
  const isFirst = directory === context.authorities.directories[0]
  const isEarly = challengeType === 'dns-01'
  const chosenProfile = isEarly ? patientProfile : isFirst ? context.profile : undefined
  const profile =
    chosenProfile !== undefined && Object.hasOwn(profiles, chosenProfile)
      ? chosenProfile
      : undefined
  if (chosenProfile !== profile && !isEarly) context.noteMissingProfile(directory)
  const order = { hosts: [host], profile }
  if (renewalInfo !== undefined && replaces !== null) {
    try {
      return { order: await createOrder(advancing, { ...order, replaces }), replaces }
    } catch (error) {
      // Ordered without a predecessor instead (RFC 9773, section 5).
      if (!(error instanceof AcmeProblem && cannotReplace.includes(error.type))) throw error
    }
  }
  return { order: await createOrder(advancing, order), replaces: null }
}

/** Pebble says `serverInternal` of a certificate whose order it does not find; it would say so at each attempt. */
const cannotReplace = ['alreadyReplaced', 'malformed', 'unauthorized', 'serverInternal']

/** Completes all authorizations. Undefined when it takes longer. Throws NotIssued when validation failed. */
async function authorizeOrder(
  advancing: AdvanceContext,
  order: CertificateOrder,
  { authorizationUrls, expiresAt }: Order,
): Promise<CertificateOrder | undefined> {
  let saved = order
  for (const url of authorizationUrls) {
    const authorization = await getAuthorization(advancing, url)
    if (authorization.status === 'valid') continue
    if (authorization.status !== 'pending') throw toNotIssued(saved, authorization)
    if (saved.challengeType === 'dns-01') {
      const ready = await awaitRecord(advancing, saved, authorization, { expiresAt })
      if (!ready) return undefined
      saved = ready
    }
    saved = await respondToChallenge(advancing, saved, authorization)
    const look = () => getAuthorization(advancing, url)
    const settled = await poll(advancing, look, 'pending')
    if (settled.status === 'pending') return await continueLater(advancing, saved, settled)
    if (settled.status !== 'valid') throw toNotIssued(saved, settled)
  }
  return await saveOrderStep(advancing, { ...saved, step: 'ready' })
}

/** Stores the challenge response before the authority validates, because any process may be asked for it. */
async function respondToChallenge(
  advancing: AdvanceContext,
  order: CertificateOrder,
  authorization: Authorization,
): Promise<CertificateOrder> {
  const challenge = chooseChallenge(order, authorization)
  const { token, type } = challenge
  const shown: CertificateOrder = {
    ...order,
    challengeType: type,
    token,
    keyAuthorization: keyAuthorization(token, advancing.account.privateKey),
  }
  const isShown = order.token === token && order.challengeType === type
  const saved = isShown ? order : await saveOrderStep(advancing, { ...shown, step: 'ordered' })
  if (challenge.status === 'pending') {
    try {
      await answerChallenge(advancing, challenge.url)
    } catch (error) {
      // Already answered or finished: its authorization has the status.
      if (!(error instanceof AcmeProblem && error.type === 'malformed')) throw error
    }
  }
  const event = { type: 'validating', at: advancing.context.clock() } as const
  return await saveOrderStep(advancing, { ...saved, step: 'answered' }, event)
}

/** The challenge in progress, or of the chosen type, or the first offered that needs no record of the owner. */
function chooseChallenge(
  { challengeType }: CertificateOrder,
  { challenges, host }: Authorization,
): Challenge {
  const chosen =
    challenges.find(({ status }) => status === 'processing') ??
    challenges.find(({ type }) => type === challengeType) ??
    challenges.find(({ type }) => type !== 'dns-01')
  if (chosen) return chosen
  const detail = `${host} can be validated neither by HTTP-01 nor by TLS-ALPN-01.`
  throw new NotIssued({ type: 'unsupported', detail })
}

function toNotIssued({ challengeType }: CertificateOrder, authorization: Authorization): NotIssued {
  const { status } = authorization
  const problem = problemOfAuthorization(authorization) ?? {
    type: status === 'invalid' ? 'unauthorized' : 'orderInvalid',
    detail: `The authorization is ${status}.`,
  }
  if (status !== 'invalid') return new NotIssued(problem)
  // Another challenge type does not help against CAA or a policy.
  const isOfMethod = !['caa', 'rejectedIdentifier'].includes(problem.type)
  const failedBy = isOfMethod ? (challengeType ?? undefined) : undefined
  return new NotIssued(problem, { challengeType: failedBy })
}

/** The problem of the order or of an authorization. */
async function readOrderProblem(
  advancing: AdvanceContext,
  order: CertificateOrder,
  { authorizationUrls, problem }: Order,
): Promise<NotIssued> {
  for (const url of authorizationUrls) {
    const authorization = await getAuthorization(advancing, url)
    if (authorization.status === 'invalid') return toNotIssued(order, authorization)
  }
  return new NotIssued(problem ?? { type: 'orderInvalid', detail: 'The order is invalid.' })
}

async function finalize(advancing: AdvanceContext, order: Order, host: string, key: string) {
  try {
    return await finalizeOrder(advancing, order, signRequest([host], key))
  } catch (error) {
    // Already finalized: the order has the status.
    if (!(error instanceof AcmeProblem && error.type === 'orderNotReady')) throw error
    return await getOrder(advancing, order.url)
  }
}

async function collectCertificate(
  advancing: AdvanceContext,
  order: CertificateOrder,
  { certificateUrl = '' }: Order,
  key: string,
) {
  const chain = await downloadCertificate(advancing, certificateUrl)
  const fault = findChainProblem({ chain, key }, order.host, advancing.context.clock())
  if (fault === undefined) return { order, chain, key }
  throw new NotIssued({
    type: 'badCertificate',
    detail: `The issued certificate cannot be used: ${fault}.`,
    status: 500,
  })
}

/** Polls the order again when the authority suggests. Throws NotIssued after half an hour. */
async function continueLater(
  advancing: AdvanceContext,
  order: CertificateOrder,
  { retryAt }: { retryAt: number | undefined },
): Promise<undefined> {
  const at = advancing.context.clock()
  // The time that the owner had for a record does not count.
  const since = Math.max(order.begunAt, order.recordSeenAt ?? 0)
  if (at - since > maxOrderAgeMs) {
    const detail = 'The order did not finish within half an hour.'
    throw new NotIssued({ type: 'noAnswer', detail, status: 503 })
  }
  // Without a suggestion at once: domains that have waited longer come first.
  await saveOrderStep(advancing, order, { type: 'validating', at, lookAt: retryAt })
  return undefined
}

/** Polls while the status is `waiting`. */
function poll<Seen extends { status: string; retryAt: number | undefined }>(
  { context: { clock: now, wait }, signal }: AdvanceContext,
  look: () => Promise<Seen>,
  waiting: Seen['status'],
): Promise<Seen> {
  const limits = { now, wait, withinMs: maxPollMs, signal }
  return pollUntil(look, ({ status }) => status !== waiting, limits)
}
