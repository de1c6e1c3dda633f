// PostgreSQL stopped, and PostgreSQL unresponsive: every request gets a 503 within two seconds, the process keeps
// running, and it serves again automatically once the database does.

import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { residentMegabytes } from '../process-tree.ts'
import type { Answer } from '../running-store.ts'
import { postgresForTest, serveForTest } from './processes.ts'
import { Shop } from './shop.ts'
import { expectNothingChanged } from './written-once.ts'

const faults = [
  ['killed', 'kill', 'start'],
  ['frozen', 'pause', 'resume'],
] as const
const atOnce = 50
const rounds = 6
const everyMs = 300

describe.runIf(engines.includes('postgres'))('while PostgreSQL is', () => {
  it.each(cases(faults))(
    '%s, all requests are refused in time, and none afterwards',
    async (_, begin, end) => {
      const { place, postgres } = await postgresForTest()
      const served = await serveForTest(place)
      const shop = new Shop(served.port, served.keys.production)
      expect((await shop.create('Rex 1')).status).toBe(201)
      // Warm-up: this page, this animal and the API key are cached now.
      for (const path of ['/pets', '/pets/1']) expect((await shop.ask(path)).status).toBe(200)

      await requestsOf(shop, 0) // so that all connections are open before the fault
      const memory = residentMegabytes(served.pid)
      await postgres[begin]()
      const batches: Promise<Timed[]>[] = []
      // More requests arrive while the first ones wait.
      for (let round = 1; round <= rounds; round++) {
        batches.push(requestsOf(shop, round))
        await delay(everyMs)
      }
      for (const batch of await Promise.all(batches)) {
        for (const { response, milliseconds } of batch) {
          expectNothingChanged(response)
          expect(milliseconds).toBeLessThan(longestMs)
        }
      }
      const ready = await timed(served.askServer('/readyz'))
      expect(ready.response.json).toMatchObject({
        code: 'unavailable',
        message:
          'Not ready: the production database does not respond; the staging database does not respond.',
        status: 503,
      })
      expect(ready.milliseconds).toBeLessThan(longestMs)
      const host = `unknown.docs.localhost:${shop.port}`
      const site = await timed(served.askServer('/', { headers: { host } }))
      expect(site.response).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
      expect(site.milliseconds).toBeLessThan(longestMs)
      expect((await served.askServer('/healthz')).status).toBe(200)
      expect(residentMegabytes(served.pid) - memory).toBeLessThan(64)

      await postgres[end]()
      await expect.poll(async () => (await served.askServer('/readyz')).status).toBe(200)
      for (const { response } of await requestsOf(shop, rounds + 1))
        expect(response.status).toBeLessThan(300)
      expect(served.log()).not.toMatch(/unhandled|internal_error|Warning/i)
      expect(await served.end()).toBe(0)
    },
  )
})

/** The program's own limit is 1.5 s; a busy machine takes longer, but a client never waits for the database. */
const longestMs = 10_000

/** Sends cached and uncached lists and gets, and creates, all at once. */
async function requestsOf(shop: Shop, round: number): Promise<Timed[]> {
  const kinds = [
    () => shop.ask('/pets'),
    () => shop.ask('/pets/1'),
    (i: number) => shop.ask(`/pets?limit=${1 + i}&_=${round}`),
    (i: number) => shop.create(`Rex ${i}`),
    (i: number) => shop.create(`Rex ${i}`, `${round}-${i}`),
  ]
  const requests = Array.from({ length: atOnce }, (_, i) => kinds[i % kinds.length]?.(i))
  return await Promise.all(requests.map((request) => timed(request as Promise<Answer>)))
}

interface Timed {
  response: Answer
  milliseconds: number
}

async function timed(request: Promise<Answer>): Promise<Timed> {
  const start = performance.now()
  return { response: await request, milliseconds: performance.now() - start }
}
