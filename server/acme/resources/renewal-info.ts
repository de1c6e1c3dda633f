// When to renew a certificate: inside the window that the authority suggests (renewal information, RFC 9773), otherwise
// by the remaining lifetime. The choice is pure: the same certificate and window always give the same time.

import { createHash } from 'node:crypto'
import {
  type AcmeClient,
  ask,
  type CallOptions,
  getDirectory,
  parseResponse,
} from '../requests/acme-client.ts'
import {
  asFields,
  MalformedResponse,
  readFields,
  readRetryAfter,
  readTimestamp,
} from '../requests/read-response.ts'

export type RenewalInfo = NonNullable<Awaited<ReturnType<typeof getRenewalInfo>>>

const minuteMs = 60_000
const dayMs = 86_400_000
/** The RFC's default without Retry-After (section 4.3). */
const usualMs = 6 * 3_600_000

/** Undefined when the authority has no renewal information. `renewalId` is that of CertificateFacts. */
export async function getRenewalInfo(
  client: AcmeClient,
  renewalId: string,
  { signal }: CallOptions = {},
) {
  const operation = 'renewal information'
  const { renewalInfo } = await getDirectory(client, { signal })
  if (renewalInfo === undefined) return undefined
  const url = `${renewalInfo.replace(/\/$/, '')}/${renewalId}`
  const response = await ask(client, operation, url, signal)
  const now = client.now()
  return parseResponse(operation, () => {
    const fields = readFields(response.body)
    const suggested = asFields(fields.suggestedWindow, 'suggestedWindow')
    const window = {
      start: readTimestamp(suggested, 'start'),
      end: readTimestamp(suggested, 'end'),
    }
    if (window.end <= window.start)
      throw new MalformedResponse('suggestedWindow ends before it starts')
    const retryAt = readRetryAfter(response.headers['retry-after'], now) ?? now + usualMs
    const explanation = URL.parse(String(fields.explanationURL ?? ''))
    return {
      window,
      /** A page that explains why. */
      explanationUrl: /^https?:$/.test(explanation?.protocol ?? '') ? explanation?.href : undefined,
      /** When to request it again, in milliseconds since the epoch: after a minute to a day. */
      askAgainAt: Math.min(Math.max(retryAt, now + minuteMs), now + dayMs),
    }
  })
}

const shortLifeMs = 10 * 86_400_000
/** The last share of the lifetime, in which the suggested window is ignored. */
const lastShare = 0.05

/**
 * All times are milliseconds since the epoch. `point`, from 0 to 1, is the position in the window, which spreads renewals.
 * Without a window, renewal is due when a third of the lifetime remains (half, if it is under ten days); with one, when a
 * twentieth remains at the latest.
 */
export function chooseRenewalTime(
  { notAfter, notBefore }: { notBefore: number; notAfter: number },
  window: { start: number; end: number } | undefined,
  point: number,
): number {
  const life = notAfter - notBefore
  if (!window) return Math.floor(notAfter - life / (life < shortLifeMs ? 2 : 3))
  const suggested = window.start + point * (window.end - window.start)
  return Math.floor(Math.min(suggested, notAfter - life * lastShare))
}

/** A pseudo-random number from 0 to below 1, derived from the text. */
export function pointInWindow(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}
