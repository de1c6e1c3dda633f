import { describe, expect, it } from 'vitest'
import { codeOf, findStep, setUpUri, stepAt, toBase32 } from './one-time-code.ts'

const secret = Buffer.from('12345678901234567890')

describe('one-time codes', () => {
  // RFC 6238, appendix B, for SHA-1: the last six of its eight digits.
  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('match RFC 6238 at %i seconds', (seconds, code) => {
    expect(codeOf(secret, stepAt(seconds * 1000))).toBe(code)
  })

  it('are accepted one step early and late, no more', () => {
    const now = 1_234_567_890_000
    const step = stepAt(now)
    const accepted = [-2, -1, 0, 1, 2].map((by) => findStep(secret, codeOf(secret, step + by), now))
    expect(accepted).toEqual([undefined, step - 1, step, step + 1, undefined])
    for (const wrong of ['', '00000', '0000000', 'abcdef', ' 05924']) {
      expect(findStep(secret, wrong, now)).toBeUndefined()
    }
  })

  it('have a secret in base32 (RFC 4648, section 10)', () => {
    const text = (plain: string) => toBase32(Buffer.from(plain))
    expect(['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map(text)).toEqual([
      '',
      'MY',
      'MZXQ',
      'MZXW6',
      'MZXW6YQ',
      'MZXW6YTB',
      'MZXW6YTBOI',
    ])
    expect(setUpUri(secret, 'Animal Store', 'a+b@example.com')).toBe(
      'otpauth://totp/Animal%20Store:a%2Bb%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Animal%20Store',
    )
  })
})
