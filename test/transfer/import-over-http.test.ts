// POST /pets/import: all or nothing, limited in size, in three formats, with the same checks as POST /pets.

import { describe, expect, it } from 'vitest'
import { countAt, newKey, serving, store } from '../api/serving.ts'
import { engines } from '../database.ts'
import { readLinkedPages } from '../linked-pages.ts'
import { type Answer, refusal } from '../running-store.ts'

interface Failure {
  code: string
  details: { path: string; message: string }[]
}

const csv = { 'content-type': 'text/csv' }
const none = { dryRun: false, checked: 0, imported: 0, rejected: 0, problems: [] }

describe.each(engines)('POST /pets/import on %s', (engine) => {
  serving(engine)

  const send = (body: string | Buffer, headers: Record<string, string> = csv, query = '') =>
    store.ask(`/pets/import${query}`, { body, headers })
  const last = async (n: number): Promise<unknown[]> =>
    (await readLinkedPages(store.ask, '/pets?limit=100'))
      .flatMap(({ json }) => json as unknown[])
      .slice(-n)

  const pet = { name: 'Zoë "Z", 猫', categoryId: 1, status: 'pending' }
  const big = '-9223372036854775808'
  it.each([
    ['text/csv', `status,name,categoryId\r\npending,"Zoë ""Z"", 猫",1\r\n,Mo,${big}\r\n`],
    [
      'text/csv; charset=utf-8',
      `name,categoryId,status\n"${pet.name.replaceAll('"', '""')}",1,pending\nMo,${big},`,
    ],
    ['application/x-ndjson', `${JSON.stringify(pet)}\n{"name":"Mo","categoryId":${big},"id":1}\n`],
    ['application/json', `[${JSON.stringify(pet)},\n{"name":"Mo","categoryId":${big}}]`],
  ])('adds the animals of %s in their order', async (type, body) => {
    const before = await countAt()
    const response = await send(body, { 'content-type': type })
    expect(response).toMatchObject({ status: 200, json: { ...none, checked: 2, imported: 2 } })
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      etag: expect.any(String),
    })
    expect(await countAt()).toBe(before + 2)
    const [first, second] = (await last(2)) as { id: number }[]
    expect(first).toMatchObject(pet)
    expect(second).toMatchObject({ id: (first?.id ?? 0) + 1, name: 'Mo', status: 'available' })
    const { text } = await store.ask(`/pets?id=${second?.id}`)
    expect(text).toContain(`"categoryId":${big},`)
  })

  it('adds nothing if any record is invalid, and names line and field of each problem', async () => {
    const before = await countAt()
    const response = await send('name,categoryId,status\nRex,1,\n,x,gone\nMia,1\n')
    expect(response.status).toBe(400)
    const { code, details } = response.json as Failure
    expect(code).toBe('invalid_body')
    expect(details).toEqual([
      { path: 'line 3: name', message: 'name must have 1 to 255 characters; it has 0.' },
      {
        path: 'line 3: categoryId',
        message: expect.stringMatching(/^categoryId must be an integer/),
      },
      { path: 'line 3: status', message: 'status must be one of: available, pending, sold.' },
      { path: 'line 4', message: 'The record has 2 fields; the header has 3.' },
    ])
    expect(await countAt()).toBe(before)
  })

  it('returns at most 100 problems, and the number of records', async () => {
    const { json } = await send(`name,categoryId\n${'x,y\n'.repeat(150)}`)
    expect((json as Failure).details).toHaveLength(100)
    expect(json).toMatchObject({ message: expect.stringMatching(/^150 of 150 records/) })
  })

  it('checks but stores nothing in a dry run', async () => {
    const before = await countAt()
    const good = await send('name,categoryId\nRex,1\n', csv, '?dryRun=true')
    expect(good).toMatchObject({ status: 200, json: { ...none, dryRun: true, checked: 1 } })
    const bad = await send('name,categoryId\nRex,1\nMia,x\n', csv, '?dryRun=true')
    const problems = [{ line: 3, path: 'categoryId' }]
    const json = { dryRun: true, checked: 2, imported: 0, rejected: 1, problems }
    expect(bad).toMatchObject({ status: 200, json })
    expect(await countAt()).toBe(before)
  })

  it('is executed once with an Idempotency-Key', async () => {
    const before = await countAt()
    const headers = { ...csv, 'idempotency-key': 'import-1' }
    const body = 'name,categoryId\nRex,1\nMia,2\n'
    const first = await send(body, headers)
    const again = await send(body, headers)
    expect(first).toMatchObject({ status: 200, json: { imported: 2 } })
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    expect(again).toMatchObject({
      status: 200,
      text: first.text,
      headers: { 'idempotent-replayed': 'true' },
    })
    expect(await countAt()).toBe(before + 2)
    expect((await send(`${body}Mo,1\n`, headers)).status).toBe(422)
    const ndjson = { ...headers, 'content-type': 'application/x-ndjson' }
    expect((await send('{"name":"a","categoryId":1}', ndjson)).status).toBe(422)
    expect(await countAt()).toBe(before + 2)
  })

  it('does not use up a key in a dry run or on an error', async () => {
    const headers = { ...csv, 'idempotency-key': 'import-2' }
    expect((await send('name,categoryId\nRex,1\n', headers, '?dryRun=true')).status).toBe(200)
    expect((await send('name,categoryId\nRex,x\n', headers)).status).toBe(400)
    expect((await send('name,categoryId\nRex,1\n', headers)).json).toMatchObject({ imported: 1 })
  })

  it('accepts 10,000 records in 1 MiB, and no more', async () => {
    const before = await countAt()
    const rows = (n: number) => `name,categoryId\n${'Rex,1\n'.repeat(n)}`
    expect((await send(rows(10_000))).json).toMatchObject({ imported: 10_000 })
    expect(await send(rows(10_001))).toMatchObject(refusal(413, 'body_too_large'))
    const full = Buffer.alloc(1024 * 1024, `${' '.repeat(1000)}\n`)
    full.write('{"name":"Rex","categoryId":1}\n')
    const ndjson = { 'content-type': 'application/x-ndjson' }
    expect((await send(full, ndjson)).json).toMatchObject({ imported: 1 })
    const over = await send(Buffer.concat([full, Buffer.from(' ')]), ndjson)
    expect(over).toMatchObject({
      status: 413,
      json: { message: 'The body must not exceed 1048576 bytes.' },
    })
    expect(await countAt()).toBe(before + 10_001)
  })
})

describe('the import', () => {
  serving('sqlite')

  const refused = (response: Answer) => `${response.status} ${(response.json as Failure).code}`
  const rex = 'name,categoryId\nRex,1\n'

  it('keeps the order of checks', async () => {
    const { text: reader } = await newKey({ scopes: ['pets:read'] })
    const long = ' '.repeat(1024 * 1024 + 1)
    const bad = { accept: 'text/html', 'content-type': 'text/plain', 'content-encoding': 'gzip' }
    const ask = (headers: object, body: string, more = {}) =>
      store.ask('/pets/import?dryRun=maybe', { headers: { ...headers }, body, ...more })
    expect(refused(await ask(bad, long, { key: null }))).toBe('401 missing_api_key')
    expect(refused(await ask(bad, long, { key: reader }))).toBe('403 insufficient_scope')
    expect(refused(await ask(bad, long))).toBe('406 not_acceptable')
    expect(refused(await ask({ 'content-type': 'text/plain' }, long))).toBe(
      '415 unsupported_media_type',
    )
    expect(refused(await ask({ ...csv, 'content-encoding': 'gzip' }, long))).toBe(
      '415 unsupported_content_encoding',
    )
    expect(refused(await ask(csv, long))).toBe('413 body_too_large')
    expect(refused(await ask(csv, rex))).toBe('400 invalid_parameter')
  })

  it('names the formats that it accepts', async () => {
    const types =
      'application/json, application/x-ndjson, application/ndjson, application/jsonl, text/csv'
    const { headers, json } = await store.ask('/pets/import', {
      body: rex,
      headers: { 'content-type': 'text/xml' },
    })
    expect(json).toMatchObject({
      message: `Send the body as Content-Type: ${types.replaceAll(',', ' or')}.`,
    })
    expect(headers['accept-post']).toBe(types)
    const empty = async (headers = {}) =>
      refused(await store.ask('/pets/import', { method: 'POST', headers }))
    expect(await empty()).toBe('415 unsupported_media_type')
    expect(await empty(csv)).toBe('400 invalid_body')
  })

  it('has a path of its own, which is not that of an animal', async () => {
    for (const method of ['GET', 'HEAD', 'PATCH', 'DELETE', 'PUT']) {
      const { headers, status } = await store.ask('/pets/import', { method })
      expect({ method, status, allow: headers.allow, deprecation: headers.deprecation }).toEqual({
        ...{ method, status: 405, allow: 'OPTIONS, POST', deprecation: undefined },
      })
    }
    const allowAt = async (path: string) =>
      (await store.ask(path, { method: 'OPTIONS' })).headers.allow
    expect(await allowAt('/pets/import')).toBe('OPTIONS, POST')
    expect(await allowAt('/pets/1')).toBe('DELETE, GET, HEAD, OPTIONS, PATCH')
  })
})
