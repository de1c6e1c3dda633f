// Every error code that is thrown is listed, every listed one is thrown, and the OpenAPI document has exactly these, each
// with its status.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { expect, it } from 'vitest'
import {
  AppError,
  type ErrorCode,
  edgeErrorCodes,
  errorBody,
  errorCodes,
  type ManagementErrorCode,
  managementErrorCodes,
} from '#kit/errors.ts'
import { openApiFile } from './openapi-file.ts'

const root = join(import.meta.dirname, '..')
const codes = Object.keys(errorCodes) as ErrorCode[]
const managementCodes = Object.keys(managementErrorCodes) as ManagementErrorCode[]
const sources = readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(root, 'server', path), 'utf8') }))

/** Files in which objects with a code are thrown as AppErrors. */
const tables = ['domains/claims/add-domain.ts', 'publishing/sites/site-error.ts']

/** The codes passed to `new AppError` and to the functions that call it. */
function thrownCodes(path: string, text: string): string[] {
  const calls = /\b(?:new AppError|refuse|invalid)\(\s*'(\w+)'/g
  const rows = tables.includes(path) ? text.matchAll(/\bcode: '(\w+)'/g) : []
  return [...text.matchAll(calls), ...rows].map(([, code = '']) => code)
}

interface Answer {
  $ref?: string
  description: string
  content?: { 'application/json': { examples: Record<string, { $ref: string }> } }
}
const { components, paths } = load(readFileSync(openApiFile, 'utf8')) as {
  paths: Record<string, Record<string, { responses: Record<string, Answer> }>>
  components: {
    examples: Record<string, { value: { code: string; status: number } }>
    responses: Record<string, Answer>
    schemas: { Error: { properties: { code: { enum: string[] } } } }
  }
}

it('every code is thrown, and no other', () => {
  const thrown = new Set(sources.flatMap(({ path, text }) => thrownCodes(path, text)))
  expect([...thrown].sort()).toEqual(
    [...codes, ...managementCodes, ...Object.keys(edgeErrorCodes)].sort(),
  )
})

it('every AppError gets its code as a literal', () => {
  const calls = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/new AppError\(\s*([^,\s]+)/g)].map(([, first]) => `${path}: ${first}`),
  )
  const others = calls.filter((call) => !/: '\w+'$/.test(call))
  // Two functions take a code as a parameter, and two throw the rows of a table: thrownCodes finds these.
  expect(others.sort()).toEqual([
    'domains/claims/add-domain.ts: missing.code',
    'kit/schema/checks.ts: code',
    'publishing/sites/site-error.ts: code',
    'store/keys/authenticate.ts: code',
  ])
})

it('no error response is written without AppError', () => {
  const writers = sources.filter(({ text }) => /errorBody\(/.test(text)).map(({ path }) => path)
  const known = [
    'kit/errors.ts',
    'kit/http/response/send-response.ts',
    'kit/http/listener/refusals.ts',
  ]
  expect(writers.sort()).toEqual(known.sort())
  const byHand = sources.filter(({ text }) => /reply\.(code|status)\(|statusCode = /.test(text))
  // The adapter that gives HTTP/2 responses the interface of HTTP/1.1 ones.
  expect(byHand.map(({ path }) => path)).toEqual(['kit/http/http2/http2-response.ts'])
})

it('the OpenAPI document has exactly these codes', () => {
  expect(components.schemas.Error.properties.code.enum).toEqual(codes)
})

it('the body of each has its code and status', () => {
  for (const code of codes) {
    const body = JSON.parse(errorBody(new AppError(code, 'words')))
    expect(body).toEqual({ code, message: 'words', status: errorCodes[code].status })
  }
})

it('the document has each code only under its status', () => {
  const named = new Map<string, Set<number>>()
  for (const path of Object.values(paths)) {
    for (const { responses } of Object.values(path)) {
      for (const [status, found] of Object.entries(responses)) {
        const response: Answer = found.$ref
          ? (components.responses[found.$ref.split('/').at(-1) as string] as Answer)
          : found
        const described = [...response.description.matchAll(/^- `(\w+)`/gm)].map(([, code]) => code)
        const examples = Object.keys(response.content?.['application/json'].examples ?? {})
        if (Number(status) >= 400) expect(described).toEqual(examples)
        for (const code of described as string[]) {
          named.set(code, (named.get(code) ?? new Set()).add(Number(status)))
        }
      }
    }
  }
  // These two belong to no operation: they are returned if none matches.
  const ofNoOperation: ErrorCode[] = ['route_not_found', 'method_not_allowed']
  const expected = codes.filter((code) => !ofNoOperation.includes(code))
  expect([...named.keys()].sort()).toEqual(expected.sort())
  for (const code of expected)
    expect([...(named.get(code) ?? [])]).toEqual([errorCodes[code].status])
  for (const [code, { value }] of Object.entries(components.examples)) {
    expect(value).toMatchObject({ code, status: errorCodes[code as ErrorCode].status })
  }
})
