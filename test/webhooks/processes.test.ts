// Several processes, and killed processes: every committed event is delivered, and exactly once without failures.

import { describe, expect, it } from 'vitest'
import { cases, isLong } from '../cases.ts'
import { engines } from '../database.ts'
import { serveForTest, signalAll } from '../faults/processes.ts'
import { Shop } from '../faults/shop.ts'
import { placeForTest } from '../place-for-test.ts'
import { peopleAt } from '../publishing/publishing-in-test.ts'
import type { ServedProcess } from '../served-process.ts'
import { accept, isSigned, startReceiver } from './receiver.ts'
import { startShop } from './shop-with-webhooks.ts'

const env = { WEBHOOK_ALLOW: '127.0.0.1' }

/** Returns its secret. */
async function createHook({ port, setUpToken }: ServedProcess, url: string): Promise<string> {
  const { operator } = await peopleAt(port, setUpToken)
  const { json, text } = await operator.ask('/store/production/webhooks', { body: { url } })
  const { secret } = json as { secret?: string }
  if (!secret?.startsWith('whsec_')) throw new Error(text)
  return secret
}

describe.each(cases(engines))('processes on %s', (engine) => {
  it('kill -9 between commit and delivery loses nothing', async () => {
    const place = await placeForTest(engine)
    // The receiver does not respond until the process is killed.
    const receiver = await startReceiver(() => {})
    let served = await serveForTest(place, env)
    const secret = await createHook(served, receiver.url)
    const shop = new Shop(served.port, served.keys.production)
    const made = await Promise.all(Array.from({ length: 20 }, (_, i) => shop.create(`pet ${i}`)))
    expect(made.map(({ status }) => status)).toEqual(Array(20).fill(201))
    await receiver.took(8)
    signalAll(served.pid, 'SIGKILL')
    await served.end('SIGKILL')
    const before = receiver.received.splice(0)
    expect(before).toHaveLength(8)

    receiver.reply = accept
    served = await serveForTest(place, { ...env, HTTP_PORT: String(shop.port) })
    // The leases of the killed process expire after a minute; other deliveries are sent at once.
    const rest = await receiver.took(12)
    const heard = [...before, ...rest].map(({ data }) => data.name)
    expect(heard.sort()).toEqual(Array.from({ length: 20 }, (_, i) => `pet ${i}`).sort())
    for (const message of rest) expect(await isSigned(message, secret)).toBe(true)
    expect(served.log()).not.toContain(secret)
    expect(await served.end()).toBe(0)
  })

  if (isLong)
    it('resends deliveries leased by a killed process, with the same id', async () => {
      const place = await placeForTest(engine)
      const hangs = await startShop(engine, { place, outgoing: { answerWithinMs: 100_000 } })
      const receiver = await startReceiver(() => {})
      await hangs.hook({ url: receiver.url })
      await hangs.pet()
      const [first] = await receiver.took(1)
      receiver.reply = accept
      const other = await startShop(engine, { place })
      other.clock.now = hangs.clock.now
      other.pass(59_999)
      await other.ask('/pets', {
        key: hangs.keys.production,
        body: { name: 'Momo', categoryId: 1 },
      })
      const [, second] = await receiver.took(2)
      expect(second?.data.name).toBe('Momo')
      other.pass(1)
      const [, , third] = await receiver.took(3)
      expect(third?.id).toBe(first?.id)
    })

  it('two workers deliver each event once, in order for each animal', {
    timeout: 120_000,
  }, async () => {
    const place = await placeForTest(engine)
    const receiver = await startReceiver()
    const served = await serveForTest(place, { ...env, WORKERS: '2' })
    await createHook(served, receiver.url)
    const shop = new Shop(served.port, served.keys.production)
    await Promise.all([1, 2, 3].map((i) => shop.create(`pet ${i}`)))
    const headers = { 'content-type': 'application/merge-patch+json' }
    const moves = [1, 2, 3].map(async (id) => {
      for (let step = 1; step <= 15; step++) {
        const body = { categoryId: 1000 + step }
        await shop.ask(`/pets/${id}`, { method: 'PATCH', headers, body })
      }
    })
    await Promise.all(moves)
    const received = await receiver.took(48)
    for (const id of [1, 2, 3]) {
      const steps = received.filter(({ data }) => data.id === id).slice(1)
      expect(steps.map(({ data }) => data.categoryId)).toEqual(
        Array.from({ length: 15 }, (_, i) => 1001 + i),
      )
    }
    expect(new Set(received.map(({ id }) => id)).size).toBe(48)
    expect(await served.end()).toBe(0)
    expect(receiver.received).toHaveLength(48)
  })
})
