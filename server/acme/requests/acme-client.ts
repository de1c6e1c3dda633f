// The client of one authority: directory, nonces and signed requests (RFC 8555, section 6). A request is a flattened JWS
// (section 6.2), signed by ES256 with an account's key; HS256 binds an account to an external one (section 7.3.4). The
// client keeps only caches, so that a new one can continue what another has started.

import { createHmac, type KeyObject, sign } from 'node:crypto'
import { Agent } from 'node:https'
import { createSecureContext, getCACertificates } from 'node:tls'
import type { Clock } from '#kit/clock.ts'
import {
  type HttpResponse,
  RequestError,
  type RequestOptions,
  sendRequest,
} from '#kit/network/http-client.ts'
import { type PublicJwk, publicJwk, readKey } from '../x509/keys.ts'
import {
  AcmeNoResponse,
  AcmeProblem,
  asFields,
  asUrl,
  MalformedResponse,
  type Operation,
  parseProblemResponse,
  readFields,
  readList,
  readOptionalUrl,
  readRetryAfter,
  readText,
  readUrl,
} from './read-response.ts'

export interface AcmeClientOptions extends Pick<AcmeClient, 'directoryUrl' | 'userAgent' | 'now'> {
  /** Additional trusted roots, PEM. */
  trustedRoots?: string | undefined
  /** Per request; 30,000 by default. */
  timeoutMs?: number
}

export interface AcmeClient {
  directoryUrl: string
  /** Program and version (RFC 8555, section 6.1). */
  userAgent: string
  now: Clock
  /** Connections that are kept. */
  agent: Agent
  timeoutMs: number
  nonces: string[]
  directory: { value: Directory; until: number } | undefined
}

/** An account's URL and its private key, PEM. */
export interface AcmeAccount {
  url: string
  privateKey: string
}

export interface CallOptions {
  signal?: AbortSignal | undefined
}

/** Requests by an account. */
export interface AcmeSession extends CallOptions {
  client: AcmeClient
  account: AcmeAccount
}

/** Requests by an account, or by a key without one. */
interface SigningSession extends CallOptions {
  client: AcmeClient
  account: AcmeAccount | { url?: undefined; privateKey: string }
}

/** With half of all nonces refused, one request in a million fails. */
const maxNonceAttempts = 20
const maxNonces = 50
const directoryLifeMs = 3_600_000
const maxBytes = 256 * 1024
const maxConnections = 20

/**
 * Sends no request before the first operation. Close it with closeAcmeClient. Throws when `trustedRoots` cannot be
 * read.
 */
export function createAcmeClient(options: AcmeClientOptions): AcmeClient {
  const { directoryUrl, now, timeoutMs = 30_000, trustedRoots, userAgent } = options
  const roots = [...getCACertificates('default'), ...(trustedRoots ? [trustedRoots] : [])]
  const agent = new Agent({
    keepAlive: true,
    maxSockets: maxConnections,
    // Shared by all connections: reading 150 roots takes longer than connecting.
    secureContext: createSecureContext({ ca: roots, minVersion: 'TLSv1.2' }),
  })
  return { directoryUrl, userAgent, now, agent, timeoutMs, nonces: [], directory: undefined }
}

export function closeAcmeClient(client: AcmeClient): void {
  client.agent.destroy()
}

/** The directory, cached for an hour. */
export async function getDirectory(client: AcmeClient, { signal }: CallOptions = {}) {
  if (client.directory && client.now() < client.directory.until) return client.directory.value
  return (await fetchDirectory(client, { signal })).directory
}

/** The directory as it is now, and the authority's clock: the header Date, in milliseconds since the epoch. */
export async function fetchDirectory(
  client: AcmeClient,
  { signal }: CallOptions = {},
): Promise<{ directory: Directory; date: number | undefined }> {
  const response = await ask(client, 'directory', client.directoryUrl, signal)
  const directory = parseResponse('directory', () => readDirectory(response.body))
  client.directory = { value: directory, until: client.now() + directoryLifeMs }
  const date = Date.parse(response.headers.date ?? '')
  return { directory, date: Number.isNaN(date) ? undefined : date }
}

/** An unsigned GET, for the directory and renewal information only. */
export async function ask(
  client: AcmeClient,
  operation: Operation,
  url: string,
  signal?: AbortSignal,
): Promise<HttpResponse> {
  const response = await exchange(client, operation, url, { method: 'GET', signal })
  if (response.status !== 200) throw toAcmeProblem(client, operation, response)
  return response
}

export interface Post {
  operation: Operation
  url: string
  /** Undefined: the resource is read (POST-as-GET). */
  payload?: object | undefined
  accept?: string
}

/** A signed request. A rejected nonce is replaced by the one in the error response. */
export async function post(
  { account, client, signal }: SigningSession,
  { accept = 'application/json', operation, payload, url }: Post,
): Promise<HttpResponse> {
  const key = readKey(account.privateKey)
  const name: Signer = account.url === undefined ? { jwk: publicJwk(key) } : { kid: account.url }
  let nonce = client.nonces.pop()
  for (let tries = 1; ; tries++) {
    nonce ??= await fetchNonce(client, signal)
    const body = JSON.stringify(signJws({ nonce, url, ...name }, payload, key))
    const headers = { 'content-type': 'application/jose+json', accept }
    const response = await exchange(client, operation, url, {
      method: 'POST',
      headers,
      body,
      signal,
    })
    const next = nonceOf(response)
    const isFine = response.status >= 200 && response.status < 300
    const problem = isFine ? undefined : toAcmeProblem(client, operation, response)
    if (problem?.type === 'badNonce' && tries < maxNonceAttempts) {
      nonce = next
      continue
    }
    if (next !== undefined && client.nonces.length < maxNonces) client.nonces.push(next)
    if (problem) throw problem
    return response
  }
}

/** A signed request, and its parsed response. */
export async function request<T>(
  session: SigningSession,
  sent: Post,
  read: (response: HttpResponse) => T,
): Promise<T> {
  const response = await post(session, sent)
  return parseResponse(sent.operation, () => read(response))
}

interface NewAccount {
  /** PEM. The same key gives the same account again. */
  privateKey: string
  contacts: string[]
  /** The account elsewhere that this one belongs to; `macKey` is base64url (section 7.3.4). */
  externalAccount?: { keyId: string; macKey: string } | undefined
}

/**
 * Creates an account (section 7.3), or finds that of the key; an existing account keeps its contacts. Agrees to the terms of
 * the authority. Its URL identifies it in later requests (`kid`).
 */
export async function createAccount(
  client: AcmeClient,
  { contacts, externalAccount, privateKey }: NewAccount,
  options: CallOptions = {},
) {
  const { newAccount } = await getDirectory(client, options)
  const payload = {
    termsOfServiceAgreed: true,
    contact: contacts,
    ...(externalAccount && {
      externalAccountBinding: complete(
        { alg: 'HS256', kid: externalAccount.keyId, url: newAccount },
        publicJwk(readKey(privateKey)),
        (text) =>
          createHmac('sha256', Buffer.from(externalAccount.macKey, 'base64url'))
            .update(text)
            .digest(),
      ),
    }),
  }
  const session = { client, account: { privateKey }, ...options }
  const operation = { operation: 'new account', url: newAccount, payload } as const
  return await request(session, operation, ({ headers }) => ({
    url: asUrl(headers.location, 'Location'),
  }))
}

/** Such as `valid` or `deactivated`; most authorities refuse an account that they no longer accept (section 7.3.6). */
export async function getAccountStatus(session: AcmeSession): Promise<string> {
  const sent: Post = { operation: 'get account', url: session.account.url }
  return await request(session, sent, ({ body }) => readText(readFields(body), 'status'))
}

/** Parses a response; a MalformedResponse becomes an AcmeNoResponse. */
export function parseResponse<T>(operation: Operation, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof MalformedResponse || error instanceof RangeError)) throw error
    throw new AcmeNoResponse(operation, 'malformed', error.message)
  }
}

async function fetchNonce(client: AcmeClient, signal: AbortSignal | undefined): Promise<string> {
  const { newNonce } = await getDirectory(client, { signal })
  const response = await exchange(client, 'new nonce', newNonce, { method: 'HEAD', signal })
  if (response.status >= 300) throw toAcmeProblem(client, 'new nonce', response)
  const nonce = nonceOf(response)
  if (nonce === undefined)
    throw new AcmeNoResponse('new nonce', 'malformed', 'the response has no nonce')
  return nonce
}

function nonceOf({ headers }: HttpResponse): string | undefined {
  const [nonce] = [headers['replay-nonce']].flat()
  return nonce !== undefined && /^[A-Za-z0-9_-]{1,512}$/.test(nonce) ? nonce : undefined
}

async function exchange(
  client: AcmeClient,
  operation: Operation,
  url: string,
  request: Pick<RequestOptions, 'method' | 'body' | 'signal'> & {
    headers?: Record<string, string>
  },
): Promise<HttpResponse> {
  const { agent, timeoutMs, userAgent } = client
  const headers = { 'user-agent': userAgent, ...request.headers }
  const limits = { timeoutMs, maxBytes, oversize: 'fail' } as const
  const send = () => sendRequest(new URL(url), { ...request, headers, ...limits, agent })
  try {
    return await send().catch((error: RequestError) => {
      // A kept connection that the authority closed at the same moment: there was no response on it.
      if (error.isStale) return send()
      throw error
    })
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    throw new AcmeNoResponse(operation, error.reason, error.message)
  }
}

/** RFC 8555, section 7.3.3. */
const termsLink = /<(https:[^<>\s]{1,1000})>\s*;\s*rel="?terms-of-service"?/i

function toAcmeProblem(client: AcmeClient, operation: Operation, response: HttpResponse) {
  const { body, headers, status } = response
  const retryAt = readRetryAfter(headers['retry-after'], client.now())
  const problem = parseProblemResponse(status, body)
  const [, terms] = termsLink.exec(`${headers.link}`) ?? []
  const instance = [problem.instance, terms].filter((page) => page).join(' ') || undefined
  return new AcmeProblem(operation, { ...problem, instance }, retryAt)
}

type Directory = ReturnType<typeof readDirectory>

/** Throws MalformedResponse. */
function readDirectory(body: Buffer) {
  const fields = readFields(body)
  const meta = fields.meta === undefined ? {} : asFields(fields.meta, 'meta')
  const profiles = asFields(meta.profiles ?? {}, 'profiles')
  return {
    newNonce: readUrl(fields, 'newNonce'),
    newAccount: readUrl(fields, 'newAccount'),
    newOrder: readUrl(fields, 'newOrder'),
    /** Undefined when the authority has no renewal information (RFC 9773). */
    renewalInfo: readOptionalUrl(fields, 'renewalInfo'),
    /** What a CAA record names to allow it. */
    caaIdentities: readList(meta, 'caaIdentities').filter((each) => typeof each === 'string'),
    externalAccountRequired: meta.externalAccountRequired === true,
    /** Descriptions by name (draft-ietf-acme-profiles); empty when there are none. */
    profiles: Object.fromEntries(
      Object.entries(profiles).filter(([, description]) => typeof description === 'string'),
    ),
  }
}

/** `kid`, the account's URL, or `jwk`, where there is no account yet. */
type Signer = { kid: string } | { jwk: PublicJwk }

/** The body of a request. Without a payload it is a POST-as-GET (section 6.3). */
function signJws(
  protectedHeader: { nonce?: string; url: string } & Signer,
  payload: object | undefined,
  key: KeyObject,
) {
  return complete({ alg: 'ES256', ...protectedHeader }, payload, (text) =>
    sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }),
  )
}

function complete(
  protectedHeader: object,
  payload: object | undefined,
  signText: (text: string) => Buffer,
) {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const parts = { protected: encode(protectedHeader), payload: payload ? encode(payload) : '' }
  const signature = signText(`${parts.protected}.${parts.payload}`).toString('base64url')
  return { ...parts, signature }
}
