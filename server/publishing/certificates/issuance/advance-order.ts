// An order, from wherever it is to its certificate (RFC 8555, section 7.4). What the authority says of it
// decides what comes next, so that it goes on after a stop at any moment; each step is kept before or as soon
// as the authority knows of it, and never by whoever has lost the lease.
import type { Clock } from '../../../platform/clock.ts'
import {
  type AcmeAccount,
  type AcmeClient,
  type CallOptions,
  getDirectory,
} from '../../acme/requests/acme-client.ts'
import { AcmeProblem } from '../../acme/requests/acme-error.ts'
import {
  type Authorization,
  answerChallenge,
  type Challenge,
  getAuthorization,
  problemOfAuthorization,
} from '../../acme/resources/authorizations.ts'
import { downloadCertificate } from '../../acme/resources/certificates.ts'
import { keyAuthorization } from '../../acme/resources/challenges.ts'
import { createOrder, finalizeOrder, getOrder, type Order } from '../../acme/resources/orders.ts'
import { pollUntil } from '../../acme/resources/poll-until.ts'
import { findChainProblem } from '../../acme/x509/certificate-facts.ts'
import { signRequest } from '../../acme/x509/sign-certificate.ts'
import { keyContext } from '../records/certificate-rows.ts'
import type { CertificateOrder } from '../records/order-rows.ts'
import type { IssuanceContext } from './issuance-context.ts'
import { NotIssued } from './record-failure.ts'
import { postponeOrder, reserveOrder, saveOrderStep } from './save-order-step.ts'

/** Waited for in one go; after that others have their turn. */
const hedgeAfterMs = 8_000
/** An order that has come to nothing in so long is given up. */
const maxAgeMs = 30 * 60_000
/** An order has four steps; whoever says more than this turns in a circle. */
const maxRounds = 8

interface AdvanceContext extends IssuanceContext {
  client: AcmeClient
  account: AcmeAccount
  options: CallOptions
}

export interface IssuedCertificate {
  order: CertificateOrder
  chain: string
  key: string
}

/**
 * The certificate that the order is for; undefined when it takes longer, and then it is looked at again. Throws
 * what the authority answers, NotIssued, and LeaseLostError.
 */
export async function advanceOrder(
  issuance: IssuanceContext,
  begun: CertificateOrder,
): Promise<IssuedCertificate | undefined> {
  const { context, signal } = issuance
  const { authorities, secrets } = context
  const advancing: AdvanceContext = {
    ...issuance,
    client: authorities.clientOf(begun.directory),
    account: await authorities.accountAt(begun.directory),
    options: { signal },
  }
  const key = secrets.decrypt(begun.privateKey, keyContext('order', begun.domainId)).toString()
  let { kept, seen } = await find(advancing, begun)
  for (let round = 0; round < maxRounds; round++) {
    signal.throwIfAborted()
    if (seen.status === 'invalid') throw await whyInvalid(advancing, kept, seen)
    if (seen.status === 'valid') return await collect(advancing, kept, seen, key)
    if (seen.status === 'pending') {
      const proven = await prove(advancing, kept, seen)
      if (!proven) return undefined
      kept = proven
      seen = await getOrder(advancing.client, advancing.account, seen.url, advancing.options)
    } else if (seen.status === 'ready') {
      seen = await finalize(advancing, seen, kept.host, key)
      kept = await saveOrderStep(issuance, { ...kept, step: 'finalized' })
    } else {
      seen = await look(advancing, seen)
      if (seen.status === 'processing') return await later(advancing, kept, seen)
    }
  }
  return await later(advancing, kept, seen)
}

/** The order at the authority: made now where there is none. */
async function find(
  advancing: AdvanceContext,
  kept: CertificateOrder,
): Promise<{ kept: CertificateOrder; seen: Order }> {
  const { account, client, options } = advancing
  if (kept.orderUrl !== null) {
    return { kept, seen: await getOrder(client, account, kept.orderUrl, options) }
  }
  await reserveOrder(advancing, kept)
  const { order: placed, replaces } = await place(advancing, kept)
  const changed = { ...kept, step: 'ordered', orderUrl: placed.url, replaces } as const
  return { kept: await saveOrderStep(advancing, changed, 'ordered'), seen: placed }
}

async function place(
  { account, client, context, options }: AdvanceContext,
  { directory, host, replaces }: CertificateOrder,
): Promise<{ order: Order; replaces: string | null }> {
  const { profiles, renewalInfo } = await getDirectory(client, options)
  const isFirst = directory === context.authorities.directories[0]
  const wanted = isFirst ? context.profile : undefined
  const profile = wanted !== undefined && Object.hasOwn(profiles, wanted) ? wanted : undefined
  if (wanted !== profile) context.noteMissingProfile(directory)
  const order = { hosts: [host], profile }
  const predecessor = renewalInfo === undefined ? null : replaces
  if (predecessor !== null) {
    try {
      const replacing = { ...order, replaces: predecessor }
      return {
        order: await createOrder(client, account, replacing, options),
        replaces: predecessor,
      }
    } catch (error) {
      // It is a certificate of its own, then (RFC 9773, section 5).
      if (!(error instanceof AcmeProblem && cannotReplace.includes(error.type))) throw error
    }
  }
  return { order: await createOrder(client, account, order, options), replaces: null }
}

const cannotReplace = ['alreadyReplaced', 'malformed', 'unauthorized']

/** Undefined when it takes longer. Throws NotIssued when the authority was not content. */
async function prove(
  advancing: AdvanceContext,
  order: CertificateOrder,
  { authorizationUrls }: Order,
): Promise<CertificateOrder | undefined> {
  const { account, client, options } = advancing
  let kept = order
  for (const url of authorizationUrls) {
    const seen = await getAuthorization(client, account, url, options)
    if (seen.status === 'valid') continue
    if (seen.status !== 'pending') throw notValid(kept, seen)
    kept = await answer(advancing, kept, seen)
    const settled = await pollUntil(
      () => getAuthorization(client, account, url, options),
      ({ status }) => status !== 'pending',
      looking(advancing),
    )
    if (settled.status === 'pending') return await later(advancing, kept, settled)
    if (settled.status !== 'valid') throw notValid(kept, settled)
  }
  return await saveOrderStep(advancing, { ...kept, step: 'ready' })
}

/** What the authority asks for is kept before it is told to look: any process may be asked for it. */
async function answer(
  advancing: AdvanceContext,
  order: CertificateOrder,
  authorization: Authorization,
): Promise<CertificateOrder> {
  const { account, client, options } = advancing
  const challenge = choose(order, authorization)
  const { token, type } = challenge
  const shown = {
    ...order,
    challengeType: type,
    token,
    keyAuthorization: keyAuthorization(token, account.privateKey),
  }
  const isShown = order.token === token && order.challengeType === type
  const kept = isShown ? order : await saveOrderStep(advancing, { ...shown, step: 'ordered' })
  if (challenge.status === 'pending') {
    try {
      await answerChallenge(client, account, challenge.url, options)
    } catch (error) {
      // It has been answered before, or is over: its authorization tells.
      if (!(error instanceof AcmeProblem && error.type === 'malformed')) throw error
    }
  }
  return await saveOrderStep(advancing, { ...kept, step: 'answered' }, 'validating')
}

/** The one that is under way, else of the type that was chosen, else the first that is offered. */
function choose(
  { challengeType }: CertificateOrder,
  { challenges, host }: Authorization,
): Challenge {
  const chosen =
    challenges.find(({ status }) => status === 'processing') ??
    challenges.find(({ type }) => type === challengeType) ??
    challenges[0]
  if (chosen) return chosen
  const detail = `${host} can be validated neither by HTTP-01 nor by TLS-ALPN-01.`
  throw new NotIssued({ type: 'unsupported', detail, status: undefined, subproblems: [] })
}

function notValid({ challengeType }: CertificateOrder, authorization: Authorization): NotIssued {
  const { status } = authorization
  const problem = problemOfAuthorization(authorization) ?? {
    type: 'unauthorized',
    detail: `The authorization is ${status}.`,
    status: undefined,
    subproblems: [],
  }
  if (status !== 'invalid') return new NotIssued(problem)
  // Another method would not please CAA, or a policy, any better.
  const isOfMethod = !['caa', 'rejectedIdentifier'].includes(problem.type)
  const failedBy = isOfMethod ? (challengeType ?? undefined) : undefined
  return new NotIssued(problem, { challengeType: failedBy })
}

/** The problem of the order, or that of an authorization. */
async function whyInvalid(
  { account, client, options }: AdvanceContext,
  kept: CertificateOrder,
  { authorizationUrls, problem }: Order,
): Promise<NotIssued> {
  for (const url of authorizationUrls) {
    const seen = await getAuthorization(client, account, url, options)
    if (seen.status === 'invalid') return notValid(kept, seen)
  }
  const words = { type: 'orderInvalid', detail: 'The order is invalid.', status: undefined }
  return new NotIssued(problem ?? { ...words, subproblems: [] })
}

async function finalize(
  { account, client, options }: AdvanceContext,
  order: Order,
  host: string,
  key: string,
): Promise<Order> {
  try {
    return await finalizeOrder(client, account, order, signRequest([host], key), options)
  } catch (error) {
    // It was finalized before: the order tells.
    if (!(error instanceof AcmeProblem && error.type === 'orderNotReady')) throw error
    return await getOrder(client, account, order.url, options)
  }
}

async function look(advancing: AdvanceContext, { url }: Order): Promise<Order> {
  const { account, client, options } = advancing
  return await pollUntil(
    () => getOrder(client, account, url, options),
    ({ status }) => status !== 'processing',
    looking(advancing),
  )
}

async function collect(
  { account, client, context, options }: AdvanceContext,
  order: CertificateOrder,
  { certificateUrl = '' }: Order,
  key: string,
): Promise<IssuedCertificate> {
  const { chain } = await downloadCertificate(client, account, certificateUrl, options)
  const fault = findChainProblem({ chain, key }, order.host, context.clock())
  if (fault === undefined) return { order, chain, key }
  throw new NotIssued({
    type: 'badCertificate',
    detail: `What was issued cannot be used: ${fault}.`,
    status: 500,
    subproblems: [],
  })
}

/** Others have their turn, and it is looked at again when the authority wants it. */
async function later(
  advancing: AdvanceContext,
  kept: CertificateOrder,
  { retryAt }: { retryAt: number | undefined },
): Promise<undefined> {
  const { clock } = advancing.context
  if (clock() - kept.begunAt > maxAgeMs) {
    const detail = 'It has not come to an end within half an hour.'
    throw new NotIssued({ type: 'noAnswer', detail, status: 503, subproblems: [] })
  }
  await postponeOrder(advancing, kept, retryAt)
  return undefined
}

/** By the time that was waited: a clock may stand still, or jump. */
function looking({ context: { clock, wait }, signal }: AdvanceContext): {
  now: Clock
  until: number
  signal: AbortSignal
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>
} {
  const start = clock()
  let waited = 0
  return {
    now: () => start + waited,
    until: start + hedgeAfterMs,
    signal,
    async wait(ms, until) {
      await wait(ms, until)
      waited += ms
    },
  }
}
