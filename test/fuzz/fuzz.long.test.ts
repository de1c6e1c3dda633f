// Sends random requests to both APIs, over HTTP/1.1 and HTTP/2. The store must accept what its OpenAPI document allows
// and refuse what it forbids, and every response must be as documented; the management API must never fail. The seed is
// printed; to repeat a run: TEST_SEED=1 FUZZ_REQUESTS=20000 npm run test:long -- fuzz. The long form is in CONTRIBUTING.md.
// In npm test: test/api/specification.test.ts
import { expect, it } from 'vitest'
import { certifiedPort } from '../certified-port.ts'
import { engines } from '../database.ts'
import { startPublishing } from '../publishing/publishing-in-test.ts'
import { startStore } from '../running-store.ts'
import { fuzz } from './fuzz.ts'
import { fuzzManagement } from './management-fuzz.ts'

const seed = Number(process.env.TEST_SEED)
const requests = Number(process.env.FUZZ_REQUESTS ?? 6_000)
/** Long enough for a million requests. */
const timeout = 300_000 + requests * 20

// The rules are the same code on both engines, so that the second run is shorter.
const share = { sqlite: 0.6, postgres: 0.2 }
const managementShare = { sqlite: 0.4, postgres: 0.15 }

it.each(engines)('finds no wrong response on %s', { timeout }, async (engine) => {
  const store = await startStore(engine, { env: { CORS_ORIGINS: 'https://shop.example.com' } })
  const before = performance.now()
  const http2Port = await certifiedPort(store.running.config.httpsPort, [
    'localhost',
    'staging.localhost',
  ])
  const result = await fuzz(store, seed, Math.ceil(requests * share[engine]), http2Port)
  await store.release()
  const seconds = ((performance.now() - before) / 1000).toFixed(1)
  const statuses = Object.entries(result.statuses).map(([status, count]) => `${status}: ${count}`)
  console.log(
    `fuzz on ${engine}: ${result.requests} requests in ${seconds} s, TEST_SEED=${seed}; ${statuses.join(', ')}`,
  )
  expect(result.findings.join('\n\n')).toBe('')
  const never = Object.entries(result.successes).filter(([, count]) => count === 0)
  expect(never).toEqual([])
})

it.each(engines)('finds no failure of the management API on %s', { timeout }, async (engine) => {
  const env = {
    DNS_SERVERS: '127.0.0.1:9',
    DNS_ROOTS: '127.0.0.1:9',
    PROJECT_WEBHOOK_ALLOW: '127.0.0.0/8',
    WEBHOOK_ALLOW: '127.0.0.0/8',
  }
  const people = await startPublishing(engine, { env })
  const { store } = people
  const https = await certifiedPort(store.running.config.httpsPort, ['localhost'])
  const ports = { http: store.running.config.httpPort, https }
  const count = Math.ceil(requests * managementShare[engine])
  const result = await fuzzManagement(people, ports, seed, count)
  await people.release()
  console.log(
    `management fuzz on ${engine}: ${result.requests} requests, TEST_SEED=${seed}; ${JSON.stringify(result.statuses)}`,
  )
  expect(result.findings.join('\n\n')).toBe('')
  expect(result.requests).toBeGreaterThan(count * 0.95)
  // Many requests get past the checks.
  const successes = Object.entries(result.statuses).filter(([status]) => status < '300')
  expect(successes.reduce((sum, [, each]) => sum + each, 0)).toBeGreaterThan(count / 20)
})
