// The judge of the fuzzer sees what is wrong with an answer: each of these has one fault.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { openApiFile } from '../openapi-file.ts'
import { readApiDocument } from './api-document.ts'
import { parseExact } from './exact-json.ts'
import { createJudge } from './judge.ts'
import { type Asked, outcomeOf } from './outcomes.ts'
import type { FuzzRequest } from './request.ts'
import type { FuzzAnswer } from './send.ts'
import { createWorld } from './world.ts'

const judge = createJudge(readApiDocument(parse(readFileSync(openApiFile, 'utf8'))))

const sent = '{"name":"Rex","categoryId":9007199254740993}'
const asked: Asked = { id: undefined, body: parseExact(sent), isStale: false }
const { check } = outcomeOf('createPet', createWorld('production', 0), asked)
const creation: FuzzRequest = {
  environment: 'production',
  method: 'POST',
  target: '/pets',
  headers: ['X-Request-Id', 'mine'],
  body: Buffer.from(sent),
  isChunked: false,
  expected: { operation: 'createPet', status: 201, codes: [], ...(check && { check }) },
}
const added = '{"id":1,"name":"Rex","categoryId":9007199254740993,"status":"available"}'
const fields = {
  'content-type': 'application/json',
  'content-length': '1',
  'x-content-type-options': 'nosniff',
  'x-request-id': 'mine',
  'cache-control': 'no-store',
  vary: 'Origin',
  location: 'http://localhost/v1/pets/1',
  etag: '"x"',
}
const refused = '{"code":"missing_api_key","message":"No.","status":401}'

function judged(
  request: Partial<FuzzRequest>,
  status: number,
  text: string,
  headers: Record<string, string | undefined> = {},
): string[] {
  const all = Object.entries({ ...fields, ...headers })
  const received = all.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value]] as [string, string[]]],
  )
  const answer: FuzzAnswer = { status, text, headers: new Map(received) }
  return judge({ ...creation, ...request }, answer)
}

it('has nothing to say of a right answer', () => {
  expect(judged({}, 201, added)).toEqual([])
})

it.each<[finding: RegExp, ...answer: Parameters<typeof judged>]>([
  [/status is 200, not 201/, {}, 200, added],
  [/a 500/, {}, 500, '{"code":"internal_error","message":"x","status":500}'],
  [/body is .*992n.*, not .*993n/, {}, 201, added.replace('993', '992')],
  [/body is .*sold.*, not .*available/, {}, 201, added.replace('available', 'sold')],
  [/body is .*rex.*, not .*Rex/, {}, 201, added.replace('Rex', 'rex')],
  [/body is .*colour.*, not /, {}, 201, added.replace('{', '{"colour":"red",')],
  [/no int64/, {}, 201, added.replace('9007199254740993', '9223372036854775808')],
  [/must have required property 'id'/, {}, 201, added.replace('"id":1,', '')],
  [/must be equal to one of the allowed/, {}, 201, added.replace('available', 'gone')],
  [/no JSON/, {}, 201, `${added}}`],
  [/Content-Type is text/, {}, 201, added, { 'content-type': 'text/html' }],
  [/location is missing/, {}, 201, added, { location: undefined }],
  [/Location is/, {}, 201, added, { location: 'http://localhost/v1/pets/2' }],
  [/vary is missing/, {}, 201, added, { vary: undefined }],
  [/x-secret is not documented/, {}, 201, added, { 'x-secret': '1' }],
  [/cache-control: public/, {}, 201, added, { 'cache-control': 'public' }],
  [/X-Request-Id mine came back as/, {}, 201, added, { 'x-request-id': 'other' }],
  [/Idempotent-Replayed/, {}, 201, added, { 'idempotent-replayed': 'true' }],
])('finds %s', (finding, ...answer) => {
  expect(judged(...answer).join('; ')).toMatch(finding)
})

it('is not content with a refusal that is none of the expected', () => {
  const refusal = { location: undefined, etag: undefined, vary: 'Origin' }
  const challenge = { ...refusal, 'www-authenticate': 'Bearer' }
  const ofKey = { operation: 'createPet', status: 401, codes: ['missing_api_key'] }
  const request = { expected: ofKey }
  expect(judged(request, 401, refused, challenge)).toEqual([])
  expect(judged(request, 401, refused, refusal)).toEqual(['the header www-authenticate is missing'])
  const other = refused.replace('missing', 'invalid')
  expect(judged(request, 401, other, challenge).join()).toMatch(/code is invalid_api_key/)
  const status = refused.replace('401', '403')
  expect(judged(request, 401, status, challenge)).toEqual(['the body says status 403'])
})

it('wants a replay to be the same again, and to say so', () => {
  const request = { expected: { ...creation.expected, replayed: added } }
  const replayed = { 'idempotent-replayed': 'true' }
  expect(judged(request, 201, added, replayed)).toEqual([])
  expect(judged(request, 201, added)).toEqual(['Idempotent-Replayed, or none'])
  const other = added.replaceAll('1,', '2,')
  const found = judged(request, 201, other, { ...replayed, location: 'http://localhost/v1/pets/2' })
  expect(found).toEqual([expect.stringMatching(/^not the same again/)])
})

it('wants a refusal to name what it has to name', () => {
  const expected = { operation: 'cancelOrder', status: 409, codes: ['conflict'] }
  const request = { expected: { ...expected, names: ['placed', 'approved'] } }
  const body = (words: string): string =>
    JSON.stringify({ code: 'conflict', message: words, status: 409 })
  const bare = { location: undefined, etag: undefined }
  expect(judged(request, 409, body('placed or approved'), bare)).toEqual([])
  const found = judged(request, 409, body('placed'), bare)
  expect(found).toEqual(['the message does not name approved'])
})

it('wants ids that were not given before', () => {
  const world = {
    ...createWorld('production', 0),
    lastIds: { pets: 1n, categories: 0n, orders: 0n },
  }
  const { check: later } = outcomeOf('createPet', world, asked)
  const request = { expected: { ...creation.expected, ...(later && { check: later }) } }
  expect(judged(request, 201, added)).toEqual(['the id 1 is not over 1'])
})

it('wants a 405 to say what is possible', () => {
  const request = {
    method: 'PUT',
    expected: { operation: undefined, status: 405, codes: ['method_not_allowed'] },
  }
  const body = '{"code":"method_not_allowed","message":"No.","status":405}'
  const bare = { location: undefined, etag: undefined }
  expect(judged(request, 405, body, { ...bare, allow: 'GET, HEAD, OPTIONS, POST' })).toEqual([])
  const record = { ...request, target: '/pets/import' }
  const both = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST'
  expect(judged(record, 405, body, { ...bare, allow: both })).toEqual([])
  expect(judged(request, 405, body, { ...bare, allow: 'GET, POST' })).toHaveLength(1)
  expect(judged(request, 405, body, bare)).toHaveLength(1)
})

it('holds a page against what was asked for', () => {
  const page = (ids: number[]) =>
    JSON.stringify(ids.map((id) => ({ id, name: 'Rex', categoryId: 1, status: 'sold' })))
  const headers = { location: undefined, vary: 'Origin', link: '<x>; rel="first"' }
  const asked = (target: string, ids: number[]) =>
    judged(
      { method: 'GET', target, expected: { operation: 'listPets', status: 200, codes: [] } },
      200,
      page(ids),
      { ...headers, 'cache-control': 'private, no-cache' },
    )
  expect(asked('/pets?limit=2&status=sold&id=1,2', [1, 2])).toEqual([])
  expect(asked('/pets?limit=1', [1, 2])).toEqual(['2 records, over the limit of 1'])
  expect(asked('/pets', [2, 1])).toEqual(['the records are not by ascending id'])
  expect(asked('/pets?status=available', [1])).toEqual(['the filter by status'])
  expect(asked('/pets?id=2', [1])).toEqual(['the filter by id'])
})
