// Sends one message to one receiver, and reports its response, as Standard Webhooks specifies it: signed by HMAC-SHA256 over
// id, timestamp and body, and repeated by the schedule that it suggests, with jitter, so that deliveries which failed together
// are not retried together.
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md

import { createHmac, randomBytes } from 'node:crypto'
import {
  checkDestination,
  type Destinations,
  findUrlProblem,
  RequestError,
  sendRequest,
} from '../network/http-client.ts'
import { invalid } from '../schema/checks.ts'

interface Message {
  url: string
  /** Sign it, the newest first. */
  secrets: Buffer[]
  id: string
  body: string
}

export type Sent = Awaited<ReturnType<typeof sendMessage>>

const answerWithinMs = 10_000

/** Sends a message once. `now` is what its timestamp says. `error` is undefined for a 2xx. Never throws. */
export async function sendMessage(
  { url, secrets, id, body }: Message,
  now: number,
  destinations: Destinations,
  withinMs: number = answerWithinMs,
) {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Animal-Store-Webhooks/1',
    ...signedHeaders(secrets, id, now, body),
  }
  const start = performance.now()
  const sent = sendRequest(new URL(url), {
    method: 'POST',
    headers,
    body,
    timeoutMs: withinMs,
    maxBytes: 4096,
    oversize: 'truncate',
    destinations,
  })
  // The status counts, even when the rest of the response fails.
  const result = await sent.catch((error: RequestError) => error.head ?? error)
  const durationMs = Math.round(performance.now() - start)
  if (result instanceof RequestError) {
    const { code, message, reason } = result
    const error = reason === 'timeout' ? 'no answer in time' : (code ?? message)
    return { durationMs, status: undefined, error, retryAfter: undefined }
  }
  const { headers: received, status } = result
  const error = status >= 200 && status < 300 ? undefined : `answered ${status}`
  return { durationMs, status, error, retryAfter: received['retry-after'] }
}

/**
 * The body of a message, as Standard Webhooks has it: type, timestamp, data. `data` is JSON; `now` is in milliseconds since
 * the epoch.
 */
export function messageBody(type: string, now: number, data: string): string {
  return `{"type":"${type}","timestamp":"${new Date(now).toISOString()}","data":${data}}`
}

const maxResolveMs = 8000

/** Throws `invalid_body` for a URL that is malformed or not allowed. `hint` follows the reason. */
export async function checkUrl(url: string, destinations: Destinations, hint = ''): Promise<void> {
  const problem = findUrlProblem(url) ?? (await findRefusal(url, destinations, hint))
  if (problem) throw invalid('invalid_body', [{ path: 'url', message: `url ${problem}.` }])
}

async function findRefusal(url: string, destinations: Destinations, hint: string) {
  const signal = AbortSignal.timeout(maxResolveMs)
  const checked = await checkDestination(new URL(url), destinations, signal)
  return 'refused' in checked ? `cannot be sent events: ${checked.refused}${hint}` : undefined
}

const seconds = 1000
const minutes = 60 * seconds
const hours = 60 * minutes

export const retryDelaysMs = [
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours,
]

const longestMs = 24 * hours

/**
 * Milliseconds to wait after `tries` attempts have failed; undefined when that was the last one.
 * Retry-After (RFC 9110: seconds, or a date) can make it longer, up to a day, never shorter.
 */
export function retryDelayMs(
  tries: number,
  retryAfter: string | undefined,
  now: number,
  random: number = Math.random(),
): number | undefined {
  const delay = retryDelaysMs[tries - 1]
  if (delay === undefined) return undefined
  const jittered = Math.round(delay * (0.9 + 0.2 * random))
  return Math.max(jittered, Math.min(readRetryAfter(retryAfter, now), longestMs))
}

function readRetryAfter(field: string | undefined, now: number): number {
  if (field === undefined) return 0
  const ms = /^\d{1,9}$/.test(field) ? Number(field) * seconds : Date.parse(field) - now
  return Number.isFinite(ms) ? ms : 0
}

const secretBytes = 32
const mark = 'whsec_'

/** The bytes that sign, and the text that the receiver is given. */
export function createSecret(): { bytes: Buffer; text: string } {
  const bytes = randomBytes(secretBytes)
  return { bytes, text: mark + bytes.toString('base64') }
}

/** An unguessable id: a prefix and 24 letters and digits. */
export function createId(mark: string): string {
  return mark + randomBytes(12).toString('hex')
}

/** The fields of a message. With several secrets there is a signature by each, the newest first. */
export function signedHeaders(
  secrets: Buffer[],
  messageId: string,
  now: number,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const signatures = secrets.map((secret) => {
    const content = `${messageId}.${timestamp}.${body}`
    return `v1,${createHmac('sha256', secret).update(content).digest('base64')}`
  })
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
