// Names are stored exactly as sent, categoryId with all its digits.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { type RunningStore, startStore } from '../running-store.ts'

describe.each(cases(engines))('names and numbers on %s', (engine) => {
  let store: RunningStore
  beforeAll(async () => {
    store = await startStore(engine)
  })
  afterAll(() => store.release())

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
    const { status, json } = await store.ask('/pets', { body: `{"name":${name},"categoryId":1}` })
    expect({ status, json }).toMatchObject({
      status: 400,
      json: { code: 'invalid_body', details: [{ path: 'name' }] },
    })
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
    ...[
      '9223372036854775808',
      '-9223372036854775809',
      '1.5',
      '0.1',
      '1e-1',
      '1e19',
      '1e400',
      '-1e400',
    ],
    ...['"1"', 'true', '[1]', '{}', '1.00000000000000000001', '9223372036854775807.5'],
    `${'9'.repeat(5000)}`,
  ])('refuses categoryId %s', async (sent) => {
    const { status, json } = await add('N', sent)
    expect({ status, json }).toMatchObject({
      status: 400,
      json: { code: 'invalid_body', details: [{ path: 'categoryId' }] },
    })
  })
})
