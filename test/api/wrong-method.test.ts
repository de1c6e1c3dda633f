// Without a matching operation the body does not matter: 405 and 404 take precedence over all errors of a body.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningStore, startStore } from '../running-store.ts'

let store: RunningStore
beforeAll(async () => {
  store = await startStore('sqlite')
})
afterAll(() => store.release())

describe.each([
  ['without a body', {}],
  ['with a body of another type', { body: 'x', headers: { 'content-type': 'text/plain' } }],
  ['with a body that is not JSON', { body: '{' }],
  ['with a body that is too large', { body: ' '.repeat(100_000) }],
])('%s', (_, options) => {
  it.each(['PUT', 'DELETE', 'PATCH', 'QUERY', 'PROPFIND'])('%s /pets is a 405', async (method) => {
    const answer = await store.ask('/pets', { method, ...options })
    expect(answer).toMatchObject({ status: 405, json: { code: 'method_not_allowed' } })
    expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS, POST')
  })

  it.each(['POST', 'QUERY'])('%s of an unknown path is a 404', async (method) => {
    const answer = await store.ask('/nowhere', { method, ...options })
    expect(answer).toMatchObject({ status: 404, json: { code: 'route_not_found' } })
  })
})

it('a Content-Encoding is checked only if a body is read', async () => {
  const headers = { 'content-encoding': 'gzip' }
  expect((await store.ask('/pets', { headers })).status).toBe(200)
  expect((await store.ask('/pets', { body: 'x', headers })).status).toBe(415)
})
