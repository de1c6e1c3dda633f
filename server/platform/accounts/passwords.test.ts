import { argon2Sync } from 'node:crypto'
import { expect, it } from 'vitest'
import { createPasswords, type PasswordOptions } from './passwords.ts'

/** Passwords without a crowd before them. */
function openPasswords(options?: PasswordOptions) {
  const { admit, isOutdated } = createPasswords(options)
  return {
    isOutdated,
    hash: (password: string) => admit(({ hash }) => hash(password)),
    verify: (password: string, hash: string | undefined) =>
      admit(({ verify }) => verify(password, hash)),
  }
}

const light = { memoryKib: 64, passes: 1, lanes: 1 }

it('keeps a PHC string with the parameters that OWASP asks for', async () => {
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

it('verifies by the parameters that a hash names, and says when these are no longer used', async () => {
  const before = openPasswords({ cost: light })
  const now = openPasswords({ cost: { ...light, passes: 2 } })
  const hash = await before.hash('kw8-Fp2xQz1!')
  expect(await now.verify('kw8-Fp2xQz1!', hash)).toBe(true)
  expect(now.isOutdated(hash)).toBe(true)
  expect(before.isOutdated(hash)).toBe(false)
})

it('takes the same password from every keyboard', async () => {
  const passwords = openPasswords({ cost: light })
  const hash = await passwords.hash('Zürich am See'.normalize('NFD'))
  expect(await passwords.verify('Zürich am\u00a0See'.normalize('NFC'), hash)).toBe(true)
})

it('works as long for an account that is not there, and says no', async () => {
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

it('does not take a hash of another kind for one of its own', async () => {
  const passwords = openPasswords({ derive: async ({ tagLength }) => Buffer.alloc(tagLength) })
  await expect(passwords.verify('x', '$2b$10$abc')).rejects.toThrow('unknown format')
})
