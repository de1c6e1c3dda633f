// E-mail addresses: one sensible form of what RFC 5321 and RFC 6531 allow, and what two spellings of one
// address share. Nothing is guessed: a dot or a plus in the local part makes another address.
import { domainToASCII } from 'node:url'

export interface EmailAddress {
  /** As it was typed, composed. */
  text: string
  /** Equal for equal addresses: lower case, the domain in its ASCII form. */
  key: string
}

const maxBytes = 254
const maxLocalBytes = 64
const atom = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+"
const form = new RegExp(`^(${atom}(?:\\.${atom})*)@([\\p{L}\\p{M}\\p{N}.-]+)$`, 'u')
const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
// The last label has a letter: what has none would be an IP address.
const domainForm = new RegExp(`^(${label}\\.)*(?=[0-9-]*[a-z])${label}$`)

/** Undefined for what is no address in that form. */
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
