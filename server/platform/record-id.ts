// Record IDs that sort by creation time and cannot be guessed.
import { randomInt } from 'node:crypto'

const digits = '0123456789abcdefghijklmnopqrstuvwxyz'
/** Milliseconds in base 36, enough until the year 5188. */
const timeLength = 9
const randomLength = 12

/** Such as `acc_0mk2v5x9q3f8a1z7c0p4d`: only digits and lowercase letters, which sort alike in all collations. */
export function createRecordId(mark: string, now: number): string {
  const time = now.toString(36).padStart(timeLength, '0')
  const random = Array.from({ length: randomLength }, () => digits[randomInt(36)])
  return `${mark}_${time}${random.join('')}`
}
