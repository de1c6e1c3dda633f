// One-time codes as an authenticator app makes them.
import { expect } from 'vitest'
import { codeOf, stepAt } from '#accounts/sign-in/one-time-code.ts'
import { type AccountsInTest, minute, password, type Visitor } from './accounts-in-test.ts'

/** Decodes RFC 4648 base32. */
export function fromBase32(text: string): Buffer {
  const digits = [...text].map((digit) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit))
  const bits = digits.map((digit) => digit.toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** Sets them up and confirms the set-up. */
export async function turnOnOneTimeCodes(
  { clock }: Pick<AccountsInTest, 'clock'>,
  visitor: Pick<Visitor, 'ask'>,
) {
  const setUp = await visitor.ask('/account/second-factor/set-up', {
    body: { currentPassword: password },
  })
  expect(setUp.status).toBe(201)
  const { secret, uri } = setUp.json as { secret: string; uri: string }
  expect(uri).toContain(`secret=${secret}&issuer=`)
  const bytes = fromBase32(secret)
  const code = (offset = 0): string => codeOf(bytes, stepAt(clock.now) + offset)
  const confirmed = await visitor.ask('/account/second-factor/confirm', { body: { code: code() } })
  expect(confirmed.status).toBe(200)
  const { recoveryCodes } = confirmed.json as { recoveryCodes: string[] }
  // The confirmation has used this step.
  clock.now += minute
  return { secret, code, recoveryCodes }
}
