// What is wrong with a backup is found before anything is restored: every byte of it counts.

import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { verifyBackup } from '#kit/backups/read-backup.ts'
import { isLong } from '../cases.ts'
import { createDataFolder } from '../data-folder.ts'
import { createTestDatabase } from '../database.ts'
import { placeForTest } from '../place-for-test.ts'
import { runCommand, serveProcess } from '../served-process.ts'
import { backUpTo } from './backups-in-test.ts'

let folder: string
let bytes: Buffer
/** The backup of a small installation; each test changes it. */
let file: string
beforeAll(async () => {
  folder = await createDataFolder('animal-store-backups-')
  const place = await createTestDatabase('sqlite')
  await (await serveProcess(place)).end()
  file = join(folder, 'small.backup')
  await backUpTo(file, place)
  await place.release()
  bytes = readFileSync(file)
})
beforeEach(() => writeFileSync(file, bytes))
afterAll(() => rmSync(folder, { recursive: true }))

it('finds one flipped bit in any part of the file', () => {
  const ends = isLong ? 300 : 30
  const step = isLong ? 13 : 211
  for (let at = 0; at < bytes.length; at += at < ends || at >= bytes.length - ends ? 1 : step) {
    const damaged = Buffer.from(bytes)
    damaged[at] = (bytes[at] ?? 0) ^ (1 << (at % 8))
    writeFileSync(file, damaged)
    expect(() => verifyBackup(file), `byte ${at}`).toThrow(/is damaged or no backup/)
  }
  writeFileSync(file, bytes)
  expect(verifyBackup(file).bytes).toBe(bytes.length)
})

it('finds a file that was cut anywhere, continued, or changed in its order', () => {
  for (let size = 0; size < bytes.length; size += isLong ? 97 : 997) {
    writeFileSync(file, bytes)
    truncateSync(file, size)
    expect(() => verifyBackup(file), `${size} bytes`).toThrow(/is damaged or no backup/)
  }
  // Up to the last block, every block is whole.
  const last = lastBlock(bytes)
  writeFileSync(file, bytes.subarray(0, last))
  expect(() => verifyBackup(file)).toThrow('the end is missing: the file was cut')
  for (const more of [Buffer.from('x'), bytes.subarray(last), bytes]) {
    writeFileSync(file, Buffer.concat([bytes, more]))
    expect(() => verifyBackup(file)).toThrow(/is damaged or no backup/)
  }
})

/** Where the block of the manifest begins. */
function lastBlock(bytes: Buffer): number {
  let [at, last] = [22, 22]
  while (at < bytes.length) {
    last = at
    at += 12 + bytes.readUInt32LE(at + 4) + 32
  }
  return last
}

it('names the file in one line, whatever it is', async () => {
  const files: [string, string | Buffer | undefined, string][] = [
    ['foreign.db', Buffer.from('SQLite format 3\0 and more'), 'is damaged or no backup'],
    ['empty', '', 'is damaged or no backup'],
    ['none', undefined, 'it does not exist (ENOENT)'],
  ]
  const place = await placeForTest('sqlite')
  for (const [name, content, problem] of files) {
    const file = join(folder, name)
    if (content !== undefined) writeFileSync(file, content)
    for (const command of [['backup', 'verify'], ['restore']]) {
      const { status, stderr, stdout } = await runCommand(place, [...command, file])
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).toMatch(/^animal-store: [^\n]*\n$/)
      expect(stderr).toContain(file)
      expect(stderr).toContain(problem)
    }
  }
  mkdirSync(join(folder, 'folder'))
  const found = await runCommand(place, ['backup', 'verify', join(folder, 'folder')])
  expect(found).toMatchObject({ status: 1, stdout: '' })
  expect(found.stderr).toContain('it is a folder (EISDIR)')
})

it('shows what an intact backup contains', async () => {
  const shown = await runCommand(await placeForTest('sqlite'), ['backup', 'verify', file])
  expect(shown).toMatchObject({ status: 0, stderr: '' })
  expect(shown.stdout).toMatch(
    /created \S+Z by version \S+ on SQLite\.\n {2}production +\d+ rows\n/,
  )
  expect(shown.stdout).toMatch(/Every byte is intact\.\n$/)
})
