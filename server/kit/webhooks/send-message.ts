// Sends one message to one receiver, and reports its response.
import { type Destinations, RequestError, sendRequest } from '../network/http-client.ts'
import { signedHeaders } from './signature.ts'

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
