// The lab authority's state, in memory, and the operations of ACME on it (RFC 8555, section 7).

import { randomBytes } from 'node:crypto'
import { readCertificate } from '../../server/publishing/acme/x509/certificate-facts.ts'
import { type PublicJwk, thumbprint } from '../../server/publishing/acme/x509/keys.ts'
import { pemOf } from '../../server/publishing/acme/x509/sign-certificate.ts'
import { keyAuthorizationOf, Problem, readJws, type SignedRequest } from './acme-requests.ts'
import { readRequest } from './certificate-request.ts'
import type { ChallengeRequest, ValidationError } from './validate-host.ts'

const challengeTypes = ['http-01', 'tls-alpn-01', 'dns-01'] as const
type ChallengeType = (typeof challengeTypes)[number]

interface Account {
  url: string
  jwk: PublicJwk
  status: 'valid' | 'deactivated'
  contact: string[]
}

/** What an authority decides for itself. Tests change it while it runs. */
export interface AuthorityPolicy {
  /** How long orders, and authorizations that nobody has validated, are open. */
  openMinutes: number
  /** For how long an account can use a valid authorization for other orders; 0: not at all. */
  reuseMinutes: number
  /** The challenges that it offers. */
  challenges: readonly ChallengeType[]
  /** How long orders of a profile are open, by its name (draft-ietf-acme-profiles). */
  profiles: Record<string, { openMinutes: number }>
}

export const usualPolicy: AuthorityPolicy = {
  openMinutes: 7 * 24 * 60,
  reuseMinutes: 0,
  challenges: challengeTypes,
  profiles: {},
}

interface Authorization {
  url: string
  account: string
  host: string
  /** Milliseconds since the epoch. */
  expiresAt: number
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
  expiresAt: number
  profile: string | undefined
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
  policy: AuthorityPolicy
  now(): number
  /** Never throws; undefined when the challenge was answered correctly. */
  validate(challenge: ChallengeRequest): Promise<ValidationError | undefined>
  /** A chain for these hosts and this key (SubjectPublicKeyInfo, DER), PEM. */
  sign(hosts: string[], publicKey: Buffer): string
}

type Payload = Record<string, unknown>

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

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
  context: AcmeContext,
  account: Account,
  payload: Payload,
): AcmeResponse {
  const { now, policy, state } = context
  const { identifiers = [] } = payload as { identifiers?: { type: string; value: string }[] }
  const isAccepted = identifiers.every(
    ({ type, value }) => type === 'dns' && /^[a-z0-9.-]*$/.test(value),
  )
  if (identifiers.length === 0 || !isAccepted) {
    throw new Problem(400, 'rejectedIdentifier', 'only lower-case host names are certified')
  }
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
  { now, policy, state, validate }: AcmeContext,
  account: Account,
  url: string,
): AcmeResponse | undefined {
  const [, authorizationUrl = '', name] = /^(.*)\/([a-z0-9-]+)$/.exec(url) ?? []
  const authorization = state.authorizations.get(authorizationUrl)
  const challengeType = challengeTypes.find((type) => type === name)
  if (authorization?.account !== account.url || !challengeType) return undefined
  if (authorization.expiresAt <= now()) {
    throw new Problem(400, 'malformed', 'the authorization has expired')
  }
  if (authorization.status === 'pending' && authorization.challengeType === undefined) {
    authorization.challengeType = challengeType
    const { host, token } = authorization
    const keyAuthorization = keyAuthorizationOf(token, account.jwk)
    const accountUri = account.url
    void validate({ host, method: challengeType, token, keyAuthorization, accountUri }).then(
      (error) => {
        // It may have been deactivated meanwhile.
        if (authorization.status !== 'pending') return
        authorization.error = error
        authorization.status = error ? 'invalid' : 'valid'
        const { openMinutes, reuseMinutes } = policy
        authorization.expiresAt = now() + Math.max(openMinutes, reuseMinutes) * minuteMs
      },
    )
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
  if (hosts.toSorted().join() !== ordered.toSorted().join()) {
    throw new Problem(400, 'badCSR', 'the hosts of the request are not those of the order')
  }
  order.certificate = state.newUrl('certificate')
  const chain = sign(ordered, publicKey)
  const certificate = { chain, account: order.account, isRevoked: false }
  state.certificates.set(order.certificate, certificate)
  const { renewalId } = readCertificate(chain)
  if (renewalId !== undefined) state.renewals.set(renewalId, certificate)
  return showOrder(context, order)
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
  if (authorization?.account === account.url) {
    if (payload?.status === 'deactivated') authorization.status = 'deactivated'
    return showAuthorization(context, authorization)
  }
  const order = state.orders.get(url)
  if (order?.account === account.url) return showOrder(context, order)
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

function isReady({ now }: AcmeContext, { authorizations, expiresAt }: Order): boolean {
  return expiresAt > now() && authorizations.every(({ status }) => status === 'valid')
}

function statusOf({ now }: AcmeContext, { expiresAt, status }: Authorization): string {
  return (status === 'pending' || status === 'valid') && expiresAt <= now() ? 'expired' : status
}

function showOrder(context: AcmeContext, order: Order, httpStatus = 200): AcmeResponse {
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

function showAuthorization(context: AcmeContext, authorization: Authorization): AcmeResponse {
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

function showChallenge(authorization: Authorization, type: ChallengeType): object {
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
