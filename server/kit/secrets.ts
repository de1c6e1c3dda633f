// Encrypts at rest the secrets that the program needs in plain text (AES-256-GCM), and signs by HMAC with a key derived for
// each purpose. The key is SECRET_KEY or, by default, a 0600 file in the data folder, created with the first secret.
// Ciphertexts have the id of their key, so that keys can be rotated: the first key encrypts, all decrypt. A process notices
// a changed key file when it next encrypts, and when it meets a key that it does not know.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { statSync } from 'node:fs'
import { createKeyFile, keyBytes, keyFileIn, readKeyFile } from './secret-key-file.ts'

export type Secrets = ReturnType<typeof openSecrets>

/** A secret that cannot be decrypted. The message says what to do and reveals nothing of the secret. */
export class SecretError extends Error {
  override readonly name = 'SecretError'
}

interface SecretPlace {
  dataDir: string
  /** 32 bytes each; the first one encrypts. */
  secretKeys: Buffer[]
}

interface Key {
  id: string
  bytes: Buffer
}

const nonceBytes = 12
const tagBytes = 16

/** Where an encrypted text has the id of its key, as `substr` of SQL counts. */
export const keyIdPosition = { start: 'v1.'.length + 1, length: 16 }

/** Reads or creates the key file only when it is first needed. */
export function openSecrets({ dataDir, secretKeys }: SecretPlace) {
  const file = keyFileIn(dataDir)
  const configured = secretKeys.map(toKey)
  /** Also those that the file no longer has: a text that was read before a rotation is still decrypted. */
  const known = new Map(configured.map((key) => [key.id, key]))
  let fromFile: Key[] = []
  let version = ''

  function readChangedFile(): void {
    const stat = statSync(file, { throwIfNoEntry: false, bigint: true })
    const found = stat ? `${stat.ino} ${stat.mtimeNs} ${stat.size}` : ''
    if (found === version) return
    try {
      fromFile = readKeyFile(file).map(toKey)
    } catch (error) {
      throw new SecretError((error as Error).message, { cause: error })
    }
    version = found
    for (const key of fromFile) known.set(key.id, key)
  }

  function findKey(id: string): Key | undefined {
    if (!known.has(id)) readChangedFile()
    return known.get(id)
  }

  function keyThatEncrypts(): Key {
    const [first] = configured
    if (first) return first
    readChangedFile()
    if (fromFile.length === 0) {
      createKeyFile(dataDir)
      readChangedFile()
    }
    const [key] = fromFile
    if (!key) throw new SecretError(`Cannot create ${file}.`)
    return key
  }

  return {
    /**
     * Returns `v1.<key id>.<base64url of nonce, ciphertext and tag>`. `context` identifies the owner of the
     * secret. Decryption needs the same one, so that secrets cannot be swapped between rows.
     */
    encrypt(plain: Uint8Array, context: string): string {
      const key = keyThatEncrypts()
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce)
      cipher.setAAD(associatedData(key.id, context))
      const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final()])
      return `v1.${key.id}.${Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64url')}`
    },
    /**
     * Throws SecretError if the text or the context does not match, or the key is missing; `withoutKey` is what to do if
     * it is lost.
     */
    decrypt(text: string, context: string, withoutKey = ''): Buffer {
      const [, id = '', body = ''] = /^v1\.([0-9a-f]{16})\.([\w-]+)$/.exec(text) ?? []
      if (!id) throw new SecretError('Unknown format of an encrypted secret.')
      const key = findKey(id)
      if (!key) {
        const message = `The key ${id} for an encrypted secret is missing: set SECRET_KEY to the key that encrypted it. ${withoutKey}`
        throw new SecretError(message.trimEnd())
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
    /** HMAC-SHA256 in base64url, with a key derived for this `purpose` only. Signatures may be public. */
    sign: (text: string, purpose: string) => signatureOf(keyThatEncrypts(), text, purpose),
    /** Verifies a signature with any of the keys, in constant time. */
    isSigned(text: string, purpose: string, signature: string): boolean {
      const given = Buffer.from(signature, 'base64url')
      if (configured.length === 0) readChangedFile()
      return (configured.length > 0 ? configured : fromFile).some((key) => {
        const right = Buffer.from(signatureOf(key, text, purpose), 'base64url')
        return right.length === given.length && timingSafeEqual(right, given)
      })
    },
    /** The id of the key that encrypts. */
    keyId: () => keyThatEncrypts().id,
    /** Whether texts of the key with this id can be decrypted. */
    hasKey: (id: string) => findKey(id) !== undefined,
    /** 32 bytes for this `purpose` only, derived from the encryption key: equal on nodes with the same key. */
    derive: (purpose: string) => derived(keyThatEncrypts(), purpose),
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
