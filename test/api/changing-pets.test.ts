// PATCH and DELETE /pets/{petId}: merge patches, If-Match, open orders, and ids that are never reused.
import { describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import { type Answer, refusal } from '../running-store.ts'
import { countAt, serving, store } from './serving.ts'

describe.each(engines)('changing an animal on %s', (engine) => {
  serving(engine)

  const create = async (pet: object): Promise<{ id: number } & Record<string, unknown>> =>
    (await store.ask('/pets', { body: pet })).json as { id: number }
  const patch = (id: number | string, body: unknown, headers = {}): Promise<Answer> =>
    store.ask(`/pets/${id}`, { method: 'PATCH', body, headers })
  const remove = (id: number | string, headers = {}): Promise<Answer> =>
    store.ask(`/pets/${id}`, { method: 'DELETE', headers })
  const total = () => countAt('/pets?status=sold')

  it.each([
    [{ name: 'Max' }, { name: 'Max', categoryId: 7, status: 'pending' }],
    [{ status: 'sold' }, { name: 'Rex', categoryId: 7, status: 'sold' }],
    [{ status: null }, { name: 'Rex', categoryId: 7, status: 'available' }],
    [
      { id: 99, colour: 'red' },
      { name: 'Rex', categoryId: 7, status: 'pending' },
    ],
    [{}, { name: 'Rex', categoryId: 7, status: 'pending' }],
  ])('applies the merge patch %j', async (body, expected) => {
    const { id } = await create({ name: 'Rex', categoryId: 7, status: 'pending' })
    const response = await patch(id, body)
    expect(response).toMatchObject({ status: 200, json: { id, ...expected } })
    const found = await store.ask(`/pets/${id}`)
    expect(found.text).toBe(response.text)
    expect(found.headers.etag).toBe(response.headers.etag)
  })

  it('stores all digits of a categoryId', async () => {
    const { id } = await create({ name: 'Rex', categoryId: 7 })
    const response = await patch(id, '{"categoryId":-9223372036854775808}')
    expect(response.text).toContain('"categoryId":-9223372036854775808')
  })

  it.each([
    [{ name: null }, 'name'],
    [{ name: ' ' }, 'name'],
    [{ categoryId: 1.5 }, 'categoryId'],
    [{ status: 'lost' }, 'status'],
    [[], ''],
  ])('refuses %j, naming the field', async (body, path) => {
    const { id } = await create({ name: 'Rex', categoryId: 7 })
    const response = await patch(id, body)
    expect(response).toMatchObject(refusal(400, 'invalid_body'))
    expect((response.json as { details: unknown[] }).details).toMatchObject([{ path }])
  })

  it('accepts application/merge-patch+json, unlike POST', async () => {
    const { id } = await create({ name: 'Rex', categoryId: 7 })
    const headers = { 'content-type': 'application/merge-patch+json' }
    expect((await patch(id, { name: 'Max' }, headers)).status).toBe(200)
    const response = await store.ask('/pets', { body: { name: 'Rex', categoryId: 7 }, headers })
    expect(response).toMatchObject(refusal(415, 'unsupported_media_type'))
  })

  it('compares If-Match with the current record', async () => {
    const created = await store.ask('/pets', { body: { name: 'Rex', categoryId: 7 } })
    const { id } = created.json as { id: number }
    const etag = created.headers.etag ?? ''
    const first = await patch(id, { name: 'Max' }, { 'if-match': `"other", ${etag}` })
    expect(first.status).toBe(200)
    for (const stale of [etag, '"x"', `W/${first.headers.etag}`]) {
      const response = await patch(id, { name: 'Moritz' }, { 'if-match': stale })
      expect(response).toMatchObject(refusal(412, 'precondition_failed'))
      expect((await remove(id, { 'if-match': stale })).status).toBe(412)
    }
    expect((await store.ask(`/pets/${id}`)).json).toMatchObject({ name: 'Max' })
    expect((await remove(id, { 'if-match': '*' })).status).toBe(204)
    expect((await patch(id, {}, { 'if-match': '*' })).status).toBe(404)
  })

  it('deletes once, and never reuses the id', async () => {
    const { id } = await create({ name: 'Rex', categoryId: 7 })
    const response = await remove(id)
    expect(response).toMatchObject({ status: 204, text: '' })
    expect(response.headers['content-length']).toBeUndefined()
    expect((await remove(id)).json).toMatchObject({ code: 'pet_not_found', status: 404 })
    expect((await store.ask(`/pets/${id}`)).status).toBe(404)
    expect((await create({ name: 'Next', categoryId: 7 })).id).toBeGreaterThan(id)
  })

  it('updates the counts', async () => {
    const before = await total()
    const { id } = await create({ name: 'Rex', categoryId: 7 })
    await patch(id, { status: 'sold' })
    expect(await total()).toBe(before + 1)
    await patch(id, { status: 'sold' })
    expect(await total()).toBe(before + 1)
    await remove(id)
    expect(await total()).toBe(before)
  })

  it('replays a patch and a deletion for their idempotency keys', async () => {
    const { id } = await create({ name: 'Rex', categoryId: 7 })
    const headers = { 'idempotency-key': `patch-${id}` }
    const first = await patch(id, { name: 'Max' }, headers)
    await patch(id, { name: 'Moritz' })
    const again = await patch(id, { name: 'Max' }, headers)
    expect(again.text).toBe(first.text)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect((await patch(id, { name: 'Other' }, headers)).status).toBe(422)
    const removal = { 'idempotency-key': `remove-${id}` }
    expect((await remove(id, removal)).status).toBe(204)
    expect((await remove(id, removal)).headers['idempotent-replayed']).toBe('true')
  })

  it('is visible to the next read, even if a page was cached before', async () => {
    const { id } = await create({ name: 'Rex', categoryId: 7 })
    for (const name of ['A', 'B', 'C']) {
      await store.ask(`/pets/${id}`)
      await patch(id, { name })
      expect((await store.ask(`/pets/${id}`)).json).toMatchObject({ name })
      expect((await store.ask(`/pets?id=${id}`)).json).toMatchObject([{ name }])
    }
  })

  it.each(['0', '-1', 'x', '01', '9223372036854775808'])(
    'returns 404 for animal %s',
    async (id) => {
      expect((await patch(id, {})).json).toMatchObject({ code: 'pet_not_found' })
      expect((await remove(id)).json).toMatchObject({ code: 'pet_not_found' })
    },
  )
})
