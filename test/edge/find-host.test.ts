// The cost of finding a host: the same with ten domains and with many, zero while nothing changes, and bounded for
// any number of unknown names.

import { afterEach, expect, it } from 'vitest'
import { createHostFinder } from '#domains/edge/find-host.ts'
import { type Database, each, type Session } from '#kit/database/database.ts'
import { openDatabase } from '#kit/database/engines/open.ts'
import { rowInserter } from '#kit/database/insert-rows.ts'
import { changePublished, publishedVersions } from '#publishing/database/publishing-state.ts'
import type { PublishingTables } from '#publishing/database/tables.ts'
import { cases } from '../cases.ts'
import { createTestDatabase, engines } from '../database.ts'

const releases: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release()
})

const insertDomains = rowInserter<PublishingTables>()('domains')
const insertCertificates = rowInserter<PublishingTables>()('certificates')

const fillTransaction = each(
  async (session, { from, to }: { from: number; to: number }): Promise<void> => {
    await changePublished(session)
    for (let start = from; start < to; start += 500) {
      const numbers = Array.from({ length: Math.min(500, to - start) }, (_, i) => start + i)
      await insertDomains(
        session,
        numbers.map((n) => ({
          ...{ id: `d${n}`, host: `h${n}.example`, project_id: `p${n % 1000}`, holder: 'ann' },
          ...{
            verification_token: '',
            added_at: 1n,
            verification_requested_at: 1n,
            version: 1n,
            ownership: 'proven',
          },
          ...{ dns: 'ok', serving: 'https', certificate: 'issued', failures: 0n },
          ...{ expires_at: 1000n, role: 'alias' },
        })),
      )
      await insertCertificates(
        session,
        numbers.map((n) => ({
          ...{
            id: `c${n}`,
            domain_id: `d${n}`,
            host: `h${n}.example`,
            issuer: 'x',
            directory: 'x',
          },
          ...{ chain: '', private_key: '', fingerprint: '', serial: '', not_before: 1n },
          ...{ not_after: 1000n, issued_at: 1n, is_current: 1n },
        })),
      )
    }
  },
)
const insertSlugs = rowInserter<PublishingTables>()('slugs')
const slugsTransaction = each(async (session: Session, _: object) => {
  const given = { owner_id: 'ann' }
  await insertSlugs(session, [
    { ...given, slug: 'live', project_id: 'p1', is_current: 1n, held_until: null },
    { ...given, slug: 'held', project_id: null, is_current: 0n, held_until: 9n },
  ])
})
const changeTransaction = each(async (session: Session, _: object) => changePublished(session))

async function open(engine: (typeof engines)[number]) {
  const place = await createTestDatabase(engine)
  releases.push(() => place.release())
  const database = openDatabase(place, 'publishing', { onError: () => {} })
  releases.push(() => database.close())
  let asked = 0
  const all: Session['all'] = (query, params) => {
    asked++
    return database.read.all(query, params)
  }
  const counted: Database = { ...database, read: { ...database.read, all } }
  const clock = { now: 1 }
  const versions = publishedVersions(database)
  const hosts = createHostFinder({
    ...{ database: counted, versions, platformHost: 'docs.localhost' },
    ...{ maxCached: 100, maxMissing: 50 },
    clock: () => clock.now,
  })
  return { database, hosts, clock, asked: () => asked }
}

it.each(cases(engines))('a host is queried once, and again after a change (%s)', async (engine) => {
  const { asked, clock, database, hosts } = await open(engine)
  await database.write(fillTransaction, { from: 0, to: 200 })
  for (let i = 0; i < 3; i++)
    expect(await hosts.find('h1.example')).toMatchObject({ serving: 'https' })
  expect(asked()).toBe(1)
  await database.write(changeTransaction, {})
  expect(await hosts.find('h1.example')).toBeDefined()
  expect(asked()).toBe(2)
  // A certificate is not used after its end, even without a change.
  clock.now = 1000
  expect(await hosts.find('h1.example')).toMatchObject({
    serving: 'http_only',
    certificate: undefined,
  })
  expect(asked()).toBe(3)
  // An unknown host is cached, too.
  for (let i = 0; i < 3; i++) expect(await hosts.find('none.example')).toBeUndefined()
  expect(asked()).toBe(4)
})

it.each(cases(engines))(
  'unknown names evict only each other from the cache (%s)',
  async (engine) => {
    const { asked, database, hosts } = await open(engine)
    await database.write(fillTransaction, { from: 0, to: 10 })
    for (let i = 0; i < 10; i++) await hosts.find(`h${i}.example`)
    for (let i = 0; i < 300; i++) await hosts.find(`made-up-${i}.example`)
    expect(asked()).toBe(310)
    for (let i = 0; i < 10; i++) await hosts.find(`h${i}.example`)
    expect(asked()).toBe(310)
    await hosts.find('made-up-0.example')
    expect(asked()).toBe(311)
  },
)

it('few unknown names are remembered', async () => {
  const { asked, hosts } = await open('sqlite')
  const long = (i: number): string => `${i}.${'x'.repeat(60)}.${'x'.repeat(60)}.example`
  for (let i = 0; i < 100; i++) await hosts.find(long(i))
  for (let i = 60; i < 100; i++) await hosts.find(long(i))
  expect(asked()).toBe(100)
  await hosts.find(long(40))
  expect(asked()).toBe(101)
  // No name is that long: it is neither looked up nor remembered.
  expect(await hosts.find('x'.repeat(254))).toBeUndefined()
  expect(asked()).toBe(101)
})

it('a lookup costs the same among 10 and among 20,000 domains', async () => {
  const { database, hosts } = await open('sqlite')
  async function medianMicroseconds(count: number): Promise<number> {
    const times: number[] = []
    for (let i = 0; i < 400; i++) {
      const host = `h${(i * 7919) % count}.example`
      // The cache does not count.
      await database.write(changeTransaction, {})
      const before = performance.now()
      await hosts.find(host)
      times.push((performance.now() - before) * 1000)
    }
    return times.sort((a, b) => a - b)[200] as number
  }
  await database.write(fillTransaction, { from: 0, to: 10 })
  const few = await medianMicroseconds(10)
  await database.write(fillTransaction, { from: 10, to: 20_000 })
  const many = await medianMicroseconds(20_000)
  // A scan would take a hundred times as long.
  expect(many).toBeLessThan(5 * few)
})

it.each(cases(engines))('the slug of a removed project is not found (%s)', async (engine) => {
  const { database, hosts } = await open(engine)
  await database.write(slugsTransaction, {})
  expect(await hosts.find('live.docs.localhost')).toMatchObject({ slug: 'live' })
  // A found host's connections are closed when it is removed, and with them this host's 404.
  expect(await hosts.find('held.docs.localhost')).toBeUndefined()
})
