// Secrets that the program needs in the clear (for signing) are encrypted at rest with AES-256-GCM; what
// anybody may ask for is signed with HMAC, by keys derived for their purpose.
// The key is SECRET_KEY, else a 0600 file in the data folder that the first secret makes. A text names the
// key that it needs, so that keys can be changed: the first encrypts, all of them decrypt.
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
   * Gives `v1.<key id>.<base64url of nonce, ciphertext and tag>`. `context` says what it is the secret
   * of; the same is needed to decrypt, so that no row's secret can be put into another's place.
   */
  encrypt(plain: Uint8Array, context: string): string
  /** Throws SecretError when the key is not known here, or text or context are not what was encrypted. */
  decrypt(text: string, context: string): Buffer
  /** HMAC-SHA256 in base64url, by a key made of ours for this `purpose` alone: what anybody may ask for. */
  sign(text: string, purpose: string): string
  /** Whether a signature is one that a key of ours gives, in constant time. */
  isSigned(text: string, purpose: string, signature: string): boolean
  /** 32 bytes for this `purpose` alone, made of the key that encrypts: the same wherever that is the same. */
  derive(purpose: string): Buffer
}

/** A secret that cannot be had. The message names what to do and shows nothing of it. */
export class SecretError extends Error {
  override readonly name = 'SecretError'
}

export interface SecretPlace {
  dataDir: string
  /** 32 bytes each, the one that encrypts first. */
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

/** Nothing is read or made before the first secret. */
export function openSecrets({ dataDir, secretKeys }: SecretPlace): Secrets {
  const file = join(dataDir, 'secret.key')
  const configured = secretKeys.map(toKey)
  let fromFile: Key | undefined

  function readKeyFile(): Key | undefined {
    if (fromFile) return fromFile
    try {
      const bytes = parseSecretKey(readFileSync(file, 'utf8').trim())
      if (!bytes) throw new SecretError(`${file} holds no key of ${keyBytes} bytes in base64.`)
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
    if (!key) throw new SecretError(`${file} cannot be made.`)
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
      if (!id) throw new SecretError('A secret is not in a form that this program knows.')
      const key = configured.find((known) => known.id === id) ?? readKeyFile()
      if (key?.id !== id) {
        const message = `A secret needs the key ${id}, which is not here: set SECRET_KEY to the key it was made with.`
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
        throw new SecretError('A secret is damaged, or belongs elsewhere.', { cause })
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

/** The file is there whole or not at all; of processes that do this at once, one wins and all use its key. */
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
