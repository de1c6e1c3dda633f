// The way to one authority: its directory, nonces, and signed requests (RFC 8555, section 6). What is kept here
// is only what saves a request; a new client goes on with anything that another has begun.
import type { Clock } from '../../../platform/clock.ts'
import { publicJwk, readKey } from '../x509/keys.ts'
import { AcmeNoResponse, AcmeProblem, type Operation } from './acme-error.ts'
import { type Directory, readDirectory } from './directory.ts'
import {
  createTransport,
  type HttpRequest,
  type HttpResponse,
  type Transport,
  TransportFault,
} from './https-transport.ts'
import { type Signer, signJws } from './jws.ts'
import { parseProblemResponse } from './read-problem.ts'
import { MalformedResponse } from './read-response.ts'
import { readRetryAfter } from './retry-after.ts'

export interface AcmeClientOptions {
  directoryUrl: string
  /** Roots to trust besides the usual ones, PEM. */
  trustedRoots?: string | undefined
  /** Who asks: the program and its version (RFC 8555, section 6.1). */
  userAgent: string
  now: Clock
  /** For each request; 30,000 unless told. */
  timeoutMs?: number
}

export interface AcmeClient {
  directoryUrl: string
  userAgent: string
  now: Clock
  transport: Transport
  nonces: string[]
  directory: { value: Directory; until: number } | undefined
}

/** An account's URL and its private key, PEM: all that is needed to go on with it. */
export interface AcmeAccount {
  url: string
  privateKey: string
}

/** Who signs: an account, or a key that has none yet. */
export type SigningKey = AcmeAccount | { url?: undefined; privateKey: string }

export interface CallOptions {
  signal?: AbortSignal | undefined
}

/** With half of all nonces refused, one request in a million fails. */
const maxNonceAttempts = 20
const maxNonces = 50
const directoryLifeMs = 3_600_000
const maxBytes = 256 * 1024
const maxConnections = 20

/** Nothing is asked before the first operation. `close` it in the end. */
export function createAcmeClient(options: AcmeClientOptions): AcmeClient {
  const { directoryUrl, now, timeoutMs = 30_000, trustedRoots, userAgent } = options
  const transport = createTransport({ trustedRoots, timeoutMs, maxBytes, maxConnections })
  return { directoryUrl, userAgent, now, transport, nonces: [], directory: undefined }
}

export function closeAcmeClient(client: AcmeClient): void {
  client.transport.close()
}

/** The directory, looked at again after an hour. */
export async function getDirectory(
  client: AcmeClient,
  { signal }: CallOptions = {},
): Promise<Directory> {
  if (client.directory && client.now() < client.directory.until) return client.directory.value
  const answer = await ask(client, 'directory', client.directoryUrl, signal)
  const value = parseResponse('directory', () => readDirectory(answer.body))
  client.directory = { value, until: client.now() + directoryLifeMs }
  return value
}

/** A plain GET: of the directory and of renewal information, nothing else is asked for without a signature. */
export async function ask(
  client: AcmeClient,
  operation: Operation,
  url: string,
  signal?: AbortSignal,
): Promise<HttpResponse> {
  const request: HttpRequest = { method: 'GET', url, headers: {}, signal }
  const answer = await exchange(client, operation, request)
  if (answer.status !== 200) throw toAcmeProblem(client, operation, answer)
  return answer
}

export interface Post extends CallOptions {
  operation: Operation
  url: string
  /** Undefined: the resource is read (POST-as-GET). */
  payload?: object | undefined
  accept?: string
}

/** A signed request. A nonce that is refused is replaced by the one that came with the refusal. */
export async function post(
  client: AcmeClient,
  signer: SigningKey,
  sent: Post,
): Promise<HttpResponse> {
  const { accept = 'application/json', operation, payload, signal, url } = sent
  const key = readKey(signer.privateKey)
  const name: Signer = signer.url === undefined ? { jwk: publicJwk(key) } : { kid: signer.url }
  let nonce = client.nonces.pop()
  for (let tries = 1; ; tries++) {
    nonce ??= await fetchNonce(client, signal)
    const body = JSON.stringify(signJws({ nonce, url, ...name }, payload, key))
    const headers = { 'content-type': 'application/jose+json', accept }
    const answer = await exchange(client, operation, { method: 'POST', url, headers, body, signal })
    const next = nonceOf(answer)
    const isFine = answer.status >= 200 && answer.status < 300
    const problem = isFine ? undefined : toAcmeProblem(client, operation, answer)
    if (problem?.type === 'badNonce' && tries < maxNonceAttempts) {
      nonce = next
      continue
    }
    if (next !== undefined && client.nonces.length < maxNonces) client.nonces.push(next)
    if (problem) throw problem
    return answer
  }
}

/** Runs what reads an answer; a MalformedAnswer becomes an AcmeNoAnswer. */
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
  const request: HttpRequest = { method: 'HEAD', url: newNonce, headers: {}, signal }
  const answer = await exchange(client, 'new nonce', request)
  if (answer.status >= 300) throw toAcmeProblem(client, 'new nonce', answer)
  const nonce = nonceOf(answer)
  if (nonce === undefined) throw new AcmeNoResponse('new nonce', 'malformed', 'there is no nonce')
  return nonce
}

function nonceOf({ headers }: HttpResponse): string | undefined {
  const [nonce] = [headers['replay-nonce']].flat()
  return nonce !== undefined && /^[A-Za-z0-9_-]{1,512}$/.test(nonce) ? nonce : undefined
}

async function exchange(
  client: AcmeClient,
  operation: Operation,
  request: HttpRequest,
): Promise<HttpResponse> {
  const headers = { 'user-agent': client.userAgent, ...request.headers }
  try {
    return await client.transport.send({ ...request, headers })
  } catch (error) {
    if (!(error instanceof TransportFault)) throw error
    throw new AcmeNoResponse(operation, error.reason, error.message)
  }
}

function toAcmeProblem(
  client: AcmeClient,
  operation: Operation,
  answer: HttpResponse,
): AcmeProblem {
  const { body, headers, status } = answer
  const retryAt = readRetryAfter(headers['retry-after'], client.now())
  return new AcmeProblem(operation, parseProblemResponse(status, body), retryAt)
}
