// Signatures as Standard Webhooks specifies them: HMAC-SHA256 over id, timestamp and body.
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
import { createHmac, randomBytes } from 'node:crypto'

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
