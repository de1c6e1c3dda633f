// Rate limits: off unless configured (specification.test.ts), exact across all workers, by the injected clock.

import { describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import type { Answer } from '../running-store.ts'
import { newKey, served, serving, servingWorkers, store } from './serving.ts'

describe.each(engines)('rate limits on %s', (engine) => {
  serving(engine, { env: { RATE_LIMIT: '3/60s' } })

  const makeKey = async (rateLimit?: string) => (await newKey({ rateLimit })).text
  const fields = ({ status, headers }: Answer) => [
    status,
    headers['ratelimit-policy'],
    headers.ratelimit,
    headers['retry-after'],
  ]

  it('returns what is left, then 429 with Retry-After, then more after some time', async () => {
    const key = await makeKey()
    const ask = async () => fields(await store.ask('/pets', { key }))
    const policy = '"default";q=3;w=60'
    expect(await ask()).toEqual([200, policy, '"default";r=2;t=20', undefined])
    expect(await ask()).toEqual([200, policy, '"default";r=1;t=40', undefined])
    expect(await ask()).toEqual([200, policy, '"default";r=0;t=60', undefined])
    expect(await ask()).toEqual([429, policy, '"default";r=0;t=60', '20'])
    store.clock.now += 19_999
    expect((await ask())[3]).toBe('1')
    store.clock.now += 1
    expect((await ask())[0]).toBe(200)
    expect((await ask())[0]).toBe(429)
    store.clock.now += 60_000
    for (const status of [200, 200, 200, 429]) expect((await ask())[0]).toBe(status)
  })

  it('allows the full limit if it does not divide the window evenly', async () => {
    const key = await makeKey('7/60s')
    const statuses = []
    for (let i = 0; i < 8; i++) statuses.push((await store.ask('/pets', { key })).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 429])
  })

  it('429 has the Error schema', async () => {
    const key = await makeKey('1/1h')
    await store.ask('/pets', { key })
    expect(await store.ask('/pets/1', { key })).toMatchObject({
      status: 429,
      headers: {
        'content-type': 'application/json',
        'retry-after': '3600',
        sunset: expect.stringContaining('2030'),
      },
      json: { code: 'rate_limited', status: 429, message: expect.stringContaining('3600 s') },
    })
  })

  it('counts every operation, also with an invalid body; all their responses have the headers', async () => {
    const key = await makeKey('100/1h')
    const answers = [
      await store.ask('/pets', { key }),
      await store.ask('/pets', { key, method: 'HEAD' }),
      await store.ask('/pets/999', { key }),
      await store.ask('/pets?limit=0', { key }),
      await store.ask('/pets', { key, body: '{' }),
      await store.ask('/pets', { key, body: { name: 'Rex', categoryId: 1 } }),
    ]
    const left = answers.map(({ headers }) => /r=(\d+)/.exec(headers.ratelimit ?? '')?.[1])
    expect(left).toEqual(['99', '98', '97', '96', '95', '94'])
  })

  it('does not count a 304', async () => {
    // What it takes is given back behind the response, so that some may be on their way.
    const key = await makeKey('10/1h')
    const first = await store.ask('/pets?limit=7', { key })
    const headers = { 'if-none-match': String(first.headers.etag) }
    for (let i = 0; i < 30; i++) {
      const again = await store.ask('/pets?limit=7', { key, headers })
      expect(again.status).toBe(304)
    }
  })

  it('counts each API key separately, with its own limit', async () => {
    const [one, other] = [await makeKey('1/1h'), await makeKey('1/1h')]
    const large = await makeKey('50/1s')
    expect((await store.ask('/pets', { key: one })).status).toBe(200)
    expect((await store.ask('/pets', { key: one })).status).toBe(429)
    expect((await store.ask('/pets', { key: other })).status).toBe(200)
    for (let i = 0; i < 20; i++) expect((await store.ask('/pets', { key: large })).status).toBe(200)
  })

  it('does not count requests that need no API key', async () => {
    for (let i = 0; i < 5; i++) {
      const { status, headers } = await store.ask('/pets', { method: 'OPTIONS' })
      expect([status, headers.ratelimit]).toEqual([204, undefined])
    }
  })
})

describe.each(engines)('rate limits of workers on %s', (engine) => {
  servingWorkers(engine, { RATE_LIMIT: '10/1h' })
  it('are shared', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => served.ask('/pets')))
    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(20).fill(429)])
  })
})
