import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { documentOf, pageAt, renderDocument, wordsOf } from './document-in-test.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'curl-example-'))
  const curl = join(folder, 'curl')
  writeFileSync(curl, '#!/bin/sh\nfor word in "$@"; do printf "%s\\0" "$word"; done\n')
  chmodSync(curl, 0o755)
})

afterAll(() => rmSync(folder, { recursive: true }))

/** What a shell would give to curl for the example of this operation. */
function argumentsOf(document: object): string[] {
  const { pages } = renderDocument(document)
  const page = pageAt({ pages }, pages[1]?.path ?? '')
  const [, block = ''] =
    /id="request"[\s\S]*?<pre[^>]*><code>([\s\S]*?)<\/code>/.exec(page.html) ?? []
  const command = wordsOf(block.replaceAll('\n', '\u{E000}')).replaceAll('\u{E000}', '\n')
  const env = {
    PATH: `${folder}:/usr/bin:/bin`,
    API_KEY: 'k e"y',
    TOKEN: 'tok',
    USERNAME: 'ann',
    PASSWORD: 'p w',
  }
  const output = execFileSync('/bin/sh', ['-c', command], { env, cwd: folder, encoding: 'utf8' })
  return output.split('\0').slice(0, -1)
}

const servers = [{ url: 'https://a.test/v1/' }]
const nasty = `it's $(touch x) \`touch y\` "q" \\ !h {a,b} *`

test('a plain GET is an address', () => {
  const petId = { name: 'petId', in: 'path', schema: { type: 'integer' } }
  expect(argumentsOf(documentOf({ parameters: [petId] }, { servers }))).toEqual([
    'https://a.test/v1/pets/1',
  ])
})

test('values reach curl as they are, whatever a shell would make of them', () => {
  const parameters = [
    { name: 'petId', in: 'path', example: nasty },
    { name: `q'$x`, in: 'query', required: true, example: nasty },
    { name: 'list', in: 'query', required: true, example: ['a', 'b'] },
    { name: 'X-Nasty', in: 'header', required: true, example: nasty },
    { name: 'c', in: 'cookie', required: true, example: nasty },
    { name: 'optional', in: 'query' },
  ]
  const [address, ...rest] = argumentsOf(documentOf({ parameters }, { servers }))
  const url = new URL(address ?? '')
  expect(decodeURIComponent(url.pathname)).toBe(`/v1/pets/${nasty}`)
  expect(url.searchParams.get(`q'$x`)).toBe(nasty)
  expect(url.searchParams.getAll('list')).toEqual(['a', 'b'])
  expect(url.searchParams.has('optional')).toBe(false)
  // Braces in an address mean something to curl itself.
  expect(address).not.toMatch(/[{}[\]]/)
  expect(rest).toEqual(['-H', `X-Nasty: ${nasty}`, '-b', `c=${nasty}`])
})

test.each([
  ['bearer', { type: 'http', scheme: 'bearer' }, ['-H', 'Authorization: Bearer tok']],
  ['basic', { type: 'http', scheme: 'basic' }, ['-u', 'ann:p w']],
  ['key', { type: 'apiKey', in: 'header', name: `X'$(id)` }, ['-H', `X'$(id): k e"y`]],
  ['cookie', { type: 'apiKey', in: 'cookie', name: 'sid' }, ['-b', 'sid=k e"y']],
])('authenticates by %s', (name, scheme, expected) => {
  const rest = { servers, components: { securitySchemes: { [name]: scheme } } }
  const [, ...words] = argumentsOf(documentOf({ security: [{ [name]: [] }] }, rest))
  expect(words).toEqual(expected)
})

test('a key in the query stands in the address', () => {
  const scheme = { type: 'apiKey', in: 'query', name: 'key' }
  const rest = { servers, components: { securitySchemes: { scheme } } }
  expect(argumentsOf(documentOf({ security: [{ scheme: [] }] }, rest))).toEqual([
    'https://a.test/v1/pets/petId?key=k e"y',
  ])
})

test.each([
  ['application/json', { a: nasty }, ['-d']],
  ['text/csv', '@name\n1', ['--data-raw']],
])('sends a body of %s', (type, example, [option]) => {
  const operation = { requestBody: { content: { [type]: { example } } } }
  const words = argumentsOf(documentOf(operation, { servers }))
  const body = words.at(-1) ?? ''
  expect(words.slice(-4, -1)).toEqual(['-H', `Content-Type: ${type}`, option])
  expect(typeof example === 'string' ? body : JSON.parse(body)).toEqual(example)
})

test('sends forms and files', () => {
  const properties = { name: { type: 'string' }, photo: { type: 'string', format: 'binary' } }
  const schema = { type: 'object', properties }
  const form = (type: string) =>
    argumentsOf(documentOf({ requestBody: { content: { [type]: { schema } } } }, { servers }))
  expect(form('multipart/form-data').slice(3)).toEqual([
    '--form-string',
    'name=string',
    '-F',
    'photo=@file',
  ])
  expect(form('application/x-www-form-urlencoded').slice(3, 5)).toEqual([
    '--data-urlencode',
    'name=string',
  ])
})

test.each([['-o /etc/passwd'], ['javascript:alert(1)'], ['ftp://x'], ["'; touch z; '"]])(
  'a server of %s is none',
  (url) => {
    const [address] = argumentsOf(documentOf({}, { servers: [{ url }] }))
    expect(address).toBe('https://example.com/pets/petId')
  },
)
