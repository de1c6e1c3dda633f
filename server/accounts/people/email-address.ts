// E-mail addresses: a practical subset of RFC 5321 and RFC 6531, and a key that is equal for different
// spellings of one address. A dot or a plus in the local part makes a different address.
import { domainToASCII } from 'node:url'

export interface EmailAddress {
  /** As entered, normalized to NFC. */
  text: string
  /** Equal for equal addresses: in lower case, with the domain in ASCII (punycode). */
  key: string
}

const maxBytes = 254
const maxLocalBytes = 64
const atom = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+"
const form = new RegExp(`^(${atom}(?:\\.${atom})*)@([\\p{L}\\p{M}\\p{N}.-]+)$`, 'u')
const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
// The last label must contain a letter: otherwise it would be an IP address.
const domainForm = new RegExp(`^(${label}\\.)*(?=[0-9-]*[a-z])${label}$`)

/** Undefined if the text is not a valid address. */
export function parseEmail(text: string): EmailAddress | undefined {
  const composed = text.normalize('NFC')
  if (Buffer.byteLength(composed) > maxBytes) return undefined
  const [, local = '', domain = ''] = form.exec(composed) ?? []
  if (!local || Buffer.byteLength(local) > maxLocalBytes) return undefined
  const ascii = domainToASCII(domain).toLowerCase()
  const key = `${local.toLowerCase().normalize('NFC')}@${ascii}`
  if (!domainForm.test(ascii) || Buffer.byteLength(key) > maxBytes) return undefined
  return { text: composed, key }
}
