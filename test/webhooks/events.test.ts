// Events at a receiver: each change of the store causes one signed event with the record as in the API, and nothing else
// does.

import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { listDeliveries } from '#optional/webhooks/delivery-log.ts'
import { addPet, patchPet } from '#store/animals/change-pets.ts'
import { type StoreWrite, writeStore } from '#store/changes/store-write.ts'
import { resetSamples } from '#store/environments/first-start.ts'
import { engines } from '../database.ts'
import { accept, answerWith, isSigned, type Received, startReceiver } from './receiver.ts'
import { startHooked, startShop } from './shop-with-webhooks.ts'

const types = (received: Received[]): string[] => received.map(({ type }) => type)

describe.each(engines)('events on %s', (engine) => {
  it('are sent for an animal, its orders and its deletion, in order and signed', async () => {
    const { shop, receiver, secret } = await startHooked(engine)
    const body = { name: 'Zoë "🐢" \u2028', categoryId: 7 }
    const text = JSON.stringify(body).replace('7', '9007199254740993')
    const created = await shop.ask('/pets', { body: text })
    await shop.patch(1, { name: 'Momo' })
    const placed = await shop.ask('/store/orders', { body: { petId: 1 } })
    await shop.ask('/store/orders/1/approve', { method: 'POST' })
    await shop.ask('/store/orders/1/cancel', { method: 'POST' })
    await shop.ask('/store/orders', { body: { petId: 1 } })
    await shop.ask('/store/orders/2/deliver', { method: 'POST' })
    const last = await shop.ask('/pets?id=1')
    expect((await shop.ask('/pets/1', { method: 'DELETE' })).status).toBe(204)

    const received = await receiver.took(12)
    expect(types(received)).toEqual([
      ...['pet.created', 'pet.updated'],
      ...['order.placed', 'pet.updated', 'order.approved', 'order.cancelled', 'pet.updated'],
      ...['order.placed', 'pet.updated', 'order.delivered', 'pet.updated', 'pet.deleted'],
    ])
    const moment = new Date(shop.clock.now).toISOString()
    const start = `{"type":"pet.created","timestamp":"${moment}","data":`
    expect(received[0]?.text).toBe(`${start}${created.text}}`)
    expect(received[0]?.text).toContain('"categoryId":9007199254740993')
    expect(received[2]?.data).toEqual(placed.json)
    expect(received[3]?.data).toMatchObject({ id: 1, status: 'pending' })
    expect(received[4]?.data).toMatchObject({ id: 1, status: 'approved' })
    expect(received[6]?.data).toMatchObject({ id: 1, status: 'available' })
    expect(received[10]?.data).toMatchObject({ id: 1, status: 'sold' })
    expect(received[11]?.text).toContain(`"data":${last.text.slice(1, -1)}}`)
    for (const message of received) {
      expect(await isSigned(message, secret)).toBe(true)
      expect(await isSigned({ ...message, text: `${message.text} ` }, secret)).toBe(false)
      expect(message.id).toMatch(/^msg_[0-9a-f]{24}$/)
      expect(message.headers['content-type']).toBe('application/json')
      expect(Number(message.headers['webhook-timestamp'])).toBe(shop.clock.now / 1000)
    }
    expect(new Set(received.map(({ id }) => id)).size).toBe(12)
  })

  it('are sent for each animal of an import over HTTP', async () => {
    const { shop, receiver } = await startHooked(engine)
    const body = 'name,categoryId\nA,1\nB,2\n'
    const headers = { 'content-type': 'text/csv' }
    expect((await shop.ask('/pets/import', { body, headers })).status).toBe(200)
    const received = await receiver.took(2)
    expect(types(received)).toEqual(['pet.created', 'pet.created'])
    expect(received.map(({ data }) => (data as { name: string }).name).sort()).toEqual(['A', 'B'])
  })

  it('are selected by type and environment, and sent to each webhook', async () => {
    const shop = await startShop(engine)
    const [everything, deletions] = [await startReceiver(), await startReceiver()]
    const staging = await startReceiver()
    await shop.hook({ url: everything.url })
    await shop.hook({ url: deletions.url, events: ['pet.deleted', 'order.placed'] })
    await shop.hook({ url: staging.url }, shop.ofStaging)
    await shop.askStaging('/pets', { body: { name: 'Tiger', categoryId: 2 } })
    await shop.pet()
    await shop.ask('/pets/1', { method: 'DELETE' })
    expect(types(await everything.took(2))).toEqual(['pet.created', 'pet.deleted'])
    expect(types(await deletions.took(1))).toEqual(['pet.deleted'])
    expect(await shop.deliveries('none')).toEqual([])
    expect((await staging.took(1))[0]?.data).toMatchObject({ id: 51, name: 'Tiger' })
    expect(staging.received).toHaveLength(1)
  })

  it('are sent once per change, not for a replay, an error or a patch without changes', async () => {
    const { shop, receiver } = await startHooked(engine)
    const headers = { 'idempotency-key': 'one' }
    const body = { name: 'Rex', categoryId: 1 }
    await Promise.all([1, 2, 3].map(() => shop.ask('/pets', { body, headers })))
    await shop.patch(1, { name: 'Rex' })
    await shop.patch(99, { name: 'Rex' })
    await shop.ask('/pets', { body: { name: '' } })
    await shop.ask('/store/orders', { body: { petId: 1 } })
    await shop.ask('/store/orders', { body: { petId: 1 } })
    await shop.ask('/pets/1', { method: 'DELETE' })
    await shop.pet('the end')
    const expected = ['order.placed', 'pet.created', 'pet.created', 'pet.updated']
    expect(types(await receiver.took(4)).sort()).toEqual(expected)
  })

  it('are not sent if the change was rolled back', async () => {
    const { shop, receiver, webhook, database } = await startHooked(engine)
    const { now } = shop.clock
    const breaking = (name: string): StoreWrite => ({
      use: undefined,
      reads: {},
      change(records) {
        const { json: body } = addPet(records, { name, categoryId: 1, status: 'available' }, now)
        if (name === 'broken') throw new Error('rolled back')
        return { status: 201, location: '', body }
      },
    })
    const names = ['first', 'broken', 'second']
    const writes = names.map((name) => database.write(writeStore, breaking(name)))
    const results = await Promise.allSettled(writes)
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    await receiver.took(2)
    await shop.logged(webhook.id, 2)
    const received = receiver.received.map(({ data }) => data.name)
    expect(received.sort()).toEqual(['first', 'second'])
    expect(await shop.deliveries(webhook.id)).toHaveLength(2)
  })

  it('of one transaction wait for earlier ones of their animal only', async () => {
    const shop = await startShop(engine)
    const [first, second] = [await shop.pet(), await shop.pet()]
    await shop.running.webhooks.dispatchers.production.stop()
    const { webhook } = await shop.hook({ url: 'http://127.0.0.1:9' })
    const { database } = shop.keeper
    const changes = [first, first, second].map((id, i) =>
      patchPet({
        ...{ id: BigInt(id), use: undefined, conditions: {}, now: shop.clock.now },
        patch: { name: `name ${i}` },
      }),
    )
    await Promise.all(changes.map((change) => database.write(writeStore, change)))
    // The newest first.
    const states = (await shop.deliveries(webhook.id)).map(({ state }) => state)
    expect(states).toEqual(['waiting', 'held', 'waiting'])
  })

  it('of many animals are all sent, eight at a time', async () => {
    const shop = await startShop(engine)
    const held: ServerResponse[] = []
    const receiver = await startReceiver((response, received, count) => {
      held.push(response)
      // The last batch is smaller than eight.
      if (held.length < 8 && count <= 144) return
      for (const each of held.splice(0)) accept(each, received, count)
    })
    await shop.hook({ url: receiver.url })
    const ids = await Promise.all(Array.from({ length: 150 }, (_, i) => shop.pet(`pet ${i}`)))
    const received = await receiver.took(150)
    const heard = received.map(({ data }) => Number(data.id))
    expect(heard.sort((a, b) => a - b)).toEqual(ids.sort((a, b) => a - b))
    expect(receiver.open.most).toBe(8)
  })

  it('pending in staging are deleted by a reset', async () => {
    const shop = await startShop(engine)
    const receiver = await startReceiver(answerWith(500))
    const { database } = shop.ofStaging
    const { webhook } = await shop.hook({ url: receiver.url }, shop.ofStaging)
    await shop.askStaging('/pets', { body: { name: 'Tiger', categoryId: 2 } })
    await receiver.took(1)
    await resetSamples(database)
    expect(await listDeliveries(database, webhook.id)).toEqual([])
    // Later events are sent.
    await shop.askStaging('/pets', { body: { name: 'Lion', categoryId: 2 } })
    expect((await receiver.took(2))[1]?.data.name).toBe('Lion')
  })
})
