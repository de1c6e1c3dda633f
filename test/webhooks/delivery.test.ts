// Failed deliveries, with the test's clock: order per animal, retry schedule, giving up, receivers that are gone, and
// redelivery.

import { describe, expect, it } from 'vitest'
import { retryDelaysMs } from '#kit/webhooks/send-message.ts'
import { resend } from '#optional/webhooks/delivery-log.ts'
import { deleteOldDeliveries } from '#optional/webhooks/forget-deliveries.ts'
import { findWebhook, removeWebhook, rotateWebhook } from '#optional/webhooks/webhooks.ts'
import { engines } from '../database.ts'
import { accept, answerWith, isSigned, startReceiver } from './receiver.ts'
import { startHooked } from './shop-with-webhooks.ts'

const hour = 3600 * 1000
const day = 24 * hour
/** More than the maximum jitter. */
const afterJitter = (ms: number): number => Math.ceil(ms * 1.1) + 1

describe.each(engines)('delivery on %s', (engine) => {
  it('keeps the order of an animal while attempts fail, and delivers others', async () => {
    const { shop, receiver, webhook } = await startHooked(engine)
    const [first, second] = [await shop.pet('first'), await shop.pet('second')]
    await shop.logged(webhook.id, 2)
    let fails = true
    receiver.reply = (response, received, count) =>
      (fails && received.data.id === first ? answerWith(500) : accept)(response, received, count)
    for (const name of ['a', 'b', 'c']) {
      await shop.patch(first, { name })
      await shop.patch(second, { name })
    }
    // Three events of the second animal, and the first attempt of the first animal's earliest event.
    await receiver.took(6)
    await shop.logged(webhook.id, 6)
    const names = (id: number): unknown[] =>
      receiver.received.filter(({ data }) => data.id === id).map(({ data }) => data.name)
    expect(names(first)).toEqual(['first', 'a'])
    expect(names(second)).toEqual(['second', 'a', 'b', 'c'])
    const states = (await shop.deliveries(webhook.id)).map(({ state }) => state)
    expect(states.filter((state) => state === 'held')).toHaveLength(2)

    shop.pass(afterJitter(5000))
    await receiver.took(7)
    await shop.logged(webhook.id, 7)
    fails = false
    shop.pass(afterJitter(300_000))
    await receiver.took(10)
    expect(names(first)).toEqual(['first', 'a', 'a', 'a', 'b', 'c'])
    const tries = receiver.received.filter(({ data }) => data.name === 'a' && data.id === first)
    expect(new Set(tries.map(({ id }) => id)).size).toBe(1)
    expect(new Set(tries.map(({ text }) => text)).size).toBe(1)
    expect(new Set(tries.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(3)
  })

  it('is attempted ten times by the schedule, then given up, and the next event is sent', async () => {
    const { shop, receiver, webhook } = await startHooked(engine, (response, received, count) =>
      (received.type === 'pet.created' ? answerWith(503) : accept)(response, received, count),
    )
    await shop.patch(await shop.pet(), { name: 'Momo' })
    for (const [i, delay] of retryDelaysMs.entries()) {
      await receiver.took(i + 1)
      await shop.logged(webhook.id, i + 1)
      shop.pass(afterJitter(delay))
    }
    const received = await receiver.took(11)
    expect(received.map(({ type }) => type)).toEqual([
      ...Array(10).fill('pet.created'),
      'pet.updated',
    ])
    await shop.logged(webhook.id, 11)
    const [updated, created] = await shop.deliveries(webhook.id)
    expect(updated?.state).toBe('delivered')
    expect(created?.state).toBe('failed')
    expect(created?.attempts).toHaveLength(10)
    expect(created?.attempts[0]).toMatchObject({ attempt: 1, status: 503, error: 'answered 503' })
    const waits = created?.attempts.map(({ at, nextAt = at }) => nextAt - at)
    for (const [i, delay] of [...retryDelaysMs, 0].entries()) {
      expect(waits?.[i]).toBeGreaterThanOrEqual(Math.floor(delay * 0.9))
      expect(waits?.[i]).toBeLessThanOrEqual(Math.ceil(delay * 1.1))
    }
    expect(await shop.deliveries(webhook.id, { failed: true })).toEqual([created])
  })

  it('waits for Retry-After, up to a day', async () => {
    const retry = (seconds: string) => answerWith(429, { 'retry-after': seconds })
    const { shop, receiver, webhook } = await startHooked(engine, retry('3600'))
    await shop.pet('waits')
    await shop.logged(webhook.id, 1)
    shop.pass(hour - 1)
    receiver.reply = accept
    await shop.pet('comes in between')
    await shop.logged(webhook.id, 2)
    receiver.reply = retry('999999999')
    shop.pass(1)
    await shop.logged(webhook.id, 3)
    const names = receiver.received.map(({ data }) => data.name)
    expect(names).toEqual(['waits', 'comes in between', 'waits'])
    const [, delivery] = await shop.deliveries(webhook.id)
    const waits = delivery?.attempts.map(({ at, nextAt = 0 }) => nextAt - at)
    expect(waits).toEqual([hour, day])
  })

  it('is counted with its age while it is pending', async () => {
    const { shop, receiver, webhook } = await startHooked(engine, answerWith(500))
    const value = async (name: string): Promise<string | undefined> => {
      const text = await shop.running.metrics.registry.metrics()
      const line = `^animal_store_webhook_${name}{environment="production"} (.*)$`
      return new RegExp(line, 'm').exec(text)?.[1]
    }
    expect([await value('queue_length'), await value('oldest_seconds')]).toEqual(['0', '0'])
    const id = await shop.pet()
    await shop.patch(id, { name: 'Momo' })
    await shop.logged(webhook.id, 1)
    shop.clock.now += 4000
    expect([await value('queue_length'), await value('oldest_seconds')]).toEqual(['2', '4'])
    receiver.reply = accept
    shop.pass(10_000)
    await shop.logged(webhook.id, 3)
    expect([await value('queue_length'), await value('oldest_seconds')]).toEqual(['0', '0'])
  })

  it('stops after a 410, and continues when the webhook is enabled', async () => {
    const { shop, receiver, webhook, database } = await startHooked(engine, answerWith(410))
    const id = await shop.pet()
    await shop.logged(webhook.id, 1)
    expect(await findWebhook(database.read, webhook.id)).toMatchObject({ disabledReason: 'gone' })
    await shop.patch(id, { name: 'not delivered' })
    receiver.reply = accept
    expect(await shop.disable(webhook.id, false)).toMatchObject({ disabledAt: undefined })
    await shop.patch(id, { name: 'delivered' })
    await receiver.took(2)
    expect(receiver.received[1]?.data.name).toBe('delivered')
    expect(await shop.deliveries(webhook.id)).toHaveLength(2)
  })

  it('stops if nothing has been delivered for 5 days', async () => {
    const { shop, receiver, webhook, database } = await startHooked(engine, answerWith(500))
    await shop.pet()
    await shop.logged(webhook.id, 1)
    shop.pass(3 * day)
    await shop.logged(webhook.id, 2)
    expect((await findWebhook(database.read, webhook.id))?.disabledAt).toBeUndefined()
    shop.pass(2 * day)
    await shop.logged(webhook.id, 3)
    const failing = { disabledReason: 'failing' }
    expect(await findWebhook(database.read, webhook.id)).toMatchObject(failing)
    // Pending deliveries are sent once the webhook is enabled.
    receiver.reply = accept
    shop.pass(day)
    await shop.disable(webhook.id, false)
    shop.pass(0)
    await receiver.took(4)
  })

  it('waits for a disabled webhook, and is deleted with its webhook', async () => {
    const { shop, receiver, webhook, database } = await startHooked(engine, answerWith(500))
    const other = await startReceiver()
    const { webhook: second } = await shop.hook({ url: other.url })
    await shop.pet()
    await shop.logged(webhook.id, 1)
    await shop.disable(webhook.id, true)
    shop.pass(day)
    await shop.pet('marker')
    await other.took(2)
    await shop.logged(second.id, 2)
    expect(receiver.received).toHaveLength(1)
    expect(await removeWebhook(database, webhook.id, shop.audited())).toBe(true)
    expect(await removeWebhook(database, webhook.id, shop.audited())).toBe(false)
    expect(await findWebhook(database.read, webhook.id)).toBeUndefined()
    await deleteOldDeliveries(database, shop.clock.now)
    expect(await shop.deliveries(webhook.id)).toEqual([])
    expect(await shop.deliveries(second.id)).toHaveLength(2)
  })

  it('is redelivered with the same id, without delaying later events', async () => {
    const { shop, receiver, webhook, database } = await startHooked(engine)
    const id = await shop.pet()
    await shop.logged(webhook.id, 1)
    const [delivery] = await shop.deliveries(webhook.id)
    const again = (event = '') => resend(database, event, webhook.id, shop.clock.now)
    expect(await again('msg_unknown')).toBe(false)
    receiver.reply = answerWith(500)
    expect(await again(delivery?.messageId)).toBe(true)
    await receiver.took(2)
    await shop.logged(webhook.id, 2)
    receiver.reply = accept
    await shop.patch(id, { name: 'later' })
    await receiver.took(3)
    await shop.logged(webhook.id, 3)
    // It waits for its next attempt; a redelivery sends it at once.
    expect(await again(delivery?.messageId)).toBe(true)
    await receiver.took(4)
    expect(receiver.received.map(({ data }) => data.name)).toEqual(['Rex', 'Rex', 'later', 'Rex'])
    expect(receiver.received[3]?.id).toBe(receiver.received[0]?.id)
    await shop.logged(webhook.id, 4)
    const all = await shop.deliveries(webhook.id)
    const redelivered = all.find((each) => each.id === delivery?.id)
    expect(redelivered?.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
  })

  it('is signed with both secrets during a rotation', async () => {
    const { shop, receiver, secret: old, webhook } = await startHooked(engine)
    const { origin } = shop.audited()
    const rotated = await rotateWebhook(shop.keeper, webhook.id, day, origin)
    const fresh = rotated?.secret ?? ''
    await shop.pet()
    const [during] = await receiver.took(1)
    await shop.logged(webhook.id, 1)
    shop.pass(day)
    await shop.pet()
    const [, after] = await receiver.took(2)
    if (!during || !after) throw new Error('no event arrived')
    expect([await isSigned(during, old), await isSigned(during, fresh)]).toEqual([true, true])
    expect([await isSigned(after, old), await isSigned(after, fresh)]).toEqual([false, true])
    expect(String(after.headers['webhook-signature']).split(' ')).toHaveLength(1)
  })

  it('is logged for 7 days, up to a number of deliveries', async () => {
    const { shop, receiver, webhook, database } = await startHooked(engine)
    const names = async (): Promise<number> => (await shop.deliveries(webhook.id)).length
    for (let i = 1; i <= 5; i++) {
      await shop.pet()
      await shop.logged(webhook.id, i)
      shop.pass(1000)
    }
    await deleteOldDeliveries(database, shop.clock.now, 3)
    expect(await names()).toBe(3)
    shop.pass(7 * day)
    receiver.reply = answerWith(500)
    await shop.pet()
    await shop.logged(webhook.id, 4)
    await deleteOldDeliveries(database, shop.clock.now)
    expect(await names()).toBe(1)
    // Pending deliveries stay for a month.
    await shop.disable(webhook.id, true)
    await deleteOldDeliveries(database, shop.clock.now + 30 * day - 1)
    expect(await names()).toBe(1)
    await deleteOldDeliveries(database, shop.clock.now + 30 * day)
    expect(await names()).toBe(0)
  })
})
