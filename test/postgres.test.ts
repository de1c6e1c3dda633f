import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cases } from './cases.ts'
import { createTestDatabase, engines } from './database.ts'
import { startPostgres } from './postgres.ts'
import { query as queryOf } from './query.ts'

const query = (url: string, text: string) =>
  queryOf({ dataDir: '', databaseUrl: url }, 'public', text)

describe.runIf(engines.includes('postgres'))('a private PostgreSQL', () => {
  test('is durable, and leaves no folder behind, even if it was paused', async () => {
    const postgres = await startPostgres()
    const settings = await query(
      postgres.url,
      "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit')",
    )
    expect(settings).toMatchObject([{ setting: 'on' }, { setting: 'on' }])
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
})
