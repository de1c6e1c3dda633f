import { argon2Sync } from 'node:crypto'
import { expect, it } from 'vitest'
import {
  createPasswords,
  findPasswordProblem,
  normalizePassword,
  type PasswordOptions,
} from './passwords.ts'

/** Hashes and verifies passwords for one client. */
function openPasswords(options?: PasswordOptions) {
  const { hashingOf, isOutdated } = createPasswords(options)
  return { isOutdated, ...hashingOf({ network: '192.0.2.1', isKnown: false }) }
}

it('stores a PHC string with the parameters that OWASP recommends', async () => {
  const passwords = openPasswords()
  const hash = await passwords.hash('kw8-Fp2xQz1!')
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(await passwords.verify('kw8-Fp2xQz1!', hash)).toBe(true)
  expect(await passwords.verify('kw8-Fp2xQz1?', hash)).toBe(false)
  expect(await passwords.verify('kw8-Fp2xQz1! ', hash)).toBe(false)
  expect(await passwords.hash('kw8-Fp2xQz1!')).not.toBe(hash)
  const [salt = '', tag = ''] = hash.split('$').slice(4)
  const expected = argon2Sync('argon2id', {
    message: 'kw8-Fp2xQz1!',
    nonce: Buffer.from(salt, 'base64'),
    memory: 19456,
    passes: 2,
    parallelism: 1,
    tagLength: 32,
  })
  expect(tag).toBe(expected.toString('base64').replace('=', ''))
})

it('takes the same time for an unknown account, and returns false', async () => {
  const worked: object[] = []
  const passwords = openPasswords({
    derive: async ({ memory, parallelism, passes, tagLength }) => {
      worked.push({ memory, parallelism, passes, tagLength })
      return Buffer.alloc(tagLength)
    },
  })
  const hash = await passwords.hash('kw8-Fp2xQz1!')
  expect(await passwords.verify('kw8-Fp2xQz1!', hash)).toBe(true)
  expect(await passwords.verify('kw8-Fp2xQz1!', undefined)).toBe(false)
  expect(worked).toEqual(Array(3).fill({ memory: 19456, parallelism: 1, passes: 2, tagLength: 32 }))
})

it('refuses a hash of another algorithm', async () => {
  const passwords = openPasswords({ derive: async ({ tagLength }) => Buffer.alloc(tagLength) })
  await expect(passwords.verify('x', '$2b$10$abc')).rejects.toThrow('unknown format')
})

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
