// Orders reserve animals: only one order can have an animal, and every change of an order changes its animal.

import { describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import { type Answer, refusal } from '../running-store.ts'
import { countAt, createdId, newKey, serving, store } from './serving.ts'

describe.each(engines)('orders on %s', (engine) => {
  serving(engine)

  const newPet = (status = 'available') =>
    createdId('/pets', { name: 'Rex', categoryId: 7, status })
  const place = (petId: number, headers = {}): Promise<Answer> =>
    store.ask('/store/orders', { body: { petId }, headers })
  const move = (orderId: number, verb: string): Promise<Answer> =>
    store.ask(`/store/orders/${orderId}/${verb}`, { method: 'POST' })
  const statusOf = async (petId: number): Promise<unknown> =>
    ((await store.ask(`/pets?id=${petId}`)).json as { status: string }[])[0]?.status

  it('are placed on available animals, which become pending', async () => {
    const petId = await newPet()
    const response = await place(petId)
    const { id } = response.json as { id: number }
    const createdAt = new Date(store.clock.now).toISOString()
    expect(response).toMatchObject({
      status: 201,
      json: { id, petId, status: 'placed', createdAt },
    })
    expect(response.headers.location).toBe(`${store.baseUrl.production}/store/orders/${id}`)
    expect(await statusOf(petId)).toBe('pending')
    expect((await store.ask(`/store/orders/${id}`)).text).toBe(response.text)
  })

  it.each(['pending', 'sold'])('are refused for an animal that is %s', async (status) => {
    const response = await place(await newPet(status))
    expect(response).toMatchObject(refusal(409, 'pet_not_available'))
  })

  it('are refused for a missing animal', async () => {
    expect((await place(999_999)).json).toMatchObject({ code: 'pet_not_found', status: 404 })
  })

  it.each([
    [['approve'], 'approved', 'pending'],
    [['deliver'], 'delivered', 'sold'],
    [['cancel'], 'cancelled', 'available'],
    [['approve', 'deliver'], 'delivered', 'sold'],
    [['approve', 'cancel'], 'cancelled', 'available'],
  ])('go %j to %s, and the animal is %s', async (verbs, status, petStatus) => {
    const petId = await newPet()
    const { id } = (await place(petId)).json as { id: number }
    for (const verb of verbs) expect((await move(id, verb)).status).toBe(200)
    expect((await store.ask(`/store/orders/${id}`)).json).toMatchObject({ id, petId, status })
    expect(await statusOf(petId)).toBe(petStatus)
  })

  it.each([
    [['approve', 'approve'], 'already approved.'],
    [['deliver', 'cancel'], 'delivered and cannot become cancelled.'],
    [['cancel', 'deliver'], 'cancelled and cannot become delivered.'],
    [['cancel', 'cancel'], 'already cancelled.'],
  ])('name the allowed states after %j', async (verbs, words) => {
    const { id } = (await place(await newPet())).json as { id: number }
    const [first, second] = verbs as [string, string]
    await move(id, first)
    const response = await move(id, second)
    expect(response).toMatchObject(refusal(409, 'conflict'))
    expect((response.json as { message: string }).message).toBe(`Order ${id} is ${words}`)
  })

  it('reserve their animal while they are open', async () => {
    const petId = await newPet()
    const { id } = (await place(petId)).json as { id: number }
    const patch = (body: object): Promise<Answer> =>
      store.ask(`/pets/${petId}`, { method: 'PATCH', body })
    const held = {
      status: 409,
      json: { code: 'conflict', message: expect.stringContaining(`Order ${id} `) },
    }
    expect(await patch({ status: 'sold' })).toMatchObject(held)
    expect(await store.ask(`/pets/${petId}`, { method: 'DELETE' })).toMatchObject(held)
    expect((await patch({ name: 'Renamed', status: 'pending' })).status).toBe(200)
    await move(id, 'cancel')
    expect((await patch({ status: 'sold' })).status).toBe(200)
  })

  it('are listed by state and by animal, in pages, with counts', async () => {
    const petId = await newPet()
    for (let i = 0; i < 3; i++) {
      const { id } = (await place(petId)).json as { id: number }
      await move(id, 'cancel')
    }
    await place(petId)
    const ask = (query: string): Promise<Answer> =>
      store.ask(`/store/orders?${query}`, { headers: { prefer: 'count=exact' } })
    const cancelled = await ask(`petId=${petId}&status=cancelled&limit=2`)
    expect(cancelled.json).toMatchObject([{ status: 'cancelled' }, { petId }])
    expect(cancelled.headers['x-total-count']).toBe('3')
    expect(cancelled.headers.link).toMatch(/petId=\d+&cursor=[\w-]+>; rel="next"/)
    expect((await ask(`petId=${petId}`)).headers['x-total-count']).toBe('4')
    const before = await countAt('/store/orders?status=placed')
    await place(await newPet())
    expect(await countAt('/store/orders?status=placed')).toBe(before + 1)
    expect((await ask('status=lost')).json).toMatchObject({ code: 'invalid_parameter' })
  })

  it('need their own scopes', async () => {
    const { text: reader } = await newKey({ scopes: ['orders:read', 'pets:write'] })
    const { text: writer } = await newKey({ scopes: ['orders:write', 'pets:read'] })
    const body = { petId: 1 }
    expect((await store.ask('/store/orders', { key: reader })).status).toBe(200)
    expect((await store.ask('/store/orders', { key: reader, body })).status).toBe(403)
    expect((await store.ask('/store/orders', { key: writer })).status).toBe(403)
    expect((await store.ask('/store/orders', { key: writer, body })).status).not.toBe(403)
    expect((await store.ask('/pets/1', { key: writer, method: 'DELETE' })).status).toBe(403)
  })
})
