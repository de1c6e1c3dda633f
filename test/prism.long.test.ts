// Prism, as a validating proxy, reports no violations in a client's requests and the responses; for an invalid request
// it reports the request, not the response. Limits of Prism:
// - It parses JSON numbers as doubles, treats int64 as the range of safe integers, and serializes what it forwards, so
//   that digits beyond 2^53 change: see `int64` below.
// - It never responds to a request whose body is not JSON, so none is sent here.
// - It supports only the methods of the document, so there is no HEAD and no OPTIONS here.
// In npm test: test/openapi.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AskOptions, type RunningStore, startStore } from './running-store.ts'
import { startValidatingProxy, type ValidatingProxy } from './validating-proxy.ts'

let store: RunningStore
const strict: Partial<Record<'production' | 'staging', ValidatingProxy>> = {}
let reporting: ValidatingProxy

beforeAll(async () => {
  // One host, because not every machine resolves *.localhost.
  const env = { STAGING_BASE_URL: 'http://localhost:0/staging/v1' }
  store = await startStore('sqlite', { env })
  const { baseUrl, keys } = store
  const [production, staging, third] = await Promise.all([
    startValidatingProxy(baseUrl.production, keys.production, true),
    startValidatingProxy(baseUrl.staging, keys.staging, true),
    startValidatingProxy(baseUrl.production, keys.production, false),
  ])
  Object.assign(strict, { production, staging })
  reporting = third
})

afterAll(async () => {
  const proxies = [...Object.values(strict), reporting].filter((proxy) => proxy !== undefined)
  await Promise.all(proxies.map((proxy) => proxy.stop()))
  await store?.release()
})

describe.each(['production', 'staging'] as const)('no violations in %s', (environment) => {
  /** Sends a request through Prism and checks that the response is the server's. */
  async function pass(path: string, status: number, options?: AskOptions) {
    const answer = await (strict[environment] as ValidatingProxy).ask(path, options)
    expect(answer).toMatchObject({ status, violations: [] })
    expect(answer.headers).toHaveProperty('x-request-id')
    return answer
  }
  const pathOf = (url: string): string => url.slice(store.baseUrl[environment].length)

  it('when animals are added, and added again', async () => {
    const bodies = [
      { name: 'Rex', categoryId: 7 },
      { name: '𝓜𝓲𝓪', categoryId: -Number.MAX_SAFE_INTEGER, status: 'sold' },
      { name: 'Otto', categoryId: 0, status: 'pending', id: 5, colour: null },
    ]
    for (const [index, body] of bodies.entries()) {
      const headers = { 'idempotency-key': `prism-${index}` }
      const added = await pass('/pets', 201, { body, headers })
      const { colour: _, ...sent } = { colour: null, ...body }
      const { id } = added.json as { id: number }
      expect(added.json).toEqual({ status: 'available', ...sent, id })
      const again = await pass('/pets', 201, { body, headers })
      expect(again.json).toEqual(added.json)
      expect(again.headers['idempotent-replayed']).toBe('true')
      const found = await pass(pathOf(added.headers.location as string), 200)
      expect(found.json).toEqual(added.json)
    }
    const other = {
      body: { name: 'Other', categoryId: 1 },
      headers: { 'idempotency-key': 'prism-0' },
    }
    await pass('/pets', 422, other)
  })

  it('when all pages are read, forward and backward', async () => {
    const ids: number[] = []
    let next: string | undefined = '/pets?limit=2'
    let prev: string | undefined
    while (next) {
      const page = await pass(next, 200, { headers: { prefer: 'count=exact' } })
      ids.push(...(page.json as { id: number }[]).map(({ id }) => id))
      const total = Number(page.headers['x-total-count'])
      const link = page.headers.link as string
      next = /<([^>]+)>; rel="next"/.exec(link)?.[1]
      prev = /<([^>]+)>; rel="prev"/.exec(link)?.[1]
      if (next) next = pathOf(next)
      else expect(ids).toHaveLength(total)
    }
    expect(new Set(ids).size).toBe(ids.length)
    const before = await pass(pathOf(prev as string), 200)
    expect(before.json).toHaveLength(2)
  })

  it('when the list is filtered', async () => {
    const sold = await pass('/pets?status=sold&limit=100', 200)
    expect((sold.json as { status: string }[]).every(({ status }) => status === 'sold')).toBe(true)
    const some = await pass('/pets?id=2,1,999999', 200)
    expect((some.json as { id: number }[]).map(({ id }) => id)).toEqual([1, 2])
  })

  it('when an animal is requested again, and a missing one', async () => {
    const { headers } = await pass('/pets/1', 200)
    expect(headers).toMatchObject({ deprecation: '@1764892800' })
    await pass('/pets/1', 304, { headers: { 'if-none-match': headers.etag as string } })
    await pass('/pets', 304, { headers: { 'if-none-match': '*' } })
    await pass('/pets/1000000', 404)
  })

  const newPet = async (status = 'available'): Promise<number> => {
    const { json } = await pass('/pets', 201, { body: { name: 'Rex', categoryId: 7, status } })
    return (json as { id: number }).id
  }

  it('when an animal is changed and deleted', async () => {
    const path = `/pets/${await newPet()}`
    const patch = (body: object, status: number, headers = {}) =>
      pass(path, status, { method: 'PATCH', body, headers })
    const mergePatch = { 'content-type': 'application/merge-patch+json' }
    const named = await patch({ name: 'Otto', status: null }, 200, mergePatch)
    expect(named.json).toMatchObject({ name: 'Otto', status: 'available' })
    const { etag = '' } = named.headers
    const sold = await patch({ status: 'sold' }, 200, { ...mergePatch, 'if-match': etag })
    await patch({ name: 'Late' }, 412, { 'if-match': etag })
    await pass(path, 412, { method: 'DELETE', headers: { 'if-match': etag } })
    const headers = { 'if-match': sold.headers.etag as string, 'idempotency-key': path }
    await pass(path, 204, { method: 'DELETE', headers })
    const again = await pass(path, 204, { method: 'DELETE', headers })
    expect(again.headers['idempotent-replayed']).toBe('true')
    await pass(path, 404, { method: 'DELETE' })
    await patch({ name: 'Gone' }, 404)
  })

  it('when categories are managed', async () => {
    const { headers, json } = await pass('/categories', 201, { body: { name: 'Turtles' } })
    const path = pathOf(headers.location as string)
    expect((await pass(path, 200)).json).toEqual(json)
    const renamed = await pass(path, 200, { method: 'PATCH', body: { name: 'Tortoises' } })
    await pass(path, 304, { headers: { 'if-none-match': renamed.headers.etag as string } })
    await pass('/categories?limit=1', 200, { headers: { prefer: 'count=exact' } })
    await pass(path, 412, { method: 'DELETE', headers: { 'if-match': headers.etag as string } })
    await pass(path, 204, { method: 'DELETE' })
    await pass(path, 404)
  })

  it('when animals are ordered', async () => {
    const petId = await newPet()
    const place = (status: number) => pass('/store/orders', status, { body: { petId } })
    const { headers, json } = await place(201)
    await place(409)
    const path = pathOf(headers.location as string)
    expect((await pass(path, 200)).json).toEqual(json)
    const move = (verb: string, status: number) =>
      pass(`${path}/${verb}`, status, { method: 'POST' })
    await pass(`/pets/${petId}`, 409, { method: 'DELETE' })
    await move('approve', 200)
    await move('approve', 409)
    await move('cancel', 200)
    const { json: second } = await place(201)
    const { id } = second as { id: number }
    await pass(`/store/orders/${id}/deliver`, 200, { method: 'POST' })
    const ofPet = await pass(`/store/orders?petId=${petId}`, 200)
    expect(ofPet.json).toMatchObject([{ status: 'cancelled' }, { status: 'delivered' }])
    await pass('/store/orders?status=delivered&limit=1', 200)
    await pass('/store/orders/1000000', 404)
    await pass('/store/orders', 404, { body: { petId: 1_000_000 } })
  })

  it('when animals are imported', async () => {
    const body = [{ name: 'Rex', categoryId: 7 }]
    const load = (query: string, status: number, options: AskOptions) =>
      pass(`/pets/import${query}`, status, { method: 'POST', ...options })
    expect((await load('', 200, { body })).json).toMatchObject({ imported: 1 })
    expect((await load('?dryRun=true', 200, { body })).json).toMatchObject({ dryRun: true })
    const csv = { 'content-type': 'text/csv' }
    const good = { body: 'name,categoryId\r\nRex,7\r\n', headers: csv }
    expect((await load('', 200, good)).json).toMatchObject({ imported: 1 })
    const wrong = { body: 'name,categoryId\r\nRex,seven\r\n', headers: csv }
    expect((await load('?dryRun=true', 200, wrong)).json).toMatchObject({ rejected: 1 })
    await load('', 400, wrong)
    const ndjson = { 'content-type': 'application/x-ndjson' }
    await load('', 200, { body: '{"name":"Rex","categoryId":7}\n', headers: ndjson })
  })

  it('when the server refuses what the document allows', async () => {
    const wrong = environment === 'production' ? store.keys.staging : store.keys.production
    await pass('/pets', 401, { key: wrong })
    await pass('/pets/1', 401, { key: 'unknown' })
    await pass('/pets', 401, { key: 'unknown', body: { name: 'Rex', categoryId: 7 } })
    await pass('/pets', 406, { headers: { accept: 'text/html' } })
    await pass('/pets?cursor=abc', 400)
  })
})

const rex = { name: 'Rex', categoryId: 7 }

describe('Prism reports an invalid request, but not its response', () => {
  it.each<[what: string, path: string, options: AskOptions, status: number, objections: string[]]>([
    ['no key', '/pets', { key: null }, 401, ['request 401']],
    ['limit=0', '/pets?limit=0', {}, 400, ['request.query.limit minimum']],
    ['limit=101', '/pets?limit=101', {}, 400, ['request.query.limit maximum']],
    ['limit=x', '/pets?limit=x', {}, 400, ['request.query.limit type']],
    ['status=gone', '/pets?status=gone', {}, 400, ['request.query.status enum']],
    ['id=x', '/pets?id=x', {}, 400, ['request.query.id.0 type']],
    ['petId x', '/pets/x', {}, 404, ['request.path.petid type']],
    ['no name', '/pets', { body: { categoryId: 7 } }, 400, ['request.body required']],
    [
      'a long name',
      '/pets',
      { body: { ...rex, name: 'x'.repeat(256) } },
      400,
      ['request.body.name maxLength'],
    ],
    [
      'a blank name',
      '/pets',
      { body: { ...rex, name: ' \u3000' } },
      400,
      ['request.body.name pattern'],
    ],
    [
      'a fraction',
      '/pets',
      { body: { ...rex, categoryId: 1.5 } },
      400,
      ['request.body.categoryId type', 'request.body.categoryId format'],
    ],
    [
      'an unknown status',
      '/pets',
      { body: { ...rex, status: 'x' } },
      400,
      ['request.body.status enum'],
    ],
    [
      'text',
      '/pets',
      { body: 'x', headers: { 'content-type': 'text/plain' } },
      415,
      ['request 415'],
    ],
    [
      'a key with a space',
      '/pets',
      { body: rex, headers: { 'idempotency-key': 'a b' } },
      400,
      ['request.header.idempotency-key pattern'],
    ],
    [
      'a patch that is a list',
      '/pets/1',
      { method: 'PATCH', body: [] },
      400,
      ['request.body type'],
    ],
    [
      'a patch that removes the name',
      '/pets/1',
      { method: 'PATCH', body: { name: null } },
      400,
      ['request.body.name type'],
    ],
    ['no name', '/categories', { body: {} }, 400, ['request.body required']],
    ['no animal', '/store/orders', { body: {} }, 400, ['request.body required']],
    ['an unknown state', '/store/orders?status=gone', {}, 400, ['request.query.status enum']],
    [
      'an invalid dry run',
      '/pets/import?dryRun=1',
      { body: [] },
      400,
      ['request.query.dryrun enum'],
    ],
  ])('%s', async (_, path, options, status, objections) => {
    const answer = await reporting.ask(path, options)
    expect(answer).toMatchObject({ status, violations: objections })
    expect(answer.json).toMatchObject({ code: expect.any(String), status })
  })
})

describe('int64 exceeds the range of Prism', () => {
  const large = '{"name":"Large","categoryId":9223372036854775807}'

  it('Prism reports a large categoryId in a request', async () => {
    const answer = await strict.production?.ask('/pets', { body: large })
    expect(answer).toMatchObject({ status: 422, violations: ['body.categoryId maximum'] })
  })

  it('Prism reports a large categoryId in a response, which the server returns exactly', async () => {
    const added = await store.ask('/pets', { body: large })
    const { id } = added.json as { id: number }
    const exact = `{"id":${id},"name":"Large","categoryId":9223372036854775807,"status":"available"}`
    expect(added.text).toBe(exact)
    expect((await store.ask(`/pets/${id}`)).text).toBe(exact)
    const answer = await reporting.ask(`/pets/${id}`)
    expect(answer).toMatchObject({ status: 200, violations: ['response.body.categoryId maximum'] })
    expect(answer.text).toBe(exact.replace('9223372036854775807', '9223372036854776000'))
  })

  it('Prism reports a large id in a path, which the server does not find', async () => {
    const one = await reporting.ask('/pets/9223372036854775807')
    expect(one).toMatchObject({ status: 404, violations: ['request.path.petid maximum'] })
    const many = await reporting.ask('/pets?id=9223372036854775807')
    expect(many).toMatchObject({
      status: 200,
      violations: ['request.query.id.0 maximum'],
      json: [],
    })
  })
})
