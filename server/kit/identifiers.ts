// Identifiers. Record IDs sort by creation time and cannot be guessed. API keys and access tokens have the format
// <mark><id>_<secret><checksum>: the id finds the row, the secret has 256 random bits, and the checksum detects typing errors
// without a query. Only a hash is stored.
import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

const idDigits = '0123456789abcdefghijklmnopqrstuvwxyz'
/** Milliseconds in base 36, enough until the year 5188. */
const timeLength = 9
const randomLength = 12
const sequenceLength = 4

/** Such as `acc_0mk2v5x9q3f8a1z7c0p4d`: only digits and lowercase letters, which sort alike in all collations. */
export function createRecordId(mark: string, now: number): string {
  return `${mark}_${timeDigits(now)}${randomIdDigits(randomLength)}`
}

let last = { now: 0, sequence: 0 }

/** The same, in the order of the calls of this process also within a millisecond. */
export function createSequentialId(mark: string, now: number): string {
  last = { now, sequence: last.now === now ? last.sequence + 1 : 0 }
  const sequence = (last.sequence % 36 ** sequenceLength).toString(36)
  const rest =
    sequence.padStart(sequenceLength, '0') + randomIdDigits(randomLength - sequenceLength)
  return `${mark}_${timeDigits(now)}${rest}`
}

function timeDigits(now: number): string {
  return now.toString(36).padStart(timeLength, '0')
}

function randomIdDigits(length: number): string {
  let text = ''
  while (text.length < length) text += idDigits[randomInt(36)]
  return text
}

const secretDigits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const idLength = 12
/** 43 digits in base 62 hold 256 bits. */
const secretLength = 43
const checksumLength = 6
const form = new RegExp(
  `^(as_[a-z]+_)([0-9A-Za-z]{${idLength}})_[0-9A-Za-z]{${secretLength + checksumLength}}$`,
)

/** Creates a secret. `mark` is a prefix such as `as_live_`. Show `text` once; store `hash` and `id`. */
export function createSecretText(mark: string): { id: string; text: string; hash: string } {
  const id = randomDigits(9, idLength)
  const start = `${mark}${id}_${randomToken()}`
  const text = start + inBase62(BigInt(crc32(start)), checksumLength)
  return { id, text, hash: hashSecret(text) }
}

/** Parses a secret; undefined if the format or checksum is wrong. Does not check whether it exists. */
export function parseSecretText(text: string): { mark: string; id: string } | undefined {
  const match = form.exec(text)
  if (!match) return undefined
  const sum = inBase62(BigInt(crc32(text.slice(0, -checksumLength))), checksumLength)
  if (!text.endsWith(sum)) return undefined
  return { mark: match[1] as string, id: match[2] as string }
}

/** 256 random bits as 43 letters and digits, for tokens that are found by their hash. */
export function randomToken(): string {
  return randomDigits(32, secretLength)
}

/** SHA-256 in hex. A plain hash is enough for 256 random bits. */
export function hashSecret(text: string): string {
  return hash('sha256', text)
}

/** Whether a secret has the hash, in constant time. */
export function hasHash(text: string, secretHash: string): boolean {
  const own = Buffer.from(hash('sha256', text))
  return own.length === secretHash.length && timingSafeEqual(own, Buffer.from(secretHash))
}

function randomDigits(bytes: number, length: number): string {
  return inBase62(BigInt(`0x${randomBytes(bytes).toString('hex')}`), length)
}

function inBase62(number: bigint, length: number): string {
  let text = ''
  for (let rest = number; text.length < length; rest /= 62n)
    text = secretDigits[Number(rest % 62n)] + text
  return text
}
