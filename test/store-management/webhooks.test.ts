// Webhooks over the management API: created, tested, disabled, changed, and their deliveries.
import { describe, expect, it } from 'vitest'
import type { Delivery, Webhook } from '#optional/webhooks/open.ts'
import type { Animal } from '#store/animals/schema.ts'
import { engines } from '../database.ts'
import { eventually } from '../eventually.ts'
import { refusal } from '../running-store.ts'
import { walkPages } from '../walk-pages.ts'
import { answerWith, isSigned, type Received, startReceiver } from '../webhooks/receiver.ts'
import { managing, store } from './store-in-test.ts'

type Issued = Webhook & { secret: string }

describe.each(engines)('webhooks on %s', (engine) => {
  managing(engine, { env: { WEBHOOK_ALLOW: '127.0.0.1' } })

  const create = (url: string, more: object = {}) =>
    store.send<Issued>('POST', '/webhooks', { url, ...more }, 201)
  const add = (name: string) => store.send<Animal>('POST', '/pets', { name, categoryId: 1 }, 201)
  const remove = (id: string) => store.manage(`/webhooks/${id}`, { method: 'DELETE' })

  it('are created with a secret that is shown once and used for signing', async () => {
    const receiver = await startReceiver()
    const made = await create(receiver.url, { label: 'mine', events: ['pet.created'] })
    expect(made).toMatchObject({ label: 'mine', events: ['pet.created'], state: 'active' })
    await add('Rex')
    const [message] = (await receiver.took(1)) as [Received]
    expect(await isSigned(message, made.secret)).toBe(true)
    const list = await store.manage('/webhooks')
    expect(list.text).toContain(made.id)
    expect(list.text).not.toContain(made.secret)
    expect((await remove(made.id)).status).toBe(204)
    expect((await remove(made.id)).json).toMatchObject({ code: 'webhook_not_found' })
  })

  it('are tested, and the response is shown', async () => {
    const receiver = await startReceiver()
    const { id } = await create(receiver.url)
    const test = () => store.send('POST', `/webhooks/${id}/test`, undefined)
    expect(await test()).toMatchObject({ status: 204, error: null })
    expect(receiver.received).toMatchObject([{ type: 'webhook.test', data: { webhookId: id } }])
    receiver.reply = answerWith(503)
    expect(await test()).toMatchObject({ status: 503, error: 'answered 503' })
    await remove(id)
  })

  it('are disabled, changed, and enabled again', async () => {
    const [first, second] = [await startReceiver(), await startReceiver()]
    const { id } = await create(first.url)
    const change = (body: object) => store.send<Webhook>('PATCH', `/webhooks/${id}`, body)
    expect(await change({ disabled: true })).toMatchObject({
      state: 'disabled',
      disabledReason: 'by hand',
    })
    await add('Unheard')
    const changed = await change({ url: second.url, events: ['pet.created'], disabled: false })
    expect(changed).toMatchObject({ url: second.url, events: ['pet.created'], state: 'active' })
    const { id: petId } = await add('Heard')
    await store.send('PATCH', `/pets/${petId}`, { name: 'Not told' })
    const { id: last } = await add('Heard, too')
    const received = await second.took(2)
    expect(received.map(({ data }) => data.id).sort()).toEqual([petId, last])
    expect(first.received).toEqual([])
    expect(await change({ events: null })).toMatchObject({ events: null })
    await remove(id)
  })

  it('list their deliveries in pages, and redeliver one', async () => {
    const receiver = await startReceiver()
    const { id } = await create(receiver.url)
    const path = `/webhooks/${id}/deliveries`
    for (let i = 0; i < 5; i++) await add(`No. ${i}`)
    await receiver.took(5)
    const { items: list } = await eventually(
      () => store.get<{ items: Delivery[] }>(path),
      ({ items }) => items.every(({ state }) => state === 'delivered'),
    )
    expect(list).toHaveLength(5)
    expect(list[0]?.attempts).toMatchObject([{ attempt: 1, status: 204, error: null }])
    const walked = (await walkPages<Delivery>(store.get, `${path}?limit=2`)).flat()
    for (const { attempts } of walked) expect(attempts).toHaveLength(1)
    expect(walked.map((delivery) => delivery.id)).toEqual(list.map((delivery) => delivery.id))
    expect(await store.get(`${path}?failed=true`)).toEqual({ items: [], next: null })

    const oldest = list.at(-1) as Delivery
    const redeliveryPath = `${path}/${oldest.eventId}/redeliver`
    expect((await store.manage(redeliveryPath, { method: 'POST' })).status).toBe(204)
    const all = await receiver.took(6)
    expect(all.at(-1)?.id).toBe(oldest.eventId)
    const unknown = await store.manage(`${path}/msg_x/redeliver`, { method: 'POST' })
    expect(unknown.json).toMatchObject({ code: 'delivery_not_found' })
    await remove(id)
  })

  it.each([
    [{}, 'url'],
    [{ url: 'ftp://example.com' }, 'url'],
    [{ url: 'https://10.0.0.1/' }, 'url'],
    [{ url: 'http://127.0.0.1/', events: ['pet.eaten'] }, 'events[0]'],
    [{ url: 'http://127.0.0.1/', label: 'a\u0007' }, 'label'],
  ])('are refused with the field: %j', async (body, path) => {
    const { json } = await store.manage('/webhooks', { body })
    expect(json).toMatchObject({ code: 'invalid_body', details: [{ path }] })
  })

  it('are not changed to a forbidden destination', async () => {
    const receiver = await startReceiver()
    const { id } = await create(receiver.url)
    const change = { method: 'PATCH', body: { url: 'https://192.168.0.1/' } }
    const refused = await store.manage(`/webhooks/${id}`, change)
    expect(refused).toMatchObject(refusal(400, 'invalid_body', 'url'))
    const { items } = await store.get<{ items: Webhook[] }>('/webhooks')
    expect(items.find((webhook) => webhook.id === id)?.url).toBe(receiver.url)
    await remove(id)
  })

  it('belong to one environment', async () => {
    const receiver = await startReceiver()
    const { id } = await create(receiver.url)
    const elsewhere = await store.manage(`/store/staging/webhooks/${id}/test`, { method: 'POST' })
    expect(elsewhere.json).toMatchObject({ code: 'webhook_not_found' })
    await remove(id)
  })
})
