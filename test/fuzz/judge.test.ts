// The fuzzer's judge finds the fault of a response: each response here has one fault.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { openApiFile } from '../openapi-file.ts'
import { readApiDocument } from './api-document.ts'
import { parseExact } from './exact-json.ts'
import { expectedOutcome, type OperationInput } from './expected-outcomes.ts'
import { createJudge } from './judge.ts'
import { createModel } from './model.ts'
import type { FuzzRequest } from './request.ts'
import type { FuzzResponse } from './send.ts'

const judge = createJudge(readApiDocument(parse(readFileSync(openApiFile, 'utf8'))))

const sent = '{"name":"Rex","categoryId":9007199254740993}'
const input: OperationInput = { id: undefined, body: parseExact(sent), isStale: false }
const { check } = expectedOutcome('createPet', createModel('production', 0), input)
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
const headersOfCreation = {
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

function judgeResponse(
  request: Partial<FuzzRequest>,
  status: number,
  text: string,
  headers: Record<string, string | undefined> = {},
): string[] {
  const all = Object.entries({ ...headersOfCreation, ...headers })
  const received = all.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value]] as [string, string[]]],
  )
  const response: FuzzResponse = { status, text, headers: new Map(received) }
  return judge({ ...creation, ...request }, response)
}

it('finds no fault in a correct response', () => {
  expect(judgeResponse({}, 201, added)).toEqual([])
})

it.each<[finding: RegExp, ...response: Parameters<typeof judgeResponse>]>([
  [/status is 200, not 201/, {}, 200, added],
  [/a 500/, {}, 500, '{"code":"internal_error","message":"x","status":500}'],
  [/body is .*992n.*, not .*993n/, {}, 201, added.replace('993', '992')],
  [/body is .*sold.*, not .*available/, {}, 201, added.replace('available', 'sold')],
  [/body is .*rex.*, not .*Rex/, {}, 201, added.replace('Rex', 'rex')],
  [/body is .*colour.*, not /, {}, 201, added.replace('{', '{"colour":"red",')],
  [/outside int64/, {}, 201, added.replace('9007199254740993', '9223372036854775808')],
  [/must have required property 'id'/, {}, 201, added.replace('"id":1,', '')],
  [/must be equal to one of the allowed/, {}, 201, added.replace('available', 'gone')],
  [/not JSON/, {}, 201, `${added}}`],
  [/Content-Type is text/, {}, 201, added, { 'content-type': 'text/html' }],
  [/location is missing/, {}, 201, added, { location: undefined }],
  [/Location is/, {}, 201, added, { location: 'http://localhost/v1/pets/2' }],
  [/vary is missing/, {}, 201, added, { vary: undefined }],
  [/x-secret is not documented/, {}, 201, added, { 'x-secret': '1' }],
  [/cache-control: public/, {}, 201, added, { 'cache-control': 'public' }],
  [/X-Request-Id mine was returned as/, {}, 201, added, { 'x-request-id': 'other' }],
  [/Idempotent-Replayed/, {}, 201, added, { 'idempotent-replayed': 'true' }],
])('finds %s', (finding, ...response) => {
  expect(judgeResponse(...response).join('; ')).toMatch(finding)
})

it('accepts an error only with the expected status, code and headers', () => {
  const refusal = { location: undefined, etag: undefined, vary: 'Origin' }
  const challenge = { ...refusal, 'www-authenticate': 'Bearer' }
  const ofKey = { operation: 'createPet', status: 401, codes: ['missing_api_key'] }
  const request = { expected: ofKey }
  expect(judgeResponse(request, 401, refused, challenge)).toEqual([])
  expect(judgeResponse(request, 401, refused, refusal)).toEqual([
    'the header www-authenticate is missing',
  ])
  const other = refused.replace('missing', 'invalid')
  expect(judgeResponse(request, 401, other, challenge).join()).toMatch(/code is invalid_api_key/)
  const status = refused.replace('401', '403')
  expect(judgeResponse(request, 401, status, challenge)).toEqual(['the body says status 403'])
})

it('requires a replay to have the same body and Idempotent-Replayed', () => {
  const request = { expected: { ...creation.expected, replayed: added } }
  const replayed = { 'idempotent-replayed': 'true' }
  expect(judgeResponse(request, 201, added, replayed)).toEqual([])
  expect(judgeResponse(request, 201, added)).toEqual([
    'Idempotent-Replayed is missing or unexpected',
  ])
  const other = added.replaceAll('1,', '2,')
  const found = judgeResponse(request, 201, other, {
    ...replayed,
    location: 'http://localhost/v1/pets/2',
  })
  expect(found).toEqual([expect.stringMatching(/^the replay differs/)])
})

it('requires the names that an error message must contain', () => {
  const expected = { operation: 'cancelOrder', status: 409, codes: ['conflict'] }
  const request = { expected: { ...expected, names: ['placed', 'approved'] } }
  const body = (message: string): string =>
    JSON.stringify({ code: 'conflict', message, status: 409 })
  const bare = { location: undefined, etag: undefined }
  expect(judgeResponse(request, 409, body('placed or approved'), bare)).toEqual([])
  const found = judgeResponse(request, 409, body('placed'), bare)
  expect(found).toEqual(['the message does not name approved'])
})

it('requires new ids', () => {
  const model = {
    ...createModel('production', 0),
    lastIds: { pets: 1n, categories: 0n, orders: 0n },
  }
  const { check: later } = expectedOutcome('createPet', model, input)
  const request = { expected: { ...creation.expected, ...(later && { check: later }) } }
  expect(judgeResponse(request, 201, added)).toEqual(['the id 1 is not greater than 1'])
})

it('requires Allow in a 405', () => {
  const request = {
    method: 'PUT',
    expected: { operation: undefined, status: 405, codes: ['method_not_allowed'] },
  }
  const body = '{"code":"method_not_allowed","message":"No.","status":405}'
  const bare = { location: undefined, etag: undefined }
  expect(judgeResponse(request, 405, body, { ...bare, allow: 'GET, HEAD, OPTIONS, POST' })).toEqual(
    [],
  )
  const record = { ...request, target: '/pets/import' }
  // It is no animal.
  expect(judgeResponse(record, 405, body, { ...bare, allow: 'OPTIONS, POST' })).toEqual([])
  expect(judgeResponse(request, 405, body, { ...bare, allow: 'GET, POST' })).toHaveLength(1)
  expect(judgeResponse(request, 405, body, bare)).toHaveLength(1)
})

it('compares a page with its query', () => {
  const page = (ids: number[]) =>
    JSON.stringify(ids.map((id) => ({ id, name: 'Rex', categoryId: 1, status: 'sold' })))
  const headers = { location: undefined, vary: 'Origin', link: '<x>; rel="first"' }
  const judgePage = (target: string, ids: number[]) =>
    judgeResponse(
      { method: 'GET', target, expected: { operation: 'listPets', status: 200, codes: [] } },
      200,
      page(ids),
      { ...headers, 'cache-control': 'private, no-cache' },
    )
  expect(judgePage('/pets?limit=2&status=sold&id=1,2', [1, 2])).toEqual([])
  expect(judgePage('/pets?limit=1', [1, 2])).toEqual(['2 records, more than the limit of 1'])
  expect(judgePage('/pets', [2, 1])).toEqual(['the records are not sorted by id'])
  expect(judgePage('/pets?status=available', [1])).toEqual([
    'a record does not match the status filter',
  ])
  expect(judgePage('/pets?id=2', [1])).toEqual(['a record does not match the id filter'])
})
