// openapi.yaml is current, passes the linters, matches the specification, and its examples are real.

import { readFile } from 'node:fs/promises'
import { load } from 'js-yaml'
import { beforeAll, describe, expect, it } from 'vitest'
import { commandLineOrigin } from '#kit/audit/record-audit.ts'
import { createKey, revokeKey } from '#store/keys/keys.ts'
import { isLong } from './cases.ts'
import { readApiDocument } from './fuzz/api-document.ts'
import { createJudge } from './fuzz/judge.ts'
import type { FuzzRequest } from './fuzz/request.ts'
import type { FuzzResponse } from './fuzz/send.ts'
import { redoclyProblems, spectralOutput, spectralSuccess } from './linters.ts'
import { currentOpenApi, openApiFile } from './openapi-file.ts'
import { type AskOptions, startStore } from './running-store.ts'
import { shared } from './shared.ts'

interface Operation {
  operationId: string
  tags: string[]
  security: object[]
  parameters: { $ref?: string }[]
  'x-stability'?: 'beta' | 'experimental'
}
interface Document {
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, { properties: Record<string, Record<string, unknown>> }>
    examples: Record<string, { value: object }>
  }
}

const text = await readFile(openApiFile, 'utf8')
const document = load(text) as Document
const judge = createJudge(readApiDocument(document))
const { schemas, examples } = document.components
const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
const specified = operations.filter((operation) => operation['x-stability'] === undefined)
const extensions = operations.filter((operation) => operation['x-stability'] !== undefined)

/** The operation of a path with numbers as ids and without a query. */
function operationAt(method: string, target: string): string {
  const [path = ''] = target.split('?')
  const known = Object.keys(document.paths).find(
    (form) => form.replaceAll(/\{\w+\}/g, '0') === path.replaceAll(/\b\d+\b/g, '0'),
  )
  return document.paths[known ?? '']?.[method.toLowerCase()]?.operationId ?? 'none'
}

describe('openapi.yaml', () => {
  it('is current; `npm run openapi` updates it', async () => {
    expect(text).toBe(await currentOpenApi())
  })

  it('is what the server serves, except for the base URLs', async () => {
    const store = await startStore('sqlite')
    const json = await store.ask('/openapi.json', { key: null })
    const yaml = await store.ask('/openapi.yaml', { key: null })
    const { port } = new URL(store.baseUrl.production)
    await store.release()
    expect(yaml.text).toBe(text.replaceAll(':8080/', `:${port}/`))
    expect(json.json).toEqual(load(yaml.text))
  })

  it('has no unresolved references and no internal fields', () => {
    const find = (pointer: string): unknown =>
      pointer
        .slice(2)
        .split('/')
        .reduce(
          (at, key) => (at as Record<string, unknown> | undefined)?.[key],
          document as unknown,
        )
    const pointers = [...text.matchAll(/\$ref: "([^"]+)"/g)].map(([, pointer = '']) => pointer)
    expect(pointers.length).toBeGreaterThan(50)
    expect(pointers.filter((pointer) => find(pointer) === undefined)).toEqual([])
    expect(text).not.toMatch(/def-\d|\$id|x-pattern-message|undefined|\[object/)
  })
})

// What it says word for word: test/specified-openapi.test.ts.
describe('the specification', () => {
  it('has its base URLs, three operations with these headers, and the end of getPet', () => {
    expect(document).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      info: { description: expect.stringMatching(/x-stability.*x-deprecated-sunset/s) },
      servers: [{ url: 'http://localhost:8080/v1' }, { url: 'http://staging.localhost:8080/v1' }],
    })
    expect(document.tags[0]).toMatchObject({ name: 'animals' })
    const headersOf = ({ operationId, parameters }: Operation) => [
      operationId,
      ...parameters.flatMap(({ $ref }) => $ref?.split('/').at(-1) ?? []),
    ]
    expect(specified.map(headersOf)).toEqual([
      ['listPets', 'Prefer', 'If-None-Match', 'X-Request-Id'],
      ['createPet', 'Idempotency-Key', 'X-Request-Id'],
      ['getPet', 'If-None-Match', 'X-Request-Id'],
    ])
    expect(specified.at(-1)).toMatchObject({ 'x-deprecated-sunset': '2030-12-05' })
    const { NewPet, Pet } = schemas
    const { status: _, ...alike } = NewPet?.properties ?? {}
    expect(Pet?.properties).toMatchObject(alike)
  })
})

describe('the extensions', () => {
  it('have a tag and the same security', () => {
    expect(extensions.length).toBeGreaterThan(10)
    for (const operation of extensions) {
      expect(operation.security).toEqual([{ apiKey: [] }])
      expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0])
    }
  })

  it('accept If-Match on changes of a record, and an Idempotency-Key on every write', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { parameters }] of Object.entries(methods)) {
        const fields = parameters.flatMap(({ $ref }) => $ref?.split('/').at(-1) ?? [])
        const isWrite = method !== 'get'
        expect(fields.includes('Idempotency-Key'), `${method} ${path}`).toBe(isWrite)
        const isChange = method === 'patch' || method === 'delete'
        expect(fields.includes('If-Match'), `${method} ${path}`).toBe(isChange)
      }
    }
  })
})

describe('the pattern of a name', () => {
  const pattern = new RegExp(schemas.NewPet?.properties.name?.pattern as string)
  const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))

  it('requires a character other than white space, and allows no control characters', () => {
    const wrong = characters.filter((c) => pattern.test(c) !== /[^\p{White_Space}\p{Cc}]/u.test(c))
    expect(wrong).toEqual([])
    const inside = characters.filter((c) => pattern.test(`${c}x${c}`) === /\p{Cc}/u.test(c))
    expect(inside).toEqual([])
  })

  it('takes linear time', () => {
    const before = performance.now()
    expect(pattern.test(`${' '.repeat(50_000)}${'x'.repeat(50_000)}\n`)).toBe(false)
    expect(performance.now() - before).toBeLessThan(1000)
  })
})

describe('the examples', () => {
  const store = shared(() => startStore('sqlite'))
  let now: number
  const keys: Record<string, string> = {}
  beforeAll(async () => {
    now = store.clock.now
    const { production } = store.running.store.databases
    const make = async (label: string, more: object): Promise<void> => {
      const made = await createKey(
        production,
        'production',
        { label, ...more },
        commandLineOrigin(now),
      )
      keys[label] = made.text
      if (label === 'revoked')
        await revokeKey(production, 'production', made.key.id, commandLineOrigin(now))
    }
    await make('expired', { expiresAt: now - 1 })
    await make('revoked', {})
    await make('reading', { scopes: ['pets:read'] })
    keys.staging = store.keys.staging
    // As in the examples, order 1 reserves animal 1, and animal 7 is pending.
    for (let n = 1; n <= 7; n++) {
      await store.ask('/pets', { body: { ...pet, status: n === 7 ? 'pending' : 'available' } })
    }
    await store.ask('/store/orders', { body: { petId: 1 } })
  })

  const pet = { name: 'Rex', categoryId: 7 }
  /** A key stands for that of this name. */
  const asking: [code: string, path: string, options: AskOptions][] = [
    ['malformed_json', '/pets', { body: '{"name":"Rex",}' }],
    ['invalid_body', '/pets', { body: { categoryId: 7, status: 'gone' } }],
    ['invalid_parameter', '/pets?limit=0', {}],
    ['invalid_cursor', '/pets?cursor=x', {}],
    ['invalid_idempotency_key', '/pets', { body: pet, headers: { 'idempotency-key': 'a b' } }],
    ['invalid_request', '/pets', { method: 'JUMP' }],
    ['missing_api_key', '/pets', { key: null }],
    ['invalid_api_key', '/pets', { key: 'x' }],
    ['expired_api_key', '/pets', { key: 'expired' }],
    ['revoked_api_key', '/pets', { key: 'revoked' }],
    ['wrong_environment', '/pets', { key: 'staging' }],
    ['insufficient_scope', '/pets', { body: pet, key: 'reading' }],
    ['pet_not_found', '/pets/1000', {}],
    ['category_not_found', '/categories/1000', { method: 'DELETE' }],
    ['order_not_found', '/store/orders/1000', {}],
    ['pet_not_available', '/store/orders', { body: { petId: 7 } }],
    ['conflict', '/pets/1', { method: 'PATCH', body: { status: 'sold' } }],
    ['precondition_failed', '/pets/2', { method: 'DELETE', headers: { 'if-match': '"other"' } }],
    ['not_acceptable', '/pets', { headers: { accept: 'text/html' } }],
    ['body_too_large', '/pets', { body: ' '.repeat(65_537) }],
    ['uri_too_long', `/pets?${'x'.repeat(8_200)}`, {}],
    ['unsupported_media_type', '/pets', { body: 'x', headers: { 'content-type': 'text/plain' } }],
    [
      'unsupported_content_encoding',
      '/pets',
      { body: 'x', headers: { 'content-encoding': 'gzip' } },
    ],
    ['headers_too_large', '/pets', { headers: { 'x-long': 'x'.repeat(40_000) } }],
  ]

  it.each(asking)('%s has the text of the server', async (code, path, asked) => {
    const response = await store.ask(path, {
      ...asked,
      ...(asked.key && { key: keys[asked.key] ?? asked.key }),
    })
    expect(response.json).toEqual(examples[code]?.value)
    const known = asked.body === undefined ? 'GET' : 'POST'
    const method = asked.method === 'JUMP' ? known : (asked.method ?? known)
    const request: FuzzRequest = {
      environment: 'production',
      method,
      target: path,
      headers: [],
      isChunked: false,
      expected: { operation: operationAt(method, path), status: response.status, codes: [code] },
    }
    const headers: FuzzResponse['headers'] = new Map(
      Object.entries(response.headers).map(([name, value]) => [name, [value]]),
    )
    expect(judge(request, { ...response, headers })).toEqual([])
  })

  it('idempotency_key_reused and operation_removed, too', async () => {
    const headers = { 'idempotency-key': 'examples' }
    expect((await store.ask('/pets', { body: pet, headers })).status).toBe(201)
    const reused = await store.ask('/pets', { body: { ...pet, categoryId: 8 }, headers })
    expect(reused.json).toEqual(examples.idempotency_key_reused?.value)
    store.clock.now = Date.UTC(2030, 11, 5)
    const removed = await store.ask('/pets/1')
    store.clock.now = now
    expect(removed.json).toEqual(examples.operation_removed?.value)
  })

  it('exclude only errors that need a failure or a setting', () => {
    const asked = [...asking.map(([code]) => code), 'idempotency_key_reused', 'operation_removed']
    const others = [
      ...['request_timeout', 'rate_limited', 'internal_error', 'unavailable', 'outcome_unknown'],
    ]
    expect(Object.keys(examples).sort()).toEqual([...asked, ...others].sort())
  })
})

describe('linters', () => {
  it('Redocly finds no problems', async () => {
    expect(await redoclyProblems(text)).toEqual([])
  })

  if (isLong)
    it('Spectral finds no problems', async () => {
      expect(await spectralOutput(text)).toBe(spectralSuccess)
    })
})
