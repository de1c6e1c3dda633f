// One message to one receiver, and what came back.
import { type Destinations, post } from '../network/http-client.ts'
import { signedHeaders } from './signature.ts'

export interface Message {
  url: string
  /** Sign it, the newest first. */
  secrets: Buffer[]
  id: string
  body: string
}

export interface Sent {
  durationMs: number
  status: number | undefined
  /** Undefined for a 2xx. */
  error: string | undefined
  retryAfter: string | undefined
}

export const answerWithinMs = 10_000

/** Sends a message once. `now` is what its timestamp says. Never throws. */
export async function sendMessage(
  { url, secrets, id, body }: Message,
  now: number,
  destinations: Destinations,
  withinMs: number = answerWithinMs,
): Promise<Sent> {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Animal-Store-Webhooks/1',
    ...signedHeaders(secrets, id, now, body),
  }
  const start = performance.now()
  const result = await post(new URL(url), headers, body, destinations, withinMs)
  const durationMs = Math.round(performance.now() - start)
  if ('error' in result) {
    return { durationMs, status: undefined, error: result.error, retryAfter: undefined }
  }
  const { retryAfter, status } = result
  const isSuccess = status >= 200 && status < 300
  return { durationMs, status, error: isSuccess ? undefined : `answered ${status}`, retryAfter }
}
