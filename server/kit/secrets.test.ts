import { randomBytes } from 'node:crypto'
import { mkdtempDisposableSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openSecrets, parseSecretKey, SecretError } from './secrets.ts'

const createFolder = () => mkdtempDisposableSync(join(tmpdir(), 'secrets-'))

const plain = Buffer.from('a secret')

it('decrypts to the original text, and the ciphertext does not contain it', () => {
  using folder = createFolder()
  const secrets = openSecrets({ dataDir: folder.path, secretKeys: [randomBytes(32)] })
  const text = secrets.encrypt(plain, 'a')
  expect(text).toMatch(/^v1\.[0-9a-f]{16}\.[\w-]+$/)
  expect(Buffer.from(text.split('.')[2] ?? '', 'base64url').includes(plain)).toBe(false)
  expect(secrets.decrypt(text, 'a')).toEqual(plain)
  expect(secrets.encrypt(plain, 'a')).not.toBe(text)
})

it('refuses another context, another key and a changed text', () => {
  using folder = createFolder()
  const dataDir = folder.path
  const secrets = openSecrets({ dataDir, secretKeys: [randomBytes(32)] })
  const text = secrets.encrypt(plain, 'a')
  expect(() => secrets.decrypt(text, 'b')).toThrow('belongs to another record')
  const other = openSecrets({ dataDir, secretKeys: [randomBytes(32)] })
  expect(() => other.decrypt(text, 'a')).toThrow('set SECRET_KEY')
  for (let i = 0; i < text.length; i++) {
    const changed = text.slice(0, i) + (text[i] === 'A' ? 'B' : 'A') + text.slice(i + 1)
    // The last digit of base64 may have unused bits.
    if (i < text.length - 1) expect(() => secrets.decrypt(changed, 'a')).toThrow(SecretError)
  }
  for (const bad of ['', 'v1', 'v2.0.a', text.slice(0, 24)]) {
    expect(() => secrets.decrypt(bad, 'a')).toThrow(SecretError)
  }
})

it('decrypts with older keys, and encrypts with the first', () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)]
  using folder = createFolder()
  const dataDir = folder.path
  const text = openSecrets({ dataDir, secretKeys: [older] }).encrypt(plain, 'a')
  const both = openSecrets({ dataDir, secretKeys: [newer, older] })
  expect(both.decrypt(text, 'a')).toEqual(plain)
  const renewed = both.encrypt(plain, 'a')
  expect(openSecrets({ dataDir, secretKeys: [newer] }).decrypt(renewed, 'a')).toEqual(plain)
})

it('creates a key file at the first secret, not earlier', () => {
  using folder = createFolder()
  const dataDir = join(folder.path, 'data')
  const secrets = openSecrets({ dataDir, secretKeys: [] })
  expect(() => secrets.decrypt(`v1.${'0'.repeat(16)}.AAAA`, 'a')).toThrow(SecretError)
  const text = secrets.encrypt(plain, 'a')
  expect(readdirSync(dataDir)).toEqual(['secret.key'])
  expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600)
  const again = openSecrets({ dataDir, secretKeys: [] })
  expect(again.decrypt(text, 'a')).toEqual(plain)
  again.encrypt(plain, 'a')
  // Secrets encrypted with the key in the file stay readable once SECRET_KEY is set.
  expect(openSecrets({ dataDir, secretKeys: [randomBytes(32)] }).decrypt(text, 'a')).toEqual(plain)
  expect(readFileSync(join(dataDir, 'secret.key'), 'utf8')).toMatch(/^[\w+/]{43}=\n$/)
})

it('refuses a damaged key file', () => {
  using folder = createFolder()
  const dataDir = folder.path
  writeFileSync(join(dataDir, 'secret.key'), 'half a ke')
  expect(() => openSecrets({ dataDir, secretKeys: [] }).encrypt(plain, 'a')).toThrow(SecretError)
})

it('reads keys as openssl prints them', () => {
  const key = randomBytes(32)
  expect(parseSecretKey(key.toString('base64'))).toEqual(key)
  expect(parseSecretKey(key.toString('hex'))).toEqual(key)
  for (const bad of ['', 'short', key.toString('base64').slice(1), `${key.toString('hex')}00`]) {
    expect(parseSecretKey(bad)).toBeUndefined()
  }
})

it('signs for a purpose, and verifies signatures with any of its keys', () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)]
  const before = openSecrets({ dataDir: '/none', secretKeys: [older] })
  const after = openSecrets({ dataDir: '/none', secretKeys: [newer, older] })
  const signature = before.sign('nonce', 'probe')
  expect(signature).toMatch(/^[\w-]{43}$/)
  expect(after.isSigned('nonce', 'probe', signature)).toBe(true)
  expect(before.isSigned('nonce', 'probe', after.sign('nonce', 'probe'))).toBe(false)
  expect(after.isSigned('other', 'probe', signature)).toBe(false)
  expect(after.isSigned('nonce', 'other', signature)).toBe(false)
  expect(after.isSigned('nonce', 'probe', '')).toBe(false)
})
