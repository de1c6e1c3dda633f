// Both engines send the same bytes for the same requests, except ports, dates and request IDs.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import { askRaw, requestText } from '../raw-connection.ts'
import { type RunningStore, startStore } from '../running-store.ts'

type Fields = Record<string, string>
interface Request {
  line: string
  fields?: Fields
  body?: string
}

const json = { 'Content-Type': 'application/json' }
const post = (body: string, fields: Fields = {}): Request => ({
  line: 'POST /v1/pets',
  body,
  fields: { ...json, ...fields },
})
const count = { Prefer: 'count=exact' }

/** Sent in this order: later requests read what earlier ones wrote. */
const requests: Request[] = [
  { line: 'GET /v1/pets' },
  { line: 'GET /v1/pets?limit=7&status=pending', fields: count },
  { line: 'GET /v1/pets?id=3,1,2,99', fields: count },
  { line: 'GET /v1/pets/50' },
  { line: 'GET /v1/pets/50', fields: { 'If-None-Match': '*' } },
  post('{"name":"a\u2028 Ω 🐢 \\u0301","categoryId":9007199254740993}'),
  post('{"name":"min","categoryId":-9223372036854775808,"status":"sold"}'),
  post('{"name":"max","categoryId":9223372036854775807,"status":"pending"}'),
  post('{"name":"","categoryId":9223372036854775808}'),
  post('{"name":"a","name":"b"}'),
  post('{"name":"key","categoryId":1}', { 'Idempotency-Key': 'k' }),
  post('{"name":"key","categoryId":1}', { 'Idempotency-Key': 'k' }),
  post('{"name":"other","categoryId":1}', { 'Idempotency-Key': 'k' }),
  { line: 'GET /v1/pets?limit=100', fields: { ...count, 'Accept-Encoding': 'br' } },
  { line: 'GET /v1/pets?status=sold&limit=3' },
  { line: 'GET /v1/pets?id=51,52,53,54,9223372036854775807' },
  { line: 'GET /v1/pets?status=none&limit=x' },
  { line: 'GET /v1/pets/9223372036854775807' },
  { line: 'DELETE /v1/pets/1' },
  { line: 'OPTIONS /v1/pets' },
  { line: 'GET /v1/none' },
  { line: 'GET /v1/pets', fields: { Authorization: 'Bearer x' } },
  { line: 'GET /v1/openapi.json' },
  { line: 'GET /v1/openapi.yaml' },
]

describe('both engines', () => {
  const stores: RunningStore[] = []
  beforeAll(async () => {
    for (const engine of engines) stores.push(await startStore(engine))
  })
  afterAll(async () => {
    for (const store of stores) await store.release()
  })

  async function transcript(store: RunningStore, request: Request): Promise<string> {
    const { line, fields = {}, body = '' } = request
    const [method = '', target = ''] = line.split(' ')
    const port = store.running.config.httpPort
    const text = requestText(
      method,
      target,
      {
        Host: 'staging.localhost',
        Authorization: `Bearer ${store.keys.staging}`,
        ...(body ? { 'Content-Length': String(Buffer.byteLength(body)) } : {}),
        ...fields,
      },
      body,
    )
    const response = await askRaw(port, text)
    const bytes = `${response.head}\n\n${response.body.toString('latin1')}`
    // Both ports have the same number of digits, otherwise lengths and ETags would differ.
    return bytes
      .replace(/^(Date|X-Request-Id): .*$/gim, '$1')
      .replaceAll(`:${port}/`, ':PORT/')
      .replace(/^(ETag|Content-Length): .*$/gim, (field) =>
        target.includes('openapi') ? '' : field,
      )
  }

  it.each(requests)('$line $body', async (request) => {
    const transcripts: string[] = []
    for (const store of stores) transcripts.push(await transcript(store, request))
    expect(transcripts[0]).toMatch(/^HTTP\/1\.1 [2-4]\d\d /)
    expect(new Set(transcripts).size).toBe(1)
  })
})
