// The body of POST /pets: strict JSON, and which members are ignored.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { type RunningStore, startStore } from '../running-store.ts'

const pet = '"name":"Rex","categoryId":1'
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe.each(cases(engines))('JSON bodies on %s', (engine) => {
  let store: RunningStore
  beforeAll(async () => {
    store = await startStore(engine)
  })
  afterAll(() => store.release())

  it.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['a duplicate key', `{${pet},"name":"Bo"}`],
    ['a duplicate key by another spelling', `{${pet},"n\\u0061me":"Bo"}`],
    ['a duplicate key deep inside what is ignored', `{${pet},"x":[{"a":1,"a":1}]}`],
    ['a byte-order mark', Buffer.from(`\ufeff{${pet}}`)],
    ['invalid UTF-8', Buffer.from(`{"name":"R\xe9x","categoryId":1}`, 'latin1')],
    ['overlong UTF-8', Buffer.from('{"name":"\xc0\xaf","categoryId":1}', 'latin1')],
    ['a surrogate in UTF-8', Buffer.from('{"name":"\xed\xa0\x80","categoryId":1}', 'latin1')],
    ['a lone surrogate', '{"name":"\\ud83d","categoryId":1}'],
    ['surrogates in the wrong order', '{"name":"\\udc22\\ud83d","categoryId":1}'],
    ['NUL in a string', '{"name":"a\\u0000b","categoryId":1}'],
    ['NUL after the value', `{${pet}}\0`],
    ['33 levels', `{${pet},"x":${nested(32)}}`],
    ['20,000 levels', nested(20_000)],
    ['a comma at the end', `{${pet},}`],
    ['a comment', `{${pet}/* */}`],
    ['single quotes', "{'name':'Rex','categoryId':1}"],
    ['a raw tab in a string', '{"name":"a\tb","categoryId":1}'],
    ['NaN', '{"name":"Rex","categoryId":NaN}'],
    ['a plus sign', '{"name":"Rex","categoryId":+1}'],
    ['a leading zero', '{"name":"Rex","categoryId":01}'],
    ['two values', `{${pet}}{${pet}}`],
    ['UTF-16', Buffer.from(`{${pet}}`, 'utf16le')],
    ['half of a body', `{${pet}`],
  ])('400 malformed_json: %s', async (_, body) => {
    const { status, headers, json } = await store.ask('/pets', { body })
    expect({ status, json }).toEqual({
      status: 400,
      json: {
        code: 'malformed_json',
        message: expect.stringMatching(/^Line \d+, column \d+: /),
        status: 400,
        details: [{ path: expect.any(String), message: expect.any(String) }],
      },
    })
    expect(headers['content-type']).toBe('application/json')
  })

  it('the error names the position', async () => {
    const { json } = await store.ask('/pets', {
      body: '{\n  "name": "Rex",\n  "categoryId": 01\n}',
    })
    expect(json).toMatchObject({ message: expect.stringMatching(/^Line 3, column 17: /) })
  })

  it.each([
    ['32 levels', `{${pet},"x":${nested(31)}}`],
    ['white space all around', ` \r\n\t{ ${pet} } \n`],
    ['escapes', '{"\\u006eame":"\\u0052ex","categoryId":1}'],
    [
      'members with a special meaning in JavaScript',
      `{${pet},"__proto__":{"status":"sold"},"constructor":1}`,
    ],
    ['other fields, including an id', `{"id":"mine",${pet},"Stat":"sold","tags":null}`],
  ])('201: %s', async (_, body) => {
    const { status, json } = await store.ask('/pets', { body })
    expect({ status, json }).toEqual({
      status: 201,
      json: { id: expect.any(Number), name: 'Rex', categoryId: 1, status: 'available' },
    })
  })

  it('accepts 64 KiB and no more', async () => {
    const body = (bytes: number) => `{${pet},"x":"${' '.repeat(bytes - pet.length - 9)}"}`
    expect(Buffer.byteLength(body(65_536))).toBe(65_536)
    expect((await store.ask('/pets', { body: body(65_536) })).status).toBe(201)
    const { status, json } = await store.ask('/pets', { body: body(65_537) })
    expect({ status, json }).toMatchObject({ status: 413, json: { code: 'body_too_large' } })
  })

  it('stored no refused body', async () => {
    const pets = (await store.ask('/pets?limit=100')).json as { name: string }[]
    expect(pets).toHaveLength(6)
  })
})
