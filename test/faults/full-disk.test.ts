// A full disk: creates return 503 in time, reads continue, also after a restart, and creates work again once there is
// space, without another one. The disk is a small tmpfs, which only root can mount.

import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cases } from '../cases.ts'
import { engines, type TestDatabase } from '../database.ts'
import { connectTo } from '../nodes/postgres-client.ts'
import { startPostgres } from '../postgres.ts'
import { runCommand } from '../served-process.ts'
import { mountDisk } from './mounted-disk.ts'
import { serveForTest } from './processes.ts'
import { Shop } from './shop.ts'

describe.each(cases(engines))('a full disk under %s', (engine) => {
  it('refuses only creates, and only until there is space', async () => {
    const disk = mountDisk(16)
    const place = engine === 'sqlite' ? placeOn(disk) : await postgresOn(disk)
    const served = await serveForTest(place, { WORKERS: '2' })
    const shop = new Shop(served.port, served.keys.production)
    let created = 0
    for (; created < 10; created++) expect((await shop.create(`Rex ${created}`)).status).toBe(201)

    const ballast = join(disk, 'ballast')
    fillUp(ballast)
    // Database pages may have free space.
    const agent = shop.connection()
    let response = await shop.create(`Rex ${created}`, undefined, { agent })
    for (; response.status === 201 && created < 20_000; created++) {
      response = await shop.create(`Rex ${created + 1}`, undefined, { agent })
    }
    expect(response.status).toBe(503)
    // PostgreSQL goes on committing where that needs no new page: its disk is watched by others.
    if (engine === 'sqlite')
      await expect.poll(async () => (await served.askServer('/readyz')).status).toBe(503)
    if (engine === 'sqlite') {
      const create = ['keys', 'create', '--environment', 'production', '--label', 'x'.repeat(60)]
      let result = await runCommand(place, create)
      // Small rows may still fit.
      for (let i = 0; i < 20 && result.status === 0; i++) result = await runCommand(place, create)
      const full = /^animal-store: The disk of DATA_DIR is full/
      expect(result.stderr).toMatch(full)
      const rows = JSON.stringify(
        Array.from({ length: 9999 }, () => ({ name: 'Rex', categoryId: 1 })),
      )
      const words = ['animals', 'import', '-', '--environment', 'production']
      for (let i = 0; i < 2; i++)
        expect((await runCommand(place, words, {}, rows)).stderr).toMatch(full)
      expect((await runCommand(place, ['doctor'])).stdout).toMatch(
        /^problem +disk, .*\d MB are free\. Below 64 MB the databases/m,
      )
    }

    for (let turn = 0; turn < 5; turn++) {
      const start = performance.now()
      const refused = await Promise.all(
        Array.from({ length: 20 }, (_, i) => shop.create(`Rex ${i}`, `${turn}-${i}`)),
      )
      // In time: the program's own limit is 1.5 s, and a busy machine takes longer.
      expect(performance.now() - start).toBeLessThan(10_000)
      for (const { status, headers, json } of refused) {
        expect(status).toBe(503)
        expect(headers).toMatchObject({ 'content-type': 'application/json', 'retry-after': '1' })
        const of = { sqlite: 'DATA_DIR', postgres: 'PostgreSQL' }[engine]
        const message = expect.stringContaining(`The disk of ${of} is full`)
        expect(json).toEqual({ code: 'unavailable', message, status: 503 })
      }
      expect(await shop.walk(`/pets?limit=${100 - turn}`)).toHaveLength(created)
      expect((await shop.ask('/pets/1')).status).toBe(200)
    }
    const counted = await shop.ask('/pets', { headers: { prefer: 'count=exact' } })
    expect(counted.headers['x-total-count']).toBe(`${created}`)

    rmSync(ballast)
    await expect.poll(async () => (await shop.create('Rex', 'again')).status).toBe(201)
    await expect.poll(async () => (await served.askServer('/readyz')).status).toBe(200)
    expect(await shop.walk('/pets?limit=100')).toHaveLength(created + 1)
    expect(served.log()).not.toContain('internal_error')
    expect(await served.end()).toBe(0)
  })
})

it('a start on a full disk serves reads, or waits for space, and then takes writes', async () => {
  const disk = mountDisk(128)
  const place = placeOn(disk)
  const ballast = join(disk, 'ballast')
  const first = await serveForTest(place)
  const shopAt = (port: number) => new Shop(port, first.keys.production)
  expect((await shopAt(first.port).create('Rex')).status).toBe(201)
  expect(await first.end()).toBe(0)
  // In one unit.
  const low = await runCommand(place, ['doctor'], { MIN_FREE_DISK: '100000' })
  expect(low.stdout).toMatch(/^problem +disk, .*: \d+ MB are free\. Below 100000 MB uploads/m)
  fillUp(ballast)

  const env = { MIN_FREE_DISK: '0' }
  // Nobody has opened the databases, and there is no room to.
  const stopped = await runCommand(place, ['doctor'], env)
  expect(stopped.stderr).toMatch(/^animal-store: The disk of DATA_DIR is full.*\n$/)
  const second = await serveForTest(place, env)
  const full = `the disk of ${place.dataDir} (DATA_DIR) is full`
  expect(second.log()).toContain(full)
  const shop = shopAt(second.port)
  expect(await shop.walk('/pets?limit=100')).toHaveLength(1)
  const ready = await second.askServer('/readyz')
  expect(ready).toMatchObject({ status: 503, json: { message: /the disk of DATA_DIR is full/ } })
  expect((await runCommand(place, ['doctor'], env)).stdout).toMatch(/^problem +disk, .* \d MB/m)
  rmSync(ballast)
  await expect.poll(async () => (await second.askServer('/readyz')).status).toBe(200)
  expect((await shop.create('Rex')).status).toBe(201)
  expect(await second.end()).toBe(0)

  // Its reserve is used up.
  fillUp(ballast)
  const third = await serveForTest(place, env, [], (log) => {
    if (/The disk of DATA_DIR is full/.test(log)) rmSync(ballast, { force: true })
  })
  expect(third.log()).toContain(full)
  expect((await shopAt(third.port).create('Rex')).status).toBe(201)
  expect(await third.end()).toBe(0)
})

function placeOn(disk: string): TestDatabase {
  return { engine: 'sqlite', dataDir: join(disk, 'data'), release: async () => {} }
}

/** A PostgreSQL whose default tablespace is on the full disk, and its WAL on another one. */
async function postgresOn(disk: string): Promise<TestDatabase> {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const folder = join(disk, 'tablespace')
  mkdirSync(folder)
  if (process.getuid?.() === 0) execFileSync('chown', ['postgres', folder])
  const client = await connectTo({ databaseUrl: postgres.url })
  await client.query(`CREATE TABLESPACE small LOCATION '${folder}'`)
  await client.query('CREATE DATABASE animals TABLESPACE small TEMPLATE template0')
  const databaseUrl = postgres.url.replace(/postgres$/, 'animals')
  return { engine: 'postgres', dataDir: join(disk, 'data'), databaseUrl, release: async () => {} }
}

function fillUp(file: string): void {
  for (let bytes = 1024 * 1024; bytes >= 1; bytes = Math.floor(bytes / 4)) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(bytes))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
}
