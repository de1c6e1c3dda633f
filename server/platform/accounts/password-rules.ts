// What may be a password, and the one spelling in which it is hashed (RFC 8265, OpaqueString): composed
// as NFC, every space an ordinary one, so that two keyboards give the same bytes. Nothing is trimmed,
// folded or cut.
import { worstPasswords } from './worst-passwords.ts'

const shortest = 12
const longest = 256
const fewestKinds = 5

/** The spelling that is hashed. Never fails, so that what is no password is refused like a wrong one. */
export function spellPassword(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Zs}/gu, ' ')
    .normalize('NFC')
}

/** Why this cannot be the new password of the account with this address; undefined when it can. */
export function refusePassword(text: string, email: string): string | undefined {
  if (!text.isWellFormed() || /\p{Cc}/u.test(text)) return 'must not contain control characters'
  const password = spellPassword(text)
  const characters = [...password]
  if (characters.length < shortest || characters.length > longest)
    return `must have ${shortest} to ${longest} characters; it has ${characters.length}`
  const lower = password.toLowerCase()
  const address = spellPassword(email).toLowerCase()
  if (lower === address || lower === address.split('@')[0]) return 'must not be the e-mail address'
  if (worstPasswords.has(lower.replaceAll(' ', '')) || new Set(characters).size < fewestKinds)
    return 'is too common; choose another'
  return undefined
}
