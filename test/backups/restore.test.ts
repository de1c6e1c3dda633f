// What a restored installation is: the same rows on either engine, a store that responds, sites and certificates that
// are served; and which places are refused.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { cases, isLong } from '../cases.ts'
import { createDataFolder } from '../data-folder.ts'
import {
  anyEngine,
  createTestDatabase,
  type Engine,
  engines,
  type TestDatabase,
} from '../database.ts'
import { openTls } from '../edge/clients.ts'
import { eventually } from '../eventually.ts'
import { serveForTest } from '../faults/processes.ts'
import { folderForTest } from '../folder-for-test.ts'
import { killAt } from '../kill-at.ts'
import { emptyPlace, placeForTest } from '../place-for-test.ts'
import { archiveOf } from '../publishing/archive-of.ts'
import { peopleAt } from '../publishing/publishing-in-test.ts'
import { query } from '../query.ts'
import { ask } from '../running-store.ts'
import { runCommand, serveProcess } from '../served-process.ts'
import { backUp, backUpTo, restore, type TableSum } from './backups-in-test.ts'

const siteHost = 'zoo.docs.localhost'
const page = '<!doctype html><title>Zoo</title><h1>The zoo is open</h1>'

type Installation = Awaited<ReturnType<typeof createInstallation>>
const installations = new Map<Engine, Promise<Installation>>()
/** Each is created when a test first needs it. */
const installation = (engine: Engine) =>
  installations.getOrInsertComputed(engine, () => createInstallation(engine))
let folder: string
beforeAll(async () => {
  folder = await createDataFolder('animal-store-backups-')
})
afterAll(async () => {
  for (const { place } of await Promise.all(installations.values())) await place.release()
  await rm(folder, { recursive: true, force: true })
})

/** Animals, a published site and a certificate, of a server that has stopped, and two backups of them. No test changes it. */
async function createInstallation(engine: Engine) {
  const place = await createTestDatabase(engine)
  const served = await serveProcess(place)
  const { operator, visit } = await peopleAt(served.port, served.setUpToken)
  await operator.create('zoo')
  const picture = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => (i * i * 31) >> 7))
  await operator.deploy('zoo', archiveOf({ 'index.html': page, 'map.bin': picture }))
  expect((await visit('zoo')).text).toBe(page)
  const key = served.keys.production ?? ''
  const body = { name: 'Zoë 🦊 \u{10ffff}', categoryId: 9_007_199_254_740_993n.toString() }
  const text = `{"name":${JSON.stringify(body.name)},"categoryId":${body.categoryId}}`
  const pet = await served.ask('/pets', { body: text })
  expect(pet.status).toBe(201)
  await eventually(
    () => query(place, 'publishing', `select id from certificates where host = '${siteHost}'`),
    (rows) => rows.length === 1,
  )
  const fingerprint = await fingerprintAt(served.httpsPort)
  expect(await served.end()).toBe(0)
  const backup = await backUpTo(join(folder, `${engine}.backup`), place, '--with-key')
  const withoutKey = await backUpTo(join(folder, `${engine}-without-key.backup`), place)
  return { place, key, pet: pet.text, picture, fingerprint, backup, withoutKey }
}

async function fingerprintAt(port: number): Promise<string> {
  const socket = await openTls(port, siteHost, '', { rejectUnauthorized: false })
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

const pairs = engines.flatMap((from) => engines.map((to) => [from, to] as const))

describe.each(cases(pairs))('a backup of %s that is restored on %s', (from, to) => {
  it('is the same installation', async () => {
    const { backup, fingerprint, key, pet, picture } = await installation(from)
    expect(backup).toMatchObject({ engine: from, hasKey: true })
    const restored = await emptyPlace(to)
    expect(await restore(restored, backup.file)).toMatchObject({ missingKeys: [] })
    expect(openFiles(restored.dataDir)).toEqual([])

    // Before anything is written there: a backup of it has the same rows, to the last bit.
    const again = await backUp(restored)
    expect(again.engine).toBe(to)
    expect(withoutVersions(again.tables, to)).toEqual(withoutVersions(backup.tables, to))

    const served = await serveForTest(restored)
    expect((await served.ask('/pets/1', { key })).text).toBe(pet)
    const created = await served.ask('/pets', { key, body: { name: 'New', categoryId: 1 } })
    expect(created.json).toMatchObject({ id: 2 })
    const site = new URL(`http://${siteHost}:${served.port}`)
    const visit = (path: string) => ask(served.port, site, '', path, { key: null })
    expect((await visit('')).text).toBe(page)
    expect((await visit('map.bin')).headers['content-length']).toBe(String(picture.length))
    // Its private key was decrypted.
    expect(await fingerprintAt(served.httpsPort)).toBe(fingerprint)
    expect(served.log()).not.toMatch(/"level":"error"/)
  })
})

/** On PostgreSQL a restore starts an epoch: processes may run on across it. */
const withoutVersions = (tables: TableSum[], engine: Engine): TableSum[] =>
  tables.filter(({ table }) => engine === 'sqlite' || !/_state$/.test(table))

const openFiles = (folder: string): string[] =>
  readdirSync(folder).filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)

describe.runIf(engines.includes('postgres'))('the move from SQLite to PostgreSQL', () => {
  // The steps of docs/backups.md, "Moving to PostgreSQL".
  it('is a restore beside the stopped databases, whose folder is then renamed', async () => {
    const { backup, fingerprint, key, pet } = await installation('sqlite')
    const old = await emptyPlace('sqlite')
    await restore(old, backup.file)
    const { file } = await backUp(old)
    const { dataDir } = old
    const place = { ...(await emptyPlace('postgres')), dataDir }
    expect(await restore(place, file)).toMatchObject({ missingKeys: [] })
    onTestFinished(() => rm(`${dataDir}-moved`, { recursive: true }))
    await rename(dataDir, `${dataDir}-moved`)
    await mkdir(dataDir, { mode: 0o700 })
    await copyFile(join(`${dataDir}-moved`, 'secret.key'), join(dataDir, 'secret.key'))
    const served = await serveForTest(place)
    expect((await served.ask('/pets/1', { key })).text).toBe(pet)
    expect(await fingerprintAt(served.httpsPort)).toBe(fingerprint)
    expect(await served.end()).toBe(0)
    expect(readdirSync(dataDir).filter((name) => name.endsWith('.db'))).toEqual([])
  })
})

it.each(cases(engines))(
  'a database on %s that an earlier version has moved is refused',
  async (engine) => {
    const place = await emptyPlace(engine)
    await restore(place, (await installation(engine)).withoutKey.file)
    const run = (sql: string) => query(place, 'production', sql)
    await run('create table read_only (id int, state text, target text, until bigint)')
    await run(`insert into read_only values (1, 'moved', 'PostgreSQL at db.example', null)`)
    const refused = /production was moved to PostgreSQL at db.example: set DATABASE_URL to it\./
    const env = { HTTP_PORT: '0', HTTPS_PORT: '0' }
    for (const words of [['serve'], ['keys', 'list', '--environment', 'production']]) {
      const { status, stderr, stdout } = await runCommand(place, words, env)
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
      expect(stderr).toMatch(refused)
    }
    await run('delete from read_only')
    expect(await (await serveForTest(place)).end()).toBe(0)
  },
)

describe.each(cases(engines))('a restore on %s', (engine) => {
  it('refuses a place that has databases, shows them, and changes nothing', async () => {
    const { place, withoutKey } = await installation(engine)
    const { file } = withoutKey
    const before = await allRows(place)
    for (const options of [[], ['--dry-run']]) {
      const refused = await runCommand(place, ['restore', file, ...options])
      expect(refused.status).toBe(1)
      expect(refused.stdout).toBe('')
      expect(refused.stderr).toMatch(/^.* is not empty:\n/)
      expect(refused.stderr).toMatch(
        engine === 'sqlite' ? /production\.db \([\d,]+ bytes/ : /schema production \(\d+ tables/,
      )
      expect(refused.stderr).toMatch(/\nanimal-store: nothing was restored: .*\n$/)
    }
    expect(await allRows(place)).toEqual(before)
  })

  const failures: [
    string,
    () => Promise<{ file: string; env?: Record<string, string> }>,
    RegExp,
  ][] = [
    [
      'of a damaged file',
      async () => {
        const file = join(await folderForTest(), 'damaged.backup')
        const bytes = readFileSync((await installation(engine)).withoutKey.file)
        // In the last block: everything before it is intact.
        bytes[bytes.length - 60] = (bytes.at(-60) ?? 0) ^ 1
        writeFileSync(file, bytes)
        return { file }
      },
      /^animal-store: \S+damaged\.backup is damaged or no backup: /,
    ],
    [
      'that fails in the middle',
      async () => {
        const place = await placeForTest(engine)
        await (await serveForTest(place)).end()
        // The reference is broken in the backup, so that it fails after all rows were inserted.
        await breakReference(place)
        return await backUp(place)
      },
      /refers to a missing/,
    ],
    [
      'that is stopped by a signal',
      async () => {
        const point = { sqlite: 'journal_mode = memory', postgres: 'insert into staging_restoring' }
        const counts = `(data) => data.includes('${point[engine]}')`
        const env = killAt('statement before 1', { counts, signal: 'SIGTERM' })
        return { file: (await installation(engine)).withoutKey.file, env }
      },
      /^animal-store: interrupted by SIGTERM\.\n$/,
    ],
  ]
  if (isLong)
    it.each(failures)('%s leaves an empty place', async (_, prepare, message) => {
      const { env, file } = await prepare()
      const empty = await emptyPlace(engine)
      const refused = await runCommand(empty, ['restore', file], env)
      expect(refused).toMatchObject({ status: 1, stdout: '' })
      expect(refused.stderr).toMatch(message)
      expect(readdirSync(empty.dataDir)).toEqual([])
      expect(await schemasOf(empty)).toEqual([])
    })

  it('says which key is missing, and what to do', async () => {
    const { file, hasKey } = (await installation(engine)).withoutKey
    expect(hasKey).toBe(false)
    const empty = await emptyPlace(engine)
    const restored = await runCommand(empty, ['restore', file])
    expect(restored.status).toBe(0)
    expect(restored.stderr).toMatch(/^The encryption key [0-9a-f]{16} is missing: .*secret\.key/)
    expect(restored.stdout).toMatch(/^Restored [\d,]+ rows in 4 databases/)
  })
})

describe.each(cases(anyEngine))('a data folder on %s', (engine) => {
  const killed = 'left by a process that was killed'
  const files = [
    ['production.db-wal', killed, '(33 bytes'],
    ['secret.key', `${Buffer.alloc(32, 1).toString('base64')}\n`, '(another key)'],
    ['publishing.db-shm', killed, '(33 bytes'],
    ['limits.db-journal', killed, '(33 bytes'],
  ] as const
  it.each(cases(files, (_, index) => index < 2))(
    'with a left %s is refused',
    async (name, content, shown) => {
      const { file } = (await installation(engine)).backup
      const empty = await emptyPlace(engine)
      writeFileSync(join(empty.dataDir, name), content)
      const refused = await runCommand(empty, ['restore', file])
      expect(refused.status).toBe(1)
      expect(refused.stderr).toContain(`${join(empty.dataDir, name)} ${shown}`)
      expect(readdirSync(empty.dataDir)).toEqual([name])
    },
  )

  if (isLong)
    it('in which a restore was interrupted starts no server and takes no restore', async () => {
      const { file } = (await installation(engine)).withoutKey
      const empty = await emptyPlace(engine)
      const folder = join(empty.dataDir, 'restoring')
      await mkdir(folder)
      const restored = await runCommand(empty, ['restore', file])
      expect(restored).toMatchObject({ status: 1 })
      expect(restored.stderr).toContain(`${folder} exists: another restore is running`)
      const served = await runCommand(empty, ['serve'], { HTTP_PORT: '0', HTTPS_PORT: '0' })
      expect(served.status).toBe(2)
      expect(served.stderr).toContain(`delete its *.db files and ${folder}`)
      await rm(folder, { recursive: true })
      expect((await runCommand(empty, ['restore', file])).status).toBe(0)
    })
})

/** Rows of a few tables as text. */
async function allRows(place: TestDatabase): Promise<string> {
  const tables = ['pets', 'api_keys', 'store_state', 'migrations']
  const rows = await Promise.all(
    tables.map((table) => query(place, 'staging', `select * from ${table} order by id`)),
  )
  return rows
    .flat()
    .map((row) => Object.values(row).map(String).join())
    .join('\n')
}

async function schemasOf(place: TestDatabase): Promise<unknown[]> {
  if (place.databaseUrl === undefined) return []
  const statement = `select nspname from pg_namespace where nspname ~ '^(production|staging|publishing|limits)'`
  return await query(place, 'public', statement)
}

/** A session of an account that does not exist, which only a damaged database can have. */
async function breakReference(place: TestDatabase): Promise<void> {
  const run = (sql: string) => query(place, 'publishing', sql, 'pragma foreign_keys = off')
  if (place.databaseUrl !== undefined)
    await run('alter table sessions drop constraint sessions_account_id_fkey')
  await run(brokenSession)
}

const brokenSession = `insert into sessions
  (id, account_id, token_hash, created_at, seen_at, expires_at, address, user_agent)
  values ('ses_1', 'acc_gone', 'h', 1, 1, 9999999999999, '', '')`
