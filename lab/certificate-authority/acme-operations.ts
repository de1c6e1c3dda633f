// The lab authority's state, in memory, and the operations of ACME on it (RFC 8555, section 7).

import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { readCertificate } from '../../server/publishing/acme/x509/certificate-facts.ts'
import { readHosts } from '../../server/publishing/acme/x509/extensions.ts'
import { type PublicJwk, thumbprint } from '../../server/publishing/acme/x509/keys.ts'
import {
  readElement,
  readElements,
  readObjectId,
} from '../../server/publishing/acme/x509/read-der.ts'
import { pemOf } from '../../server/publishing/acme/x509/sign-certificate.ts'
import { element, sequence } from '../../server/publishing/acme/x509/write-der.ts'
import { keyAuthorizationOf, Problem, readJws, type SignedRequest } from './acme-requests.ts'
import type { ChallengeRequest, ValidationError } from './validate-host.ts'

const challengeTypes = ['http-01', 'tls-alpn-01'] as const
type ChallengeType = (typeof challengeTypes)[number]

interface Account {
  url: string
  jwk: PublicJwk
  status: 'valid' | 'deactivated'
  contact: string[]
}

interface Authorization {
  url: string
  host: string
  status: 'pending' | 'valid' | 'invalid' | 'deactivated'
  token: string
  /** The type of the challenge that the client answered. */
  challengeType: ChallengeType | undefined
  error: ValidationError | undefined
}

interface Order {
  url: string
  account: string
  /** Milliseconds since the epoch. */
  placedAt: number
  authorizations: Authorization[]
  certificate: string | undefined
  replaces: string | undefined
}

interface Certificate {
  chain: string
  account: string
  isRevoked: boolean
}

type AcmeState = ReturnType<typeof createAcmeState>

export interface AcmeResponse {
  status: number
  body?: unknown
  location?: string
  type?: string
}

/** Each resource by its URL. `base` is the authority's origin. */
export function createAcmeState(base: string) {
  return {
    accounts: new Map<string, Account>(),
    orders: new Map<string, Order>(),
    authorizations: new Map<string, Authorization>(),
    certificates: new Map<string, Certificate>(),
    /** By renewal ID (RFC 9773, section 4.1). */
    renewals: new Map<string, Certificate>(),
    newUrl: (kind: string) => `${base}/${kind}/${randomBytes(9).toString('base64url')}`,
  }
}

export interface AcmeContext {
  state: AcmeState
  now(): number
  /** Never throws; undefined when the challenge was answered correctly. */
  validate(challenge: ChallengeRequest): Promise<ValidationError | undefined>
  /** A chain for these hosts and this key (SubjectPublicKeyInfo, DER), PEM. */
  sign(hosts: string[], publicKey: Buffer): string
}

type Payload = Record<string, unknown>

const dayMs = 86_400_000

export function createAccount(
  { state }: AcmeContext,
  { jwk, payload = {} }: SignedRequest,
): AcmeResponse {
  const existing = findAccountByKey(state, jwk)
  if (existing) return showAccount(existing)
  if (payload.onlyReturnExisting === true) {
    throw new Problem(400, 'accountDoesNotExist', 'this key has no account')
  }
  const contact = readStrings(payload.contact)
  const account: Account = { url: state.newUrl('account'), jwk, status: 'valid', contact }
  state.accounts.set(account.url, account)
  return showAccount(account, 201)
}

export function changeKey(
  { state }: AcmeContext,
  account: Account,
  payload: Payload,
): AcmeResponse {
  const { jwk } = readJws(payload as never, () => undefined)
  if (findAccountByKey(state, jwk)) throw new Problem(409, 'conflict', 'this key has an account')
  account.jwk = jwk
  return showAccount(account)
}

export function createOrder(
  { now, state }: AcmeContext,
  account: Account,
  payload: Payload,
): AcmeResponse {
  const { identifiers = [] } = payload as { identifiers?: { type: string; value: string }[] }
  const isAccepted = identifiers.every(
    ({ type, value }) => type === 'dns' && /^[a-z0-9.-]*$/.test(value),
  )
  if (identifiers.length === 0 || !isAccepted) {
    throw new Problem(400, 'rejectedIdentifier', 'only lower-case host names are certified')
  }
  const order: Order = {
    url: state.newUrl('order'),
    account: account.url,
    placedAt: now(),
    authorizations: identifiers.map(({ value }) => createAuthorization(state, value)),
    certificate: undefined,
    replaces: typeof payload.replaces === 'string' ? payload.replaces : undefined,
  }
  state.orders.set(order.url, order)
  return showOrder(order, 201)
}

function createAuthorization(state: AcmeState, host: string): Authorization {
  const authorization: Authorization = {
    url: state.newUrl('authorization'),
    host,
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
  { state, validate }: AcmeContext,
  account: Account,
  url: string,
): AcmeResponse | undefined {
  const [, authorizationUrl = '', name] = /^(.*)\/([a-z0-9-]+)$/.exec(url) ?? []
  const authorization = state.authorizations.get(authorizationUrl)
  const challengeType = challengeTypes.find((type) => type === name)
  if (!authorization || !challengeType) return undefined
  if (authorization.status === 'pending' && authorization.challengeType === undefined) {
    authorization.challengeType = challengeType
    const { host, token } = authorization
    const keyAuthorization = keyAuthorizationOf(token, account.jwk)
    const accountUri = account.url
    void validate({ host, method: challengeType, token, keyAuthorization, accountUri }).then(
      (error) => {
        authorization.error = error
        authorization.status = error ? 'invalid' : 'valid'
      },
    )
  }
  return { status: 200, body: showChallenge(authorization, challengeType) }
}

export function finalizeOrder(context: AcmeContext, order: Order, payload: Payload): AcmeResponse {
  const { sign, state } = context
  if (!isReady(order)) throw new Problem(403, 'orderNotReady', 'an authorization is not valid')
  if (order.certificate) return showOrder(order)
  const { hosts, publicKey } = readRequest(Buffer.from(String(payload.csr), 'base64url'))
  const ordered = order.authorizations.map(({ host }) => host)
  if (hosts.toSorted().join() !== ordered.toSorted().join()) {
    throw new Problem(400, 'badCSR', 'the hosts of the request are not those of the order')
  }
  order.certificate = state.newUrl('certificate')
  const chain = sign(ordered, publicKey)
  const certificate = { chain, account: order.account, isRevoked: false }
  state.certificates.set(order.certificate, certificate)
  const { renewalId } = readCertificate(chain)
  if (renewalId !== undefined) state.renewals.set(renewalId, certificate)
  return showOrder(order)
}

export function revokeCertificate(
  { state }: AcmeContext,
  account: Account,
  payload: Payload,
): AcmeResponse {
  const chain = pemOf('CERTIFICATE', Buffer.from(String(payload.certificate), 'base64url'))
  const found = [...state.certificates.values()].find((certificate) => certificate.chain === chain)
  if (found?.account !== account.url) {
    throw new Problem(403, 'unauthorized', 'the certificate belongs to another account')
  }
  if (found.isRevoked) throw new Problem(400, 'alreadyRevoked', 'it is already revoked')
  found.isRevoked = true
  return { status: 200 }
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
  if (authorization) {
    if (payload?.status === 'deactivated') authorization.status = 'deactivated'
    return showAuthorization(authorization)
  }
  const order = state.orders.get(url)
  if (order?.account === account.url) return showOrder(order)
  const certificate = state.certificates.get(url)
  if (certificate?.account === account.url) {
    return { status: 200, body: certificate.chain, type: 'application/pem-certificate-chain' }
  }
  if (state.accounts.get(url) === account) {
    if (payload?.status === 'deactivated') account.status = 'deactivated'
    if (payload?.contact) account.contact = readStrings(payload.contact)
    return showAccount(account)
  }
  const response = payload && answerChallenge(context, account, url)
  if (response) return response
  throw notFound()
}

/** RFC 9773: a day in the last third of the life, or the past for a revoked certificate. */
export function readRenewalInfo({ now, state }: AcmeContext, renewalId: string): AcmeResponse {
  const certificate = state.renewals.get(renewalId)
  if (!certificate) throw notFound()
  const { notAfter, notBefore } = readCertificate(certificate.chain)
  const life = notAfter - notBefore
  const start = certificate.isRevoked ? now() - dayMs : notAfter - life / 3
  const end = start + Math.min(dayMs, life / 10)
  const times = [start, end].map((at) => new Date(at).toISOString())
  return { status: 200, body: { suggestedWindow: { start: times[0], end: times[1] } } }
}

export function notFound(): Problem {
  return new Problem(404, 'malformed', 'no such resource')
}

function readStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
}

function findAccountByKey({ accounts }: AcmeState, jwk: PublicJwk): Account | undefined {
  return [...accounts.values()].find((account) => thumbprint(account.jwk) === thumbprint(jwk))
}

function showAccount({ contact, status, url }: Account, httpStatus = 200): AcmeResponse {
  return { status: httpStatus, location: url, body: { status, contact, orders: `${url}/orders` } }
}

function isReady({ authorizations }: Order): boolean {
  return authorizations.every(({ status }) => status === 'valid')
}

function showOrder(order: Order, httpStatus = 200): AcmeResponse {
  const { authorizations, certificate, replaces, url } = order
  const failed = authorizations.find(({ status }) => status !== 'valid' && status !== 'pending')
  const open = isReady(order) ? 'ready' : 'pending'
  return {
    status: httpStatus,
    location: url,
    body: {
      status: certificate ? 'valid' : failed ? 'invalid' : open,
      identifiers: authorizations.map(({ host }) => ({ type: 'dns', value: host })),
      authorizations: authorizations.map((authorization) => authorization.url),
      finalize: `${url}/finalize`,
      ...(certificate && { certificate }),
      ...(replaces && { replaces }),
      ...(failed?.error && { error: problemDocument(failed.error) }),
    },
  }
}

function showAuthorization(authorization: Authorization): AcmeResponse {
  const { challengeType, host, status } = authorization
  const body = {
    status,
    identifier: { type: 'dns', value: host },
    challenges: challengeTypes
      .filter((type) => (challengeType ?? type) === type)
      .map((type) => showChallenge(authorization, type)),
  }
  return { status: 200, body }
}

function showChallenge(authorization: Authorization, type: ChallengeType): object {
  const { error, status, token, url } = authorization
  const isAnswered = authorization.challengeType === type
  return {
    type,
    url: `${url}/${type}`,
    token,
    status: isAnswered ? (status === 'pending' ? 'processing' : status) : 'pending',
    ...(isAnswered && error && { error: problemDocument(error) }),
  }
}

export function problemDocument({ detail, type }: { type: string; detail: string }): object {
  return { type: `urn:ietf:params:acme:error:${type}`, detail }
}

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
    if (!oid || readObjectId(oid.content) !== extensionRequest) continue
    const list = readElement(values?.content ?? Buffer.alloc(0), 0x30)
    const extensions = readElements(list).map(({ content }): [string, Buffer] => {
      const parts = readElements(content)
      const [id, value] = [parts[0], parts.at(-1)].map((part) => part?.content ?? Buffer.alloc(0))
      return [readObjectId(id as Buffer), value as Buffer]
    })
    return readHosts(new Map(extensions)).map((host) => host.toLowerCase())
  }
  return []
}
