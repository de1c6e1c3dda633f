// The resources of the lab's authority as its responses show them (RFC 8555, section 7.1).
import type { ChallengeType } from '#acme/resources/authorizations.ts'
import type { Account, AcmeContext, Authorization, Order } from './acme-state.ts'

export interface AcmeResponse {
  status: number
  body?: unknown
  location?: string
  type?: string
}

export function showAccount({ contact, status, url }: Account, httpStatus = 200): AcmeResponse {
  return { status: httpStatus, location: url, body: { status, contact, orders: `${url}/orders` } }
}

export function isReady({ now }: AcmeContext, { authorizations, expiresAt }: Order): boolean {
  return expiresAt > now() && authorizations.every(({ status }) => status === 'valid')
}

function statusOf({ now }: AcmeContext, { expiresAt, status }: Authorization): string {
  return (status === 'pending' || status === 'valid') && expiresAt <= now() ? 'expired' : status
}

export function showOrder(context: AcmeContext, order: Order, httpStatus = 200): AcmeResponse {
  const { authorizations, certificate, expiresAt, profile, replaces, url } = order
  const ended = authorizations.find(
    (each) => !['valid', 'pending'].includes(statusOf(context, each)),
  )
  const isFailed = ended !== undefined || expiresAt <= context.now()
  const open = isReady(context, order) ? 'ready' : 'pending'
  return {
    status: httpStatus,
    location: url,
    body: {
      status: certificate ? 'valid' : isFailed ? 'invalid' : open,
      expires: new Date(expiresAt).toISOString(),
      identifiers: authorizations.map(({ host }) => ({ type: 'dns', value: host })),
      authorizations: authorizations.map((authorization) => authorization.url),
      finalize: `${url}/finalize`,
      ...(certificate && { certificate }),
      ...(replaces && { replaces }),
      ...(profile && { profile }),
      ...(ended?.error && { error: problemDocument(ended.error) }),
    },
  }
}

export function showAuthorization(
  context: AcmeContext,
  authorization: Authorization,
): AcmeResponse {
  const { challengeType, expiresAt, host } = authorization
  const body = {
    status: statusOf(context, authorization),
    expires: new Date(expiresAt).toISOString(),
    identifier: { type: 'dns', value: host },
    challenges: context.policy.challenges
      .filter((type) => (challengeType ?? type) === type)
      .map((type) => showChallenge(authorization, type)),
  }
  return { status: 200, body }
}

export function showChallenge(authorization: Authorization, type: ChallengeType): object {
  const { error, token, url } = authorization
  const isAnswered = authorization.challengeType === type
  return {
    type,
    url: `${url}/${type}`,
    token,
    status: isAnswered ? challengeStatus(authorization) : 'pending',
    ...(isAnswered && error && { error: problemDocument(error) }),
  }
}

/** Of the challenge that was answered: it does not change when its authorization is deactivated. */
function challengeStatus({ error, status }: Authorization): string {
  if (status === 'pending') return 'processing'
  return error ? 'invalid' : 'valid'
}

export function problemDocument({ detail, type }: { type: string; detail: string }): object {
  return { type: `urn:ietf:params:acme:error:${type}`, detail }
}
