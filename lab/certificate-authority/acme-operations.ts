// The operations of ACME on the state of the lab's authority (RFC 8555, section 7).
import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { readCertificate } from '#acme/x509/certificate.ts'
import { readExtensionList, readHosts } from '#acme/x509/extensions.ts'
import { thumbprint } from '#acme/x509/keys.ts'
import { element, readElement, readElements, readObjectId, sequence } from '#acme/x509/write-der.ts'
import {
  type Account,
  type AcmeContext,
  type AcmeResponse,
  type Authorization,
  challengeTypes,
  isReady,
  keyAuthorizationOf,
  type Order,
  Problem,
  type SignedRequest,
  showAccount,
  showAuthorization,
  showChallenge,
  showOrder,
} from './acme-state.ts'

const notRequest = 'not a certificate request'
const extensionRequest = '1.2.840.113549.1.9.14'

/**
 * The public key (SubjectPublicKeyInfo, DER) and the hosts of a certificate request (RFC 2986). Throws RangeError
 * for an invalid request, or one that is not signed by its own key.
 */
function readRequest(der: Buffer): { publicKey: Buffer; hosts: string[] } {
  const [body, , signature] = readElements(readElement(der, 0x30))
  if (body?.tag !== 0x30 || signature?.tag !== 0x03) throw new RangeError(notRequest)
  const [, , key, attributes] = readElements(body.content)
  if (key?.tag !== 0x30) throw new RangeError(notRequest)
  const publicKey = sequence(key.content)
  const isSigned = verify(
    'sha256',
    element(0x30, body.content),
    createPublicKey({ key: publicKey, format: 'der', type: 'spki' }),
    signature.content.subarray(1),
  )
  if (!isSigned) throw new RangeError('the request is not signed by its key')
  return { publicKey, hosts: readNames(attributes?.content ?? Buffer.alloc(0)) }
}

function readNames(attributes: Buffer): string[] {
  for (const attribute of readElements(attributes)) {
    const [oid, values] = readElements(attribute.content)
    if (!oid || !values || readObjectId(oid.content) !== extensionRequest) continue
    return readHosts(readExtensionList(values.content)).map((host) => host.toLowerCase())
  }
  return []
}

type Payload = Record<string, unknown>

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

export function createAccount({ state }: AcmeContext, { jwk }: SignedRequest): AcmeResponse {
  const print = thumbprint(jwk)
  const existing = [...state.accounts.values()].find((each) => thumbprint(each.jwk) === print)
  if (existing) return showAccount(existing)
  const account: Account = { url: state.newUrl('account'), jwk }
  state.accounts.set(account.url, account)
  return showAccount(account, 201)
}

export function createOrder(
  context: AcmeContext,
  account: Account,
  payload: Payload,
): AcmeResponse {
  const { now, policy, state } = context
  const { identifiers = [] } = payload as { identifiers?: { type: string; value: string }[] }
  const isAccepted = identifiers.every(
    ({ type, value }) => type === 'dns' && /^[a-z0-9.-]*$/.test(value),
  )
  if (identifiers.length === 0 || !isAccepted)
    throw new Problem(400, 'rejectedIdentifier', 'only lower-case host names are certified')
  const profile = typeof payload.profile === 'string' ? payload.profile : undefined
  const offered = profile === undefined ? policy : policy.profiles[profile]
  if (!offered) throw new Problem(400, 'invalidProfile', 'there is no such profile')
  const order: Order = {
    url: state.newUrl('order'),
    account: account.url,
    placedAt: now(),
    expiresAt: now() + offered.openMinutes * minuteMs,
    profile,
    authorizations: identifiers.map(
      ({ value }) =>
        findReusable(context, account, value) ?? createAuthorization(context, account, value),
    ),
    certificate: undefined,
    replaces: typeof payload.replaces === 'string' ? payload.replaces : undefined,
  }
  state.orders.set(order.url, order)
  return showOrder(context, order, 201)
}

/** One of the account that is valid, and one that is still open: the same token is given again, as by Boulder. */
function findReusable(
  { now, policy, state }: AcmeContext,
  { url }: Account,
  host: string,
): Authorization | undefined {
  if (policy.reuseMinutes === 0) return undefined
  return [...state.authorizations.values()].find(
    ({ account, expiresAt, status, ...authorization }) =>
      account === url &&
      authorization.host === host &&
      expiresAt > now() &&
      (status === 'valid' || status === 'pending'),
  )
}

function createAuthorization(
  { now, policy, state }: AcmeContext,
  { url: account }: Account,
  host: string,
): Authorization {
  const authorization: Authorization = {
    url: state.newUrl('authorization'),
    account,
    host,
    expiresAt: now() + policy.openMinutes * minuteMs,
    status: 'pending',
    token: randomBytes(24).toString('base64url'),
    challengeType: undefined,
    error: undefined,
  }
  state.authorizations.set(authorization.url, authorization)
  return authorization
}

/** Starts the validation in the background. Undefined when the URL is not that of a challenge. */
function answerChallenge(
  context: AcmeContext,
  account: Account,
  url: string,
): AcmeResponse | undefined {
  const { now, policy, state, validate } = context
  const [, authorizationUrl = '', name] = /^(.*)\/([a-z0-9-]+)$/.exec(url) ?? []
  const authorization = state.authorizations.get(authorizationUrl)
  const challengeType = challengeTypes.find((type) => type === name)
  if (authorization?.account !== account.url || !challengeType) return undefined
  if (authorization.expiresAt <= now())
    throw new Problem(400, 'malformed', 'the authorization has expired')
  if (authorization.status === 'pending' && authorization.challengeType === undefined) {
    authorization.challengeType = challengeType
    const { host, token } = authorization
    const keyAuthorization = keyAuthorizationOf(token, account.jwk)
    const accountUri = account.url
    const challenge = { host, method: challengeType, token, keyAuthorization, accountUri }
    void validate(challenge).then((error) => {
      // It may have been deactivated meanwhile.
      if (authorization.status !== 'pending') return
      const validMinutes = Math.max(policy.openMinutes, policy.reuseMinutes)
      const status = error ? 'invalid' : 'valid'
      Object.assign(authorization, { error, status, expiresAt: now() + validMinutes * minuteMs })
    })
  }
  return { status: 200, body: showChallenge(authorization, challengeType) }
}

export function finalizeOrder(context: AcmeContext, order: Order, payload: Payload): AcmeResponse {
  const { sign, state } = context
  if (!isReady(context, order))
    throw new Problem(403, 'orderNotReady', 'an authorization is not valid')
  if (order.certificate) return showOrder(context, order)
  const { hosts, publicKey } = readRequest(Buffer.from(String(payload.csr), 'base64url'))
  const ordered = order.authorizations.map(({ host }) => host)
  if (hosts.toSorted().join() !== ordered.toSorted().join())
    throw new Problem(400, 'badCSR', 'the hosts of the request are not those of the order')
  order.certificate = state.newUrl('certificate')
  const chain = sign(ordered, publicKey)
  const certificate = { chain, account: order.account }
  state.certificates.set(order.certificate, certificate)
  const { renewalId } = readCertificate(chain)
  if (renewalId !== undefined) state.renewals.set(renewalId, certificate)
  return showOrder(context, order)
}

/** A signed request to the URL of a resource, which may change it. Throws Problem for an unknown resource. */
export function readResource(
  context: AcmeContext,
  account: Account,
  url: string,
  payload: Payload | undefined,
): AcmeResponse {
  const { state } = context
  const authorization = state.authorizations.get(url)
  if (authorization?.account === account.url) {
    if (payload?.status === 'deactivated') authorization.status = 'deactivated'
    return showAuthorization(context, authorization)
  }
  const order = state.orders.get(url)
  if (order?.account === account.url) return showOrder(context, order)
  const certificate = state.certificates.get(url)
  if (certificate?.account === account.url)
    return { status: 200, body: certificate.chain, type: 'application/pem-certificate-chain' }
  if (state.accounts.get(url) === account) return showAccount(account)
  const response = payload && answerChallenge(context, account, url)
  if (response) return response
  throw notFound()
}

/** RFC 9773: a day in the last third of the life. */
export function readRenewalInfo({ state }: AcmeContext, renewalId: string): AcmeResponse {
  const certificate = state.renewals.get(renewalId)
  if (!certificate) throw notFound()
  const { notAfter, notBefore } = readCertificate(certificate.chain)
  const life = notAfter - notBefore
  const start = notAfter - life / 3
  const end = start + Math.min(dayMs, life / 10)
  const times = [start, end].map((at) => new Date(at).toISOString())
  return { status: 200, body: { suggestedWindow: { start: times[0], end: times[1] } } }
}

export function notFound(): Problem {
  return new Problem(404, 'malformed', 'no such resource')
}
