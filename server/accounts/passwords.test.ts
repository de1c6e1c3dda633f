import { argon2Sync } from 'node:crypto'
import { expect, it } from 'vitest'
import { createPasswords, type PasswordOptions } from './passwords.ts'

/** Hashes and verifies passwords for one client. */
function openPasswords(options?: PasswordOptions) {
  const { hashingOf, isOutdated } = createPasswords(options)
  return { isOutdated, ...hashingOf({ network: '192.0.2.1', isKnown: false }) }
}

const light = { memoryKib: 64, passes: 1, lanes: 1 }

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

it('verifies with the parameters of the hash, and reports outdated parameters', async () => {
  const before = openPasswords({ cost: light })
  const now = openPasswords({ cost: { ...light, passes: 2 } })
  const hash = await before.hash('kw8-Fp2xQz1!')
  expect(await now.verify('kw8-Fp2xQz1!', hash)).toBe(true)
  expect(now.isOutdated(hash)).toBe(true)
  expect(before.isOutdated(hash)).toBe(false)
})

it('accepts the same password in every Unicode form', async () => {
  const passwords = openPasswords({ cost: light })
  const hash = await passwords.hash('Zürich am See'.normalize('NFD'))
  expect(await passwords.verify('Zürich am\u00a0See'.normalize('NFC'), hash)).toBe(true)
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
