import { expect, it } from 'vitest'
import { findPasswordProblem, normalizePassword } from './password-rules.ts'

const email = 'rosa.blum@example.com'

it.each([
  ['11 characters', 'kw8-Fp2xQz1', 'must have 12 to 256 characters; it has 11'],
  ['257 characters', 'abcdefgh1'.repeat(29).slice(0, 257), 'it has 257'],
  ['the e-mail address', 'Rosa.Blum@Example.com', 'e-mail address'],
  ['a line break', 'two lines of\nwords', 'control characters'],
  ['a lone surrogate', `a lone \ud800 surrogate`, 'control characters'],
  ['a common password', 'Password1234', 'too common'],
  ['a common password with spaces', 'correct horse battery staple', 'too common'],
  ['four repeated characters', 'abcdabcdabcdabcd', 'too common'],
])('refuses %s', (_, password, reason) => {
  expect(findPasswordProblem(password, email)).toContain(reason)
})

it('refuses the local part of the e-mail address', () => {
  expect(findPasswordProblem('rosa.blum.1970', 'rosa.blum.1970@example.com')).toContain('e-mail')
})

it.each([
  ['12 characters', 'kw8-Fp2xQz1!'],
  ['12 characters of two code units each', '🐈🐕🦜🐇🐹🐠🦎🐢🐍🐓🦆🐎'],
  ['256 characters', 'abcdefgh'.repeat(32)],
  ['leading and trailing spaces', '  kw8-Fp2xQz1 '],
])('takes %s', (_, password) => {
  expect(findPasswordProblem(password, email)).toBeUndefined()
})

it('counts characters after Unicode normalization', () => {
  const decomposed = 'äöüéèàâôîûç'.normalize('NFD')
  expect([...decomposed].length).toBe(22)
  expect(findPasswordProblem(decomposed, email)).toContain('it has 11')
})

it('normalizes all Unicode forms of a password, and changes nothing else', () => {
  expect(normalizePassword('Z\u00fcrich\u00a0see')).toBe(normalizePassword('Zu\u0308rich see'))
  for (const kept of [' Aa ', 'ﬁ', 'ｆｕｌｌ', 'ß', 'I']) expect(normalizePassword(kept)).toBe(kept)
})
