// Encrypts at rest the secrets that the program needs in plain text (AES-256-GCM), and signs by HMAC with a key derived for
// each purpose. The key is SECRET_KEY or, by default, a 0600 file in the data folder, created with the first secret.
// Ciphertexts have the id of their key, so that keys can be rotated: the first key encrypts, all decrypt. A process notices
// a changed key file when it next encrypts, and when it meets a key that it does not know.
//
// The key file has one key per line in base64. It has two lines only while `secret rotate` changes the key. Each step
// replaces the file atomically, so that a rotation which is interrupted anywhere can be resumed, and every process reads
// either state.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { createFolder } from './disk.ts'

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
  const keysById = new Map(configured.map((key) => [key.id, key]))
  let fromFile: Key[] = []
  let version = ''

  function readChangedFile(): void {
    const stat = statSync(file, { throwIfNoEntry: false, bigint: true })
    const fingerprint = stat ? `${stat.ino} ${stat.mtimeNs} ${stat.size}` : ''
    if (fingerprint === version) return
    try {
      fromFile = readKeyFile(file).map(toKey)
    } catch (error) {
      throw new SecretError((error as Error).message, { cause: error })
    }
    version = fingerprint
    for (const key of fromFile) keysById.set(key.id, key)
  }

  function findKey(id: string): Key | undefined {
    if (!keysById.has(id)) readChangedFile()
    return keysById.get(id)
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
      const bytes = Buffer.from(signature, 'base64url')
      if (configured.length === 0) readChangedFile()
      return (configured.length > 0 ? configured : fromFile).some((key) => {
        const right = Buffer.from(signatureOf(key, text, purpose), 'base64url')
        return right.length === bytes.length && timingSafeEqual(right, bytes)
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

export const keyBytes = 32

/** Reads a key of 32 bytes as `openssl rand -base64 32` or `-hex 32` print it. */
export function parseSecretKey(text: string): Buffer | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex')
  if (!/^[A-Za-z0-9+/]{43}=?$/.test(text)) return undefined
  return Buffer.from(text, 'base64')
}

export function keyFileIn(dataDir: string): string {
  return join(dataDir, 'secret.key')
}

/** The keys of the file, the one that encrypts first; none without a file. Throws if a line is no key. */
export function readKeyFile(file: string): Buffer[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  return parseKeys(text, file)
}

function parseKeys(text: string, file: string): Buffer[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const key = parseSecretKey(line.trim())
      if (!key) throw new Error(`${file} does not contain base64 keys of ${keyBytes} bytes.`)
      return key
    })
}

/** Creates the file with a new key. If several processes do this at once, all use the key of the first. */
export function createKeyFile(dataDir: string): void {
  createFolder(dataDir)
  createFileOnce(keyFileIn(dataDir))
}

/** Writes the content of a key file that was kept elsewhere; the file may have the same content already. */
export function writeKeyFile(dataDir: string, content: Buffer): void {
  createFolder(dataDir)
  const file = keyFileIn(dataDir)
  const draft = writeDraft(file, parseKeys(content.toString(), file))
  renameSync(draft, file)
}

/**
 * Puts a new key before the present one, or resumes the rotation that was interrupted: its key is in
 * `secret.key.next`. There must be a key file.
 */
export function beginKeyRotation(dataDir: string): void {
  const file = keyFileIn(dataDir)
  createFileOnce(nextFileOf(file))
  const [next] = readKeyFile(nextFileOf(file))
  const keys = readKeyFile(file)
  if (next && !keys[0]?.equals(next)) replaceFile(file, [next, ...keys])
}

/** Drops all keys but the new one. Nothing may be encrypted with them any more. */
export function endKeyRotation(dataDir: string): void {
  const file = keyFileIn(dataDir)
  const keys = readKeyFile(file)
  if (keys.length > 1) replaceFile(file, keys.slice(0, 1))
  // Also the drafts of a rotation that was killed, because they contain keys.
  for (const name of readdirSync(dataDir)) {
    if (/^secret\.key\.(next|[0-9a-f]{12}|next\.[0-9a-f]{12})$/.test(name)) {
      rmSync(join(dataDir, name), { force: true })
    }
  }
}

const nextFileOf = (file: string): string => `${file}.next`

function createFileOnce(file: string): void {
  const draft = writeDraft(file, [randomBytes(keyBytes)])
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function replaceFile(file: string, keys: Buffer[]): void {
  renameSync(writeDraft(file, keys), file)
}

function writeDraft(file: string, keys: Buffer[]): string {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = openSync(draft, 'wx', 0o600)
  try {
    writeSync(handle, keys.map((key) => `${key.toString('base64')}\n`).join(''))
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  return draft
}
