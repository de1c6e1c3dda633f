// The list of error codes is closed: what is thrown is listed, what is listed is thrown, and the
// OpenAPI document has exactly these, each under its status.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  AppError,
  type ErrorCode,
  edgeErrorCodes,
  errorBody,
  errorCodes,
  type ManagementErrorCode,
  managementErrorCodes,
} from '../server/platform/errors.ts'
import { openApiFile } from './openapi-file.ts'

const root = join(import.meta.dirname, '..')
const codes = Object.keys(errorCodes) as ErrorCode[]
const managementCodes = Object.keys(managementErrorCodes) as ManagementErrorCode[]
const sources = readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(root, 'server', path), 'utf8') }))

/** The codes that `new AppError` and the functions that call it are given, by file. */
function thrownCodes(text: string): string[] {
  const calls = /\b(?:new AppError|refuse|invalid)\(\s*'(\w+)'/g
  return [...text.matchAll(calls)].map(([, code = '']) => code)
}

const document = parse(readFileSync(openApiFile, 'utf8'))

it('every code is thrown somewhere, and nothing else is', () => {
  const thrown = new Set(sources.flatMap(({ text }) => thrownCodes(text)))
  expect([...thrown].sort()).toEqual(
    [...codes, ...managementCodes, ...Object.keys(edgeErrorCodes)].sort(),
  )
})

it('every AppError is given its code in so many words', () => {
  const calls = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/new AppError\(\s*([^,\s]+)/g)].map(([, first]) => `${path}: ${first}`),
  )
  const others = calls.filter((call) => !/: '\w+'$/.test(call))
  // The two that are called with a code: thrownCodes looks at who calls them.
  expect(others.sort()).toEqual([
    'platform/schema/checks.ts: code',
    'store/keys/authenticate.ts: code',
  ])
})

it('no answer with an error is written by hand', () => {
  const writers = sources.filter(({ text }) => /errorBody\(/.test(text)).map(({ path }) => path)
  const known = [
    'platform/errors.ts',
    'platform/http/response/send-response.ts',
    'platform/http/listener/parser-errors.ts',
  ]
  expect(writers.sort()).toEqual(known)
  const byHand = sources.filter(({ text }) => /reply\.(code|status)\(|statusCode = /.test(text))
  // What makes an answer of HTTP/2 look like one of HTTP/1.1.
  expect(byHand.map(({ path }) => path)).toEqual(['platform/http/http2/http2-response.ts'])
})

it('the OpenAPI document has exactly these', () => {
  expect(document.components.schemas.Error.properties.code.enum).toEqual(codes)
})

it('the body of each has its code and status', () => {
  for (const code of codes) {
    const body = JSON.parse(errorBody(new AppError(code, 'words')))
    expect(body).toEqual({ code, message: 'words', status: errorCodes[code].status })
  }
})

it('the document names each code under its status, and under no other', () => {
  interface Answer {
    $ref?: string
    description: string
    content?: { 'application/json': { examples: Record<string, { $ref: string }> } }
  }
  const named = new Map<string, Set<number>>()
  for (const path of Object.values<Record<string, { responses: Record<string, Answer> }>>(
    document.paths,
  )) {
    for (const { responses } of Object.values(path)) {
      for (const [status, found] of Object.entries(responses)) {
        const answer: Answer = found.$ref
          ? document.components.responses[found.$ref.split('/').at(-1) as string]
          : found
        const described = [...answer.description.matchAll(/^- `(\w+)`/gm)].map(([, code]) => code)
        const examples = Object.keys(answer.content?.['application/json'].examples ?? {})
        if (Number(status) >= 400) expect(described).toEqual(examples)
        for (const code of described as string[]) {
          named.set(code, (named.get(code) ?? new Set()).add(Number(status)))
        }
      }
    }
  }
  // These two belong to no operation: they are the answers where there is none.
  const ofNoOperation: ErrorCode[] = ['route_not_found', 'method_not_allowed']
  const expected = codes.filter((code) => !ofNoOperation.includes(code))
  expect([...named.keys()].sort()).toEqual(expected.sort())
  for (const code of expected)
    expect([...(named.get(code) ?? [])]).toEqual([errorCodes[code].status])
  for (const [code, { value }] of Object.entries<{ value: { code: string; status: number } }>(
    document.components.examples,
  )) {
    expect(value).toMatchObject({ code, status: errorCodes[code as ErrorCode].status })
  }
})
