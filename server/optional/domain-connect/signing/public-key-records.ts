// The public key of a signing key as TXT records at `<label>.<key domain>` (draft-ietf-dconn-domainconnect, Public Key
// Publication): the DER form in base64, in pieces.
import { createPublicKey } from 'node:crypto'

const pieceLength = 200

/** In the order of the pieces. `key`: PEM, private or public. */
export function writePublicKeyRecords(key: string): string[] {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const text = der.toString('base64')
  const count = Math.ceil(text.length / pieceLength)
  return Array.from({ length: count }, (_, i) => {
    const piece = text.slice(i * pieceLength, (i + 1) * pieceLength)
    return `p=${i + 1},a=RS256,d=${piece}`
  })
}

/**
 * What is wrong with the published values, in words that end a sentence; undefined when they are the key's, in any
 * order.
 */
export function findPublicationProblem(
  expected: string[],
  published: string[],
): string | undefined {
  if (published.length === 0) return 'there is no TXT record'
  const missing = expected.filter((value) => !published.includes(value))
  if (missing.length === expected.length) return 'its records are not those of this key'
  if (missing.length > 0) return `${missing.length} of ${expected.length} records are missing`
  const others = published.filter((value) => !expected.includes(value))
  return others.length > 0 ? 'there are other TXT records beside those of the key' : undefined
}
