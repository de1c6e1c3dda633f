import { expect, it } from 'vitest'
import { hasTwoFactors } from './provider-sign-in.ts'

it.each([
  [['pwd', 'otp'], true],
  [['mfa'], true],
  [['hwk'], true],
  [['sc'], true],
  [['fpt', 'swk'], true],
  [['pwd', 'pin'], false],
  [['otp'], false],
  [['pwd'], false],
  [['sms'], false],
  [['toString', 'pwd'], false],
  [[1, null, 'pwd'], false],
  [[], false],
  ['mfa', false],
  [undefined, false],
])('amr %j has two factors: %s', (amr, expected) => {
  expect(hasTwoFactors(amr)).toBe(expected)
})
