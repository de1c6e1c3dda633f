// Record IDs that sort by creation time and cannot be guessed.
import { randomInt } from 'node:crypto'

const digits = '0123456789abcdefghijklmnopqrstuvwxyz'
/** Milliseconds in base 36, enough until the year 5188. */
const timeLength = 9
const randomLength = 12
const sequenceLength = 4

/** Such as `acc_0mk2v5x9q3f8a1z7c0p4d`: only digits and lowercase letters, which sort alike in all collations. */
export function createRecordId(mark: string, now: number): string {
  return `${mark}_${timeDigits(now)}${randomDigits(randomLength)}`
}

let last = { now: 0, sequence: 0 }

/** The same, in the order of the calls of this process also within a millisecond. */
export function createSequentialId(mark: string, now: number): string {
  last = { now, sequence: last.now === now ? last.sequence + 1 : 0 }
  const sequence = (last.sequence % 36 ** sequenceLength).toString(36)
  const rest = sequence.padStart(sequenceLength, '0') + randomDigits(randomLength - sequenceLength)
  return `${mark}_${timeDigits(now)}${rest}`
}

function timeDigits(now: number): string {
  return now.toString(36).padStart(timeLength, '0')
}

function randomDigits(length: number): string {
  let text = ''
  while (text.length < length) text += digits[randomInt(36)]
  return text
}
