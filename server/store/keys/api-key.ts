// The form of an API key: as_live_<id>_<secret><checksum>. The id finds the row, the secret's 256 random
// bits prove it, the checksum refuses what was mistyped without asking the database. Only a hash is kept.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

export const environmentNames = ['production', 'staging'] as const
export type EnvironmentName = (typeof environmentNames)[number]

const marks: Record<EnvironmentName, string> = { production: 'as_live_', staging: 'as_test_' }
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const idLength = 12
/** 43 digits of base 62 hold 256 bits. */
const secretLength = 43
const checksumLength = 6
const form = new RegExp(
  `^(as_live_|as_test_)([0-9A-Za-z]{${idLength}})_([0-9A-Za-z]{${secretLength + checksumLength}})$`,
)

export interface ParsedKey {
  environment: EnvironmentName
  id: string
}

/** Makes a key for an environment. The text is shown once; keep `hash` and `id`. */
export function createKeyText(environment: EnvironmentName): {
  id: string
  text: string
  hash: string
} {
  const id = randomDigits(9, idLength)
  const start = `${marks[environment]}${id}_${randomDigits(32, secretLength)}`
  const text = start + checksum(start)
  return { id, text, hash: hashKey(text) }
}

/** Reads a key's form; undefined for what cannot be a key. Says nothing on whether it is known. */
export function parseKey(text: string): ParsedKey | undefined {
  const match = form.exec(text)
  if (!match) return undefined
  const start = text.slice(0, -checksumLength)
  if (checksum(start) !== text.slice(-checksumLength)) return undefined
  return {
    environment: match[1] === marks.production ? 'production' : 'staging',
    id: match[2] as string,
  }
}

/** SHA-256 in hex. A plain hash is enough for 256 random bits. */
export function hashKey(text: string): string {
  return hash('sha256', text)
}

/** Compares two hashes in constant time. */
export function sameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

function randomDigits(bytes: number, length: number): string {
  return inBase62(BigInt(`0x${randomBytes(bytes).toString('hex')}`), length)
}

function checksum(text: string): string {
  return inBase62(BigInt(crc32(text)), checksumLength)
}

function inBase62(number: bigint, length: number): string {
  let text = ''
  for (let rest = number; text.length < length; rest /= 62n)
    text = digits[Number(rest % 62n)] + text
  return text
}
