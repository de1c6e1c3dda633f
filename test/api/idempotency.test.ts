// Idempotency-Key: one animal for any number of retries, and the same response byte for byte.

import { describe, expect, it } from 'vitest'
import { rotateKey } from '#store/keys/keys.ts'
import { engines } from '../database.ts'
import { query } from '../query.ts'
import type { Answer } from '../running-store.ts'
import { newKey, origin, production, serving, store } from './serving.ts'

const hourMs = 3_600_000
const rex = { name: 'Rex', categoryId: 1 }

describe.each(engines)('idempotency on %s', (engine) => {
  serving(engine)

  const add = (idempotencyKey: string | string[], body: unknown = rex, key?: string) =>
    store.ask('/pets', {
      body,
      headers: { 'idempotency-key': idempotencyKey },
      ...(key && { key }),
    })
  const code = ({ status, json }: Answer) => `${status} ${(json as { code: string }).code}`
  const isReplay = ({ status, headers }: Answer) =>
    status === 201 && headers['idempotent-replayed'] === 'true'

  it('replays the response byte for byte', async () => {
    const body = { name: 'Žofka 🐢', categoryId: 3, status: 'sold' }
    const first = await add('one', body)
    expect(first.status).toBe(201)
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    for (let i = 0; i < 2; i++) {
      const again = await add('one', body)
      expect(isReplay(again)).toBe(true)
      expect(again.text).toBe(first.text)
      for (const name of ['location', 'etag', 'content-type', 'content-length']) {
        expect(again.headers[name]).toBe(first.headers[name])
      }
    }
    const { id } = first.json as { id: number }
    expect((await add('another', body)).json).toMatchObject({ id: id + 1 })
  })

  it('422 for a different body, and nothing is stored; the same body may be written in another way', async () => {
    const first = await add('two')
    expect(code(await add('two', { ...rex, name: 'Bo' }))).toBe('422 idempotency_key_reused')
    const other = JSON.stringify({ tag: 1, ...Object.fromEntries(Object.entries(rex).reverse()) })
    expect((await add('two', `${other.replace('e', '\\u0065')} `)).text).toBe(first.text)
    expect((await add('two')).text).toBe(first.text)
    expect((await add('three')).json).toMatchObject({ id: (first.json as { id: number }).id + 1 })
  })

  it('stores it for 24 hours by the clock', async () => {
    const first = await add('day')
    store.clock.now += 24 * hourMs - 1
    expect((await add('day')).text).toBe(first.text)
    await store.running.store.maintain()
    expect((await add('day')).text).toBe(first.text)
    store.clock.now += 1
    const later = await add('day', { ...rex, name: 'Bo' })
    expect([later.status, isReplay(later)]).toEqual([201, false])
    expect(isReplay(await add('day', { ...rex, name: 'Bo' }))).toBe(true)
  })

  it('deletes older ones', async () => {
    await add('old')
    store.clock.now += 24 * hourMs + 1
    await store.running.store.maintain()
    expect(await query(store.place, 'production', 'select 1 from idempotency_keys')).toEqual([])
  })

  it('stores only successful responses', async () => {
    for (const [body, status] of [
      ['{', 400],
      [{ name: 'Rex' }, 400],
    ]) {
      expect((await add('failed', body)).status).toBe(status)
    }
    const body = JSON.stringify(rex)
    const headers = { 'idempotency-key': 'failed', 'content-type': 'text/plain' }
    expect((await store.ask('/pets', { body, headers })).status).toBe(415)
    const first = await add('failed')
    expect([first.status, isReplay(first)]).toEqual([201, false])
  })

  it.each([
    ['nothing', ''],
    ['256 characters', 'x'.repeat(256)],
    ['a space inside', 'a b'],
    ['not ASCII', 'caf\u00e9'],
    ['half a quoted string', '"abc'],
    ['two fields', ['a', 'b']],
    ['the same header twice', ['a', 'a']],
  ])('400 invalid_idempotency_key: %s', async (_, key) => {
    expect(code(await add(key))).toBe('400 invalid_idempotency_key')
  })

  it('accepts 255 characters, and a quoted string as its content', async () => {
    expect((await add('~'.repeat(255))).status).toBe(201)
    const first = await add('quoted')
    expect((await add('"quoted"')).text).toBe(first.text)
  })

  it('belongs to the API key, the keys that replace it by rotation, and the environment', async () => {
    const { key, text } = await newKey()
    const other = await newKey()
    const first = await add('mine', rex, text)
    const rotated = await rotateKey(production(), 'production', key.id, 0, origin())
    expect((await add('mine', rex, text)).status).toBe(401)
    expect((await add('mine', rex, rotated?.text)).text).toBe(first.text)
    expect(isReplay(await add('mine', rex, other.text))).toBe(false)
    expect(isReplay(await add('mine'))).toBe(false)
    const staging = { body: rex, headers: { 'idempotency-key': 'mine' } }
    expect(isReplay(await store.askStaging('/pets', staging))).toBe(false)
  })

  it('is ignored on a GET', async () => {
    const headers = { 'idempotency-key': ' '.repeat(3) }
    expect((await store.ask('/pets', { headers })).status).toBe(200)
  })
})
