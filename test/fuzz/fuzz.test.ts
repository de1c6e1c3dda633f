// Sends random requests: the server must accept what the OpenAPI document allows and refuse what it forbids, and every
// response must be as documented. The seed is printed; to repeat a run: FUZZ_SEED=1 FUZZ_REQUESTS=20000 npm test -- fuzz.
import { expect, it } from 'vitest'
import { engines } from '../database.ts'
import { startStore } from '../running-store.ts'
import { fuzz } from './fuzz.ts'

const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))
const requests = Number(process.env.FUZZ_REQUESTS ?? 6_000)

// The rules are the same code on both engines, so that the second run is shorter.
const share = { sqlite: 1, postgres: 0.25 }

it.each(engines)('finds no wrong response on %s', { timeout: 300_000 }, async (engine) => {
  const store = await startStore(engine, { env: { CORS_ORIGINS: 'https://shop.example.com' } })
  const before = performance.now()
  const result = await fuzz(store, seed, Math.ceil(requests * share[engine]))
  await store.release()
  const seconds = ((performance.now() - before) / 1000).toFixed(1)
  const statuses = Object.entries(result.statuses).map(([status, count]) => `${status}: ${count}`)
  console.log(
    `fuzz on ${engine}: ${result.requests} requests in ${seconds} s, FUZZ_SEED=${seed}; ${statuses.join(', ')}`,
  )
  expect(result.findings.join('\n\n')).toBe('')
  // Every operation of the document succeeded sometimes.
  const rare = Object.entries(result.successes).filter(([, count]) => count < result.requests / 500)
  expect(rare).toEqual([])
})
