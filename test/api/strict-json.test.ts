// The body of POST /pets: strict JSON, and which members are ignored; names are stored exactly as sent, categoryId with all
// its digits.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { refusal } from '../running-store.ts'
import { serving, store } from './serving.ts'

const pet = '"name":"Rex","categoryId":1'
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe.each(cases(engines))('JSON bodies on %s', (engine) => {
  serving(engine)

  // Each kind of fault: server/kit/json/strict-json.test.ts.
  it.each([
    ['nothing', ''],
    ['a duplicate key', `{${pet},"name":"Bo"}`],
    ['a duplicate key by another spelling', `{${pet},"n\\u0061me":"Bo"}`],
    ['a byte-order mark', Buffer.from(`\ufeff{${pet}}`)],
    ['invalid UTF-8', Buffer.from(`{"name":"R\xe9x","categoryId":1}`, 'latin1')],
    ['a lone surrogate', '{"name":"\\ud83d","categoryId":1}'],
    ['NUL in a string', '{"name":"a\\u0000b","categoryId":1}'],
    ['33 levels', `{${pet},"x":${nested(32)}}`],
    ['20,000 levels', nested(20_000)],
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
    expect({ status, json }).toMatchObject(refusal(413, 'body_too_large'))
  })

  it('stored no refused body', async () => {
    const pets = (await store.ask('/pets?limit=100')).json as { name: string }[]
    expect(pets).toHaveLength(6)
  })

  const invalid = (path: string) => ({
    ...{ status: 400, json: { code: 'invalid_body', details: [{ path }] } },
  })
  const add = (name: string, categoryId = '1') =>
    store.ask('/pets', { body: `{"name":${JSON.stringify(name)},"categoryId":${categoryId}}` })

  it.each([
    ['one character', 'R'],
    ['255 letters', 'x'.repeat(255)],
    ['255 emoji', '🐢'.repeat(255)],
    ['255 with combining marks', `${'e\u0301'.repeat(127)}e`],
    ['a family of joined emoji', '👨‍👩‍👧‍👦'],
    ['white space around, not trimmed', '  Rex \u00a0\u3000'],
    ['not normalised', 'Zoe\u0308 Zoë ﬁ Å Å'],
    ['right to left', 'כלב \u202bقط'],
    ['quotes, backslashes, SQL and HTML', `"'\\/; drop table pets; -- <b>&amp;%s$1 :id ?`],
    ['line and paragraph separators inside', 'a\u2028b\u2029c'],
    ['only a zero-width space', '\u200b'],
    ['noncharacters', 'a\ufffe\uffff\u{10ffff}'],
    ['the replacement character', '\ufffd'],
    ['the words of other types', 'null'],
  ])('keeps a name: %s', async (_, name) => {
    const created = await add(name)
    expect(created.status).toBe(201)
    const { id } = created.json as { id: number }
    expect(created.json).toMatchObject({ name })
    const [one, listed] = [await store.ask(`/pets/${id}`), await store.ask(`/pets?id=${id}`)]
    expect(one.text).toBe(created.text)
    expect(listed.text).toBe(`[${created.text}]`)
    expect(one.headers['content-length']).toBe(String(Buffer.byteLength(one.text)))
  })

  it.each([
    ['empty', '""'],
    ['256 letters', JSON.stringify('x'.repeat(256))],
    ['256 emoji', JSON.stringify('🐢'.repeat(256))],
    ['a space', '" "'],
    ['every kind of white space', '" \u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000"'],
    ['a tab inside', '"a\\tb"'],
    ['a line feed at the end', '"a\\n"'],
    ['U+001F', '"a\\u001f"'],
    ['DEL', '"a\u007f"'],
    ['a C1 control', '"a\u0085b"'],
  ])('refuses a name: %s', async (_, name) => {
    const response = await store.ask('/pets', { body: `{"name":${name},"categoryId":1}` })
    expect(response).toMatchObject(invalid('name'))
  })

  it('a name can be used more than once', async () => {
    const [a, b] = [await add('Twin'), await add('Twin')]
    expect([a?.status, b?.status]).toEqual([201, 201])
  })

  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['1.0', '1'],
    ['1e3', '1000'],
    ['70e-1', '7'],
    ['9.223372036854775807E+18', '9223372036854775807'],
    ['1000000000000000000000e-18', '1000'],
  ])('categoryId %s is stored as %s', async (sent, kept) => {
    const created = await add('N', sent)
    expect(created.text).toMatch(
      new RegExp(`^{"id":\\d+,"name":"N","categoryId":${kept},"status":"available"}$`),
    )
    const { id } = created.json as { id: number }
    expect((await store.ask(`/pets/${id}`)).text).toBe(created.text)
    expect((await store.ask(`/pets?id=${id}`)).text).toBe(`[${created.text}]`)
  })

  it.each([
    ...['9223372036854775808', '-9223372036854775809', '1.5', '0.1', '1e-1', '1e19', '1e400'],
    '-1e400',
    ...['"1"', 'true', '[1]', '{}', '1.00000000000000000001', '9223372036854775807.5'],
    `${'9'.repeat(5000)}`,
  ])('refuses categoryId %s', async (sent) => {
    expect(await add('N', sent)).toMatchObject(invalid('categoryId'))
  })
})
