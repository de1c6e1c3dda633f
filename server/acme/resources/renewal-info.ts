// Renewal information (RFC 9773): when the authority suggests renewing a certificate.
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
  readTimestamp,
} from '../requests/read-response.ts'
import { readRetryAfter } from '../requests/retry-after.ts'

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
  const answer = await ask(client, operation, url, signal)
  const now = client.now()
  return parseResponse(operation, () => {
    const fields = readFields(answer.body)
    const suggested = asFields(fields.suggestedWindow, 'suggestedWindow')
    const window = {
      start: readTimestamp(suggested, 'start'),
      end: readTimestamp(suggested, 'end'),
    }
    if (window.end <= window.start)
      throw new MalformedResponse('suggestedWindow ends before it starts')
    const asked = readRetryAfter(answer.headers['retry-after'], now) ?? now + usualMs
    const explanation = URL.parse(String(fields.explanationURL ?? ''))
    return {
      window,
      /** A page that explains why. */
      explanationUrl: /^https?:$/.test(explanation?.protocol ?? '') ? explanation?.href : undefined,
      /** When to request it again, in milliseconds since the epoch: after a minute to a day. */
      askAgainAt: Math.min(Math.max(asked, now + minuteMs), now + dayMs),
    }
  })
}
