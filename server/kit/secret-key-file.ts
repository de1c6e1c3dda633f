// The key file in the data folder: one key per line in base64, mode 0600; the first one encrypts. It has two lines only
// while `secret rotate` changes the key. Each step replaces the file atomically, so that a rotation which is
// interrupted anywhere can be resumed, and every process reads either state.
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { createFolder } from './disk.ts'

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
