// One-time codes of authenticator apps: TOTP (RFC 6238) with HMAC-SHA-1, six digits and steps of 30 seconds, which
// is what the apps support. Pure functions; times are milliseconds since the epoch.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const secretBytes = 20
const stepMs = 30_000
const digits = 6
/** Steps before and after the current one whose codes are accepted, for clocks that differ (RFC 6238, section 5.2). */
const tolerance = 1
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function createCodeSecret(): Buffer {
  return randomBytes(secretBytes)
}

/** The code of a step (RFC 4226, section 5.3). */
export function codeOf(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) as number) & 15
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

export function stepAt(now: number): number {
  return Math.floor(now / stepMs)
}

/** The step that a code belongs to; undefined if it is not valid now. Compares in constant time. */
export function findStep(secret: Uint8Array, code: string, now: number): number | undefined {
  if (!isCode(code)) return undefined
  const entered = Buffer.from(code)
  const current = stepAt(now)
  let matchingStep: number | undefined
  for (let step = Math.max(0, current - tolerance); step <= current + tolerance; step++) {
    if (timingSafeEqual(entered, Buffer.from(codeOf(secret, step)))) matchingStep = step
  }
  return matchingStep
}

/** Whether a text has the form of a one-time code; all others may be recovery codes. */
export function isCode(text: string): boolean {
  return /^\d{6}$/.test(text)
}

export const withoutSpaces = (text: string): string => text.replaceAll(/\s/g, '')

/** As authenticator apps accept it by keyboard (RFC 4648, without padding). */
export function toBase32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += base32[(held >> (bits - 5)) & 31]
    held &= (1 << bits) - 1
  }
  return bits > 0 ? text + base32[(held << (5 - bits)) & 31] : text
}

/** The address that a QR code for authenticator apps contains. */
export function setUpUri(secret: Uint8Array, issuer: string, email: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`
}
