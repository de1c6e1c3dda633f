import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cases } from './cases.ts'
import { createTestDatabase, engines } from './database.ts'
import { type Postgres, startPostgres } from './postgres.ts'

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // the connection is closed on purpose
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

describe.runIf(engines.includes('postgres'))('a private PostgreSQL', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  test('is durable and accepts many connections', async () => {
    const settings = await query(
      postgres.url,
      `SELECT name, setting FROM pg_settings
       WHERE name IN ('fsync', 'synchronous_commit', 'max_connections') ORDER BY name`,
    )
    expect(settings).toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'max_connections', setting: '200' },
      { name: 'synchronous_commit', setting: 'on' },
    ])
  })

  test('refuses a connection without the password', async () => {
    const url = new URL(postgres.url)
    url.password = 'wrong'
    await expect(query(url.href, 'SELECT 1')).rejects.toThrow('password authentication failed')
  })

  test('has the committed rows after a kill and a start', async () => {
    await query(postgres.url, 'CREATE TABLE animals (name text)')
    await query(postgres.url, `INSERT INTO animals VALUES ('Rex')`)
    await postgres.kill()
    await expect(query(postgres.url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED')
    await postgres.start()
    expect(await query(postgres.url, 'SELECT name FROM animals')).toEqual([{ name: 'Rex' }])
  })

  test('does not respond while it is paused, also on open connections', async () => {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    await postgres.pause()
    let answered = false
    const response = client.query('SELECT 1 AS one').then((result) => {
      answered = true
      return result.rows
    })
    await new Promise((resolve) => setTimeout(resolve, 200)) // the absence of a response can only be waited for
    expect(answered).toBe(false)
    await postgres.resume()
    expect(await response).toEqual([{ one: 1 }])
    await client.end()
  })
})

describe.runIf(engines.includes('postgres'))('the end of a private PostgreSQL', () => {
  test('leaves no folder behind, even if it was paused', async () => {
    const postgres = await startPostgres()
    await postgres.pause()
    await postgres.stop()
    expect(existsSync(dirname(postgres.dataDirectory))).toBe(false)
    await expect(query(postgres.url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED')
  })

  test('ends with the process that started it', async () => {
    const script = `
      const { startPostgres } = await import(${JSON.stringify(import.meta.resolve('./postgres.ts'))})
      const postgres = await startPostgres()
      await postgres.pause()
      console.log(postgres.dataDirectory)
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
    const dataDirectory = String(line).trim()
    expect(existsSync(dataDirectory)).toBe(true)
    child.kill('SIGKILL')
    await expect.poll(() => existsSync(dirname(dataDirectory))).toBe(false)
    const processes = execFileSync('sh', ['-c', 'cat /proc/[0-9]*/cmdline 2>/dev/null; true'])
    expect(processes.includes(dataDirectory)).toBe(false)
  })
})

describe.each(cases(engines))('a test database on %s', (engine) => {
  test('is new, separate from others, and deleted by its release', async () => {
    const [one, two] = await Promise.all([createTestDatabase(engine), createTestDatabase(engine)])
    expect(one.engine).toBe(engine)
    expect(one.dataDir).not.toBe(two.dataDir)
    expect(one.databaseUrl !== undefined).toBe(engine === 'postgres')
    if (one.databaseUrl && two.databaseUrl) {
      await query(one.databaseUrl, 'CREATE TABLE animals (id bigint)')
      await query(two.databaseUrl, 'CREATE TABLE animals (id bigint)')
    }
    await one.release()
    expect(existsSync(one.dataDir)).toBe(false)
    expect(existsSync(two.dataDir)).toBe(true)
    if (one.databaseUrl) {
      await expect(query(one.databaseUrl, 'SELECT 1')).rejects.toThrow('does not exist')
    }
    await two.release()
  })

  test('can be released while connections are open', async () => {
    const place = await createTestDatabase(engine)
    const client = new pg.Client({ connectionString: place.databaseUrl ?? '' })
    client.on('error', () => {}) // PostgreSQL sends the reason, then closes the connection
    const lost = new Promise<void>((resolve) => client.once('end', resolve))
    if (place.databaseUrl) await client.connect()
    await place.release()
    if (place.databaseUrl) await lost
    expect(existsSync(place.dataDir)).toBe(false)
  })
})
