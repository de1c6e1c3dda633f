// Secrets that the program needs in plain text (for signing) are encrypted at rest with AES-256-GCM.
// Signatures use HMAC with a key derived for each purpose.
// The key is SECRET_KEY or, by default, a 0600 file in the data folder, created with the first secret.
// Ciphertexts include the key id, so that keys can be rotated: the first encrypts, all decrypt.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from './create-folder.ts'

export interface Secrets {
  /**
   * Returns `v1.<key id>.<base64url of nonce, ciphertext and tag>`. `context` identifies the owner of the
   * secret. Decryption needs the same one, so that secrets cannot be swapped between rows.
   */
  encrypt(plain: Uint8Array, context: string): string
  /** Throws SecretError if the key is unknown, or the text or the context does not match. */
  decrypt(text: string, context: string): Buffer
  /** HMAC-SHA256 in base64url, with a key derived for this `purpose` only. Signatures may be public. */
  sign(text: string, purpose: string): string
  /** Verifies a signature with any of the keys, in constant time. */
  isSigned(text: string, purpose: string, signature: string): boolean
  /** 32 bytes for this `purpose` only, derived from the encryption key: equal on nodes with the same key. */
  derive(purpose: string): Buffer
}

/** A secret that cannot be decrypted. The message says what to do and reveals nothing of the secret. */
export class SecretError extends Error {
  override readonly name = 'SecretError'
}

export interface SecretPlace {
  dataDir: string
  /** 32 bytes each; the first one encrypts. */
  secretKeys: Buffer[]
}

interface Key {
  id: string
  bytes: Buffer
}

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** Reads a key of 32 bytes as `openssl rand -base64 32` or `-hex 32` print it. */
export function parseSecretKey(text: string): Buffer | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex')
  if (!/^[A-Za-z0-9+/]{43}=?$/.test(text)) return undefined
  return Buffer.from(text, 'base64')
}

/** Reads or creates the key file only when it is first needed. */
export function openSecrets({ dataDir, secretKeys }: SecretPlace): Secrets {
  const file = join(dataDir, 'secret.key')
  const configured = secretKeys.map(toKey)
  let fromFile: Key | undefined

  function readKeyFile(): Key | undefined {
    if (fromFile) return fromFile
    try {
      const bytes = parseSecretKey(readFileSync(file, 'utf8').trim())
      if (!bytes)
        throw new SecretError(`${file} does not contain a base64 key of ${keyBytes} bytes.`)
      fromFile = toKey(bytes)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    return fromFile
  }

  function keyThatEncrypts(): Key {
    const [first] = configured
    if (first) return first
    if (!readKeyFile()) {
      createFolder(dataDir)
      createKeyFile(file)
    }
    const key = readKeyFile()
    if (!key) throw new SecretError(`Cannot create ${file}.`)
    return key
  }

  return {
    encrypt(plain, context) {
      const key = keyThatEncrypts()
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce)
      cipher.setAAD(associatedData(key.id, context))
      const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final()])
      return `v1.${key.id}.${Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64url')}`
    },
    decrypt(text, context) {
      const [, id = '', body = ''] = /^v1\.([0-9a-f]{16})\.([\w-]+)$/.exec(text) ?? []
      if (!id) throw new SecretError('Unknown format of an encrypted secret.')
      const key = configured.find((known) => known.id === id) ?? readKeyFile()
      if (key?.id !== id) {
        const message = `The key ${id} for an encrypted secret is missing: set SECRET_KEY to the key that encrypted it.`
        throw new SecretError(message)
      }
      const bytes = Buffer.from(body, 'base64url')
      try {
        const nonce = bytes.subarray(0, nonceBytes)
        const options = { authTagLength: tagBytes }
        const decipher = createDecipheriv('aes-256-gcm', key.bytes, nonce, options)
        decipher.setAAD(associatedData(id, context))
        decipher.setAuthTag(bytes.subarray(-tagBytes))
        const sealed = bytes.subarray(nonceBytes, -tagBytes)
        return Buffer.concat([decipher.update(sealed), decipher.final()])
      } catch (cause) {
        throw new SecretError('An encrypted secret is damaged or belongs to another record.', {
          cause,
        })
      }
    },
    sign: (text, purpose) => signatureOf(keyThatEncrypts(), text, purpose),
    isSigned(text, purpose, signature) {
      const given = Buffer.from(signature, 'base64url')
      const keys = configured.length > 0 ? configured : [readKeyFile()]
      return keys.some((key) => {
        if (!key) return false
        const right = Buffer.from(signatureOf(key, text, purpose), 'base64url')
        return right.length === given.length && timingSafeEqual(right, given)
      })
    },
    derive: (purpose) => derived(keyThatEncrypts(), purpose),
  }
}

function signatureOf(key: Key, text: string, purpose: string): string {
  return createHmac('sha256', derived(key, purpose)).update(text).digest('base64url')
}

function derived(key: Key, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key.bytes, '', `animal-store ${purpose}`, keyBytes))
}

function toKey(bytes: Buffer): Key {
  const digest = hash('sha256', Buffer.concat([Buffer.from('animal-store key id\n'), bytes]), 'hex')
  return { id: digest.slice(0, 16), bytes }
}

function associatedData(keyId: string, context: string): Buffer {
  return Buffer.from(`v1.${keyId}.${context}`)
}

/** Creates the file atomically. If several processes do this at once, all use the key of the first. */
function createKeyFile(file: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = openSync(draft, 'wx', 0o600)
  try {
    writeSync(handle, `${randomBytes(keyBytes).toString('base64')}\n`)
    fsyncSync(handle)
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    closeSync(handle)
    rmSync(draft, { force: true })
  }
}
