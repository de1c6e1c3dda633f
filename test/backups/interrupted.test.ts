import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifyBackup } from '#kit/backups/read-backup.ts'
import { cases, isLong } from '../cases.ts'
import { anyEngine, engines, type TestDatabase } from '../database.ts'
import { mountDisk } from '../faults/mounted-disk.ts'
import { serveForTest } from '../faults/processes.ts'
import { folderForTest } from '../folder-for-test.ts'
import { killAt } from '../kill-at.ts'
import { placeForTest } from '../place-for-test.ts'
import { peopleAt } from '../publishing/publishing-in-test.ts'
import { runCommand } from '../served-process.ts'

/** With a site of 3 MB that cannot be compressed. */
async function placeWithSite(engine: (typeof engines)[number]): Promise<TestDatabase> {
  const place = await placeForTest(engine)
  const served = await serveForTest(place)
  const { operator } = await peopleAt(served.port, served.setUpToken)
  await operator.create('zoo')
  const files = { 'index.html': '<h1>Zoo</h1>', 'a.bin': randomBytes(3_000_000) }
  await operator.deployFolder('zoo', files)
  expect(await served.end()).toBe(0)
  return place
}

describe.each(cases(engines))('a backup on %s', (engine) => {
  it('to a full disk fails, and leaves nothing', async () => {
    const place = await placeWithSite(engine)
    const disk = mountDisk(2)
    for (const target of [disk, join(disk, 'mine')]) {
      const failed = await runCommand(place, ['backup', target])
      expect(failed).toMatchObject({ status: 1, stdout: '' })
      expect(failed.stderr).toMatch(
        /^animal-store: \S+ cannot be written: the disk is full \(ENOSPC\)\.\n$/,
      )
      expect(readdirSync(disk)).toEqual([])
    }
  })

  it.each(cases(['writeSync before 4', 'fsyncSync before 1', 'renameSync before 1']))(
    'that is killed (%s) leaves no file of its name, and the next one succeeds',
    async (point) => {
      const place = await placeWithSite(engine)
      const folder = await folderForTest()
      const file = join(folder, 'mine.backup')
      const killed = await runCommand(place, ['backup', file], killAt(point, { counts }))
      expect(killed).toMatchObject({ status: null, stdout: '' })
      const left = readdirSync(folder)
      expect(left).toEqual([expect.stringMatching(/^mine\.backup\.[0-9a-f]{12}\.partial$/)])
      // Otherwise it was written, and only its name was missing.
      if (point.startsWith('writeSync')) {
        expect(() => verifyBackup(join(folder, left[0] ?? ''))).toThrow()
      }
      const { status, stderr } = await runCommand(place, ['backup', file])
      expect(status, stderr).toBe(0)
      expect(verifyBackup(file).bytes).toBe(statSync(file).size)
    },
  )

  if (isLong)
    it('that is stopped by a signal leaves nothing', async () => {
      const place = await placeWithSite(engine)
      const folder = await folderForTest()
      // While the rows are written, and before the file is read again.
      for (const [point, name] of [
        ['writeSync before 4', 'SIGTERM'],
        ['fsyncSync before 1', 'SIGINT'],
      ] as const) {
        const file = join(folder, 'mine.backup')
        expect(
          await runCommand(place, ['backup', file], killAt(point, { counts, signal: name })),
        ).toEqual({
          status: 1,
          stdout: '',
          stderr: `animal-store: interrupted by ${name}.\n`,
        })
        expect(readdirSync(folder)).toEqual([])
      }
    })

  if (isLong)
    it('never replaces a file', async () => {
      const place = await placeForTest(engine)
      const file = join(await folderForTest(), 'mine')
      writeFileSync(file, 'keep')
      const refused = await runCommand(place, ['backup', file])
      expect(refused).toMatchObject({ status: 1, stdout: '' })
      expect(refused.stderr).toContain(`${file} already exists`)
      expect(readFileSync(file, 'utf8')).toBe('keep')
    })
})

describe.each(cases(anyEngine))('a backup on %s', (engine) => {
  it('of a damaged database is refused', async () => {
    const place = await placeWithSite(engine)
    const path = join(place.dataDir, 'publishing.db')
    const bytes = readFileSync(path)
    // Pages of an index or a table: the middle of the file is the site's content, the end is not.
    bytes.fill(0, bytes.length - 3 * 4096, bytes.length - 4096)
    writeFileSync(path, bytes)
    const folder = await folderForTest()
    const refused = await runCommand(place, ['backup', folder])
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^animal-store: .*publishing.*damaged|malformed/)
    expect(readdirSync(folder)).toEqual([])
  })

  if (isLong)
    it('without databases says which file is missing, and creates none', async () => {
      const folder = await folderForTest()
      const empty = { engine, dataDir: join(folder, 'data'), release: async () => {} }
      mkdirSync(empty.dataDir)
      const refused = await runCommand(empty, ['backup', folder])
      expect(refused.status).toBe(1)
      expect(refused.stderr).toContain(`${join(empty.dataDir, 'production.db')} does not exist`)
      expect(readdirSync(empty.dataDir)).toEqual([])
    })
})

/** Calls that do not write to the process's own output. */
const counts = '(file) => typeof file !== "number" || file > 2'
