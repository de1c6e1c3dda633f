// Orders (RFC 8555, section 7.4), as plain data: the URLs of an order suffice to continue it. Control of each host is
// proven by an authorization (section 7.5) with the response to one of its challenges: the key authorization (section
// 8.1) by HTTP-01, its digest in a TXT record by DNS-01, or the certificate of TLS-ALPN-01 (RFC 8737). At the end the
// certificate is downloaded (section 7.4.2).

import { createHash } from 'node:crypto'
import type { Clock } from '#kit/clock.ts'
import type { HttpResponse } from '#kit/network/http-client.ts'
import {
  type AcmeSession,
  getDirectory,
  type Post,
  post,
  request,
} from '../requests/acme-client.ts'
import {
  asFields,
  asUrl,
  type Fields,
  MalformedResponse,
  type ProblemDocument,
  readEnum,
  readFields,
  readList,
  readOptionalTimestamp,
  readOptionalUrl,
  readProblem,
  readRetryAfter,
  readText,
  readUrl,
} from '../requests/read-response.ts'
import { signCertificate, tidyChain } from '../x509/certificate.ts'
import { extension, oids, subjectAltName } from '../x509/extensions.ts'
import { createKey, publicJwk, publicKeyInfo, readKey, thumbprint } from '../x509/keys.ts'
import { octetString } from '../x509/write-der.ts'

/** `pending`: authorizations are missing. `ready`: finalize it. `processing`: poll again. */
const statuses = ['pending', 'ready', 'processing', 'valid', 'invalid'] as const
export type Order = ReturnType<typeof readOrder>

export interface NewOrder {
  /** ASCII; a wildcard begins with `*.`. */
  hosts: string[]
  /** One of the directory's profiles. */
  profile?: string | undefined
  /** The renewalId of the certificate that this one replaces (RFC 9773, section 5). */
  replaces?: string | undefined
}

/** Each call may create another order. */
export async function createOrder(session: AcmeSession, { hosts, profile, replaces }: NewOrder) {
  const { newOrder: url } = await getDirectory(session.client, session)
  const payload = {
    identifiers: hosts.map((value) => ({ type: 'dns', value })),
    ...(profile !== undefined && { profile }),
    ...(replaces !== undefined && { replaces }),
  }
  const sent: Post = { operation: 'new order', url, payload }
  return await request(session, sent, (response) =>
    readOrder(session, response, response.headers.location),
  )
}

export async function getOrder(session: AcmeSession, url: string): Promise<Order> {
  const sent: Post = { operation: 'get order', url }
  return await request(session, sent, (response) => readOrder(session, response, url))
}

/** Requests the certificate of an order that is ready; `csr` is the DER of signRequest. */
export async function finalizeOrder(
  session: AcmeSession,
  order: Pick<Order, 'url' | 'finalizeUrl'>,
  csr: Buffer,
): Promise<Order> {
  const payload = { csr: csr.toString('base64url') }
  const sent: Post = { operation: 'finalize order', url: order.finalizeUrl, payload }
  return await request(session, sent, (response) => readOrder(session, response, order.url))
}

function readOrder({ client }: AcmeSession, response: HttpResponse, url: string | undefined) {
  const fields = readFields(response.body)
  const status = readEnum(fields, 'status', statuses)
  const certificateUrl = readOptionalUrl(fields, 'certificate')
  if (status === 'valid' && certificateUrl === undefined)
    throw new MalformedResponse('certificate is missing')
  return {
    url: asUrl(url, 'Location'),
    status,
    authorizationUrls: readList(fields, 'authorizations').map((each) =>
      asUrl(each, 'authorizations'),
    ),
    finalizeUrl: readUrl(fields, 'finalize'),
    /** Defined once it is valid. */
    certificateUrl,
    expiresAt: readOptionalTimestamp(fields, 'expires'),
    /** Why it is invalid. */
    problem: readProblem(fields.error),
    /** When the authority wants to be polled again. */
    retryAt: readRetryAfter(response.headers['retry-after'], client.now()),
  }
}

const authorizationStatuses = [
  'pending',
  'valid',
  'invalid',
  'deactivated',
  'expired',
  'revoked',
] as const

export type Authorization = ReturnType<typeof readAuthorization>

/** Those that this client can answer. */
const challengeTypes = ['http-01', 'tls-alpn-01', 'dns-01'] as const
export type ChallengeType = (typeof challengeTypes)[number]

const challengeStatuses = ['pending', 'processing', 'valid', 'invalid'] as const

export interface Challenge {
  type: ChallengeType
  token: string
  url: string
  status: (typeof challengeStatuses)[number]
  /** What the authority saw, when it failed. */
  problem: ProblemDocument | undefined
}

export async function getAuthorization(session: AcmeSession, url: string): Promise<Authorization> {
  const sent: Post = { operation: 'get authorization', url }
  return await request(session, sent, (response) => readAuthorization(session, response, url))
}

/** Tells the authority to validate (section 7.5.1). Only for a pending challenge: a second call is refused. */
export async function answerChallenge(session: AcmeSession, url: string): Promise<Challenge> {
  const sent: Post = { operation: 'answer challenge', url, payload: {} }
  return await request(session, sent, ({ body }) => {
    const [challenge] = readChallenge(readFields(body))
    if (!challenge) throw new MalformedResponse('type is none that can be answered')
    return challenge
  })
}

/** The account no longer has it: a certificate needs another validation (section 7.5.2). */
export async function deactivateAuthorization(session: AcmeSession, url: string): Promise<void> {
  const payload = { status: 'deactivated' }
  await post(session, { operation: 'deactivate authorization', url, payload })
}

/** Why an authorization is invalid: the problem of the challenge that failed. */
export function problemOfAuthorization({ challenges }: Authorization): ProblemDocument | undefined {
  return challenges.find(({ problem }) => problem)?.problem
}

function readAuthorization({ client }: AcmeSession, response: HttpResponse, url: string) {
  const fields = readFields(response.body)
  return {
    url,
    status: readEnum(fields, 'status', authorizationStatuses),
    /** Lower case. */
    host: readText(asFields(fields.identifier, 'identifier'), 'value').toLowerCase(),
    expiresAt: readOptionalTimestamp(fields, 'expires'),
    /** Those that this client can answer. */
    challenges: readList(fields, 'challenges').flatMap((each) =>
      readChallenge(asFields(each, 'challenge')),
    ),
    /** When the authority wants to be polled again. */
    retryAt: readRetryAfter(response.headers['retry-after'], client.now()),
  }
}

/** Empty for a type that this client cannot answer. */
function readChallenge(fields: Fields): Challenge[] {
  const type = challengeTypes.find((each) => each === fields.type)
  if (type === undefined) return []
  const token = readText(fields, 'token')
  // It becomes part of a path and of a response (section 8.3).
  if (!/^[A-Za-z0-9_-]+$/.test(token)) throw new MalformedResponse('token is not base64url')
  const status = readEnum(fields, 'status', challengeStatuses)
  return [{ type, token, url: readUrl(fields, 'url'), status, problem: readProblem(fields.error) }]
}

/** Followed by the token; the response is the key authorization, as `application/octet-stream`. */
export const httpChallengePath = '/.well-known/acme-challenge/'
/** The ALPN protocol name. */
export const tlsChallengeProtocol = 'acme-tls/1'

const dayMs = 86_400_000

/** `privateKey` is the account's. */
export function keyAuthorization(token: string, privateKey: string): string {
  return `${token}.${thumbprint(publicJwk(readKey(privateKey)))}`
}

/** Of the TXT record of DNS-01, before the host (RFC 8555, section 8.4). */
export const dnsChallengeLabel = '_acme-challenge'

/** The value of that record. */
export function dnsChallengeValue(authorization: string): string {
  return createHash('sha256').update(authorization).digest('base64url')
}

/** The certificate for TLS-ALPN-01 with a new key, both PEM. */
export async function createChallengeCertificate(host: string, authorization: string, now: number) {
  const privateKey = await createKey()
  const key = readKey(privateKey)
  const digest = createHash('sha256').update(authorization).digest()
  const chain = signCertificate(
    {
      subject: '',
      issuer: 'ACME challenge',
      notBefore: now - dayMs,
      notAfter: now + 7 * dayMs,
      publicKey: publicKeyInfo(key),
      extensions: [
        subjectAltName([host]),
        extension(oids.acmeIdentifier, octetString(digest), true),
      ],
    },
    key,
  )
  return { chain, key: privateKey }
}

const chainType = 'application/pem-certificate-chain'

/** PEM, the host's certificate first; findChainProblem checks that it fits. */
export async function downloadCertificate(session: AcmeSession, url: string): Promise<string> {
  const sent: Post = { operation: 'download certificate', url, accept: chainType }
  return await request(session, sent, ({ body }) => tidyChain(body.toString('latin1')))
}

const firstMs = 100
const maxMs = 10_000
/** The longest wait for Retry-After; later times are for a scheduler. */
const maxRetryAfterMs = 60_000

/**
 * The last result of `look`: settled, or as it was after `withinMs`. Waits until `retryAt` where that is given, otherwise a
 * tenth of a second, doubled each time, up to ten seconds. Counts the time waited, because the clock may jump. `wait` rejects
 * when the signal aborts.
 */
export async function pollUntil<Seen extends { retryAt: number | undefined }>(
  look: () => Promise<Seen>,
  isSettled: (poll: Seen) => boolean,
  options: {
    now: Clock
    wait(ms: number, signal: AbortSignal | undefined): Promise<void>
    withinMs: number
    signal?: AbortSignal | undefined
  },
): Promise<Seen> {
  const { now, signal, wait, withinMs } = options
  const start = now()
  let waited = 0
  for (let pause = firstMs; ; pause = Math.min(pause * 2, maxMs)) {
    signal?.throwIfAborted()
    const poll = await look()
    if (isSettled(poll)) return poll
    const delay = poll.retryAt === undefined ? pause : poll.retryAt - start - waited
    const ms = Math.min(Math.max(delay, firstMs), maxRetryAfterMs)
    if (waited + ms > withinMs) return poll
    await wait(ms, signal)
    waited += ms
  }
}
