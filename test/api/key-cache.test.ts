// A verified API key is remembered once, however its Authorization header is written.
import { expect, it, onTestFinished } from 'vitest'
import { startStore } from '../running-store.ts'

it('remembers a key, not the header that it came in', async () => {
  const store = await startStore('sqlite')
  onTestFinished(() => store.release())
  const key = store.keys.production
  const count = async (result: 'hit' | 'miss'): Promise<number> => {
    const text = await store.running.metrics.registry.metrics()
    const line = `animal_store_cache_lookups_total{cache="keys",result="${result}"} `
    return Number(text.split(line)[1]?.split('\n')[0] ?? 0)
  }
  expect((await store.ask('/pets/1')).status).toBe(404)
  const misses = await count('miss')
  const padding = ' '.repeat(20_000)
  for (const field of [`bearer ${key}`, `BEARER   ${key}`, `Bearer${padding} ${key}`]) {
    const answer = await store.ask('/pets/1', { key: null, headers: { authorization: field } })
    expect(answer.status).toBe(404)
  }
  expect(await count('miss')).toBe(misses)
  for (const field of [`Bearer ${key}x`, `Bearer ${key},${key}`, `Basic ${key}`]) {
    const answer = await store.ask('/pets/1', { key: null, headers: { authorization: field } })
    expect(answer.status).toBe(401)
  }
})
