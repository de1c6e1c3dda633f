import { describe, expect, test } from 'vitest'
import { sampleIn } from '../../../../test/run-sample.ts'
import { tryItScript } from '../../site/theme-assets.ts'
import { documentOf, renderDocument } from '../document-in-test.ts'
import { readFieldValue, writeParameter } from './written-form.js'

const values = ['', 'blue', ['blue', 'black', 'brown'], { R: 100, G: 200, B: 150 }]
/** OpenAPI 3.1.1, section 4.8.12.3, "Style Examples": style, explode, and the values above; empty where it says n/a. */
const table = `
matrix false | ;color | ;color=blue | ;color=blue,black,brown | ;color=R,100,G,200,B,150
matrix true | ;color | ;color=blue | ;color=blue;color=black;color=brown | ;R=100;G=200;B=150
label false | . | .blue | .blue,black,brown | .R,100,G,200,B,150
label true | . | .blue | .blue.black.brown | .R=100.G=200.B=150
simple false | | blue | blue,black,brown | R,100,G,200,B,150
simple true | | blue | blue,black,brown | R=100,G=200,B=150
form false | color= | color=blue | color=blue,black,brown | color=R,100,G,200,B,150
form true | color= | color=blue | color=blue&color=black&color=brown | R=100&G=200&B=150
spaceDelimited false | | | color=blue%20black%20brown | color=R%20100%20G%20200%20B%20150
pipeDelimited false | | | color=blue%7Cblack%7Cbrown | color=R%7C100%7CG%7C200%7CB%7C150
deepObject true | | | | color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150`
const rows = table
  .trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))

test.each(rows)("the specification's example of %s", (head = '', ...cells) => {
  const [style = '', explode] = head.split(' ')
  const place = ['matrix', 'label', 'simple'].includes(style) ? 'path' : 'query'
  for (const [index, cell] of cells.entries()) {
    const form = { name: 'color', in: place, style, explode: explode === 'true' } as const
    if (cell !== '') expect(writeParameter(form, values[index])).toBe(cell)
  }
})

test.each<[written: string, form: object, value: unknown]>([
  ['f=%5B%26%23%2B%20/:?@$,;=%41', { reserved: true }, '[&#+ /:?@$,;=%41'],
  ['f=a%2Cb,c', { explode: false }, ['a,b', 'c']],
  ['f%5Ba%5D%5Bb%5D=1&f%5Bc%5D%5B%5D=x', { style: 'deepObject' }, { a: { b: 1 }, c: ['x', null] }],
  ['f%5B0%5D%5Ba%5D=1', { style: 'deepObject' }, [{ a: 1 }]],
  ['f=%7B%22a%22%3A9007199254740993%7D', {}, [{ a: 9007199254740993n }]],
  ['', {}, []],
  ['f=a; f=b%3Bc', { in: 'cookie' }, ['a', 'b;c']],
  ['R=1,G=a b', { in: 'header', style: 'simple' }, { R: 1, G: 'a b' }],
])('%s', (written, form, value) => {
  const usual = { name: 'f', in: 'query', style: 'form', explode: true } as const
  expect(writeParameter({ ...usual, ...form }, value)).toBe(written)
})

test('what a reader writes in a field', () => {
  expect(readFieldValue('list', 'a, b')).toEqual(['a', 'b'])
  expect(readFieldValue('list', '["a,b"]')).toEqual(['a,b'])
  expect(readFieldValue('object', '{"a":1}')).toEqual({ a: 1 })
  expect(() => readFieldValue('object', 'a')).toThrow(SyntaxError)
})

test('Try it contains this module', () => {
  const script = Buffer.from(tryItScript().bytes).toString()
  expect(script).toContain(writeParameter.toString())
  expect(script).not.toMatch(/^(import|export) /m)
})

describe('bodies', () => {
  const list = { type: 'array', items: { type: 'string' }, example: ['p', 'q'] }
  const object = { type: 'object', properties: { name: { type: 'string', example: 'R;x' } } }
  const file = { type: 'string', format: 'binary' }
  const multipart = 'multipart/form-data'
  const form = 'application/x-www-form-urlencoded'
  const tag = { type: 'string', xml: { name: 't' }, example: 'x<y' }
  const item = {
    type: 'object',
    xml: { name: 'item', prefix: 'p', namespace: 'urn:p' },
    properties: {
      id: { type: 'integer', xml: { attribute: true }, example: 7 },
      tags: { type: 'array', xml: { wrapped: true }, items: tag },
      alone: { type: 'array', items: tag },
    },
  }
  test.each<[type: string, schema: object, encoding: object | undefined, written: string[]]>([
    [form, list, undefined, ['--data-urlencode b=p', '--data-urlencode b=q']],
    [form, list, { explode: false }, ['-d b=p,q']],
    [form, object, { style: 'deepObject' }, [`--data-urlencode 'b[name]=R;x'`]],
    [form, object, undefined, [`--data-urlencode 'b={"name":"R;x"}'`]],
    [multipart, file, undefined, ['-F b=@file']],
    [multipart, { type: 'array', items: file }, undefined, ['-F b=@file']],
    [multipart, file, { contentType: 'image/png, image/*' }, [`-F 'b=@file;type=image/png'`]],
    [multipart, { contentMediaType: 'image/png' }, undefined, [`-F 'b=@file;type=image/png'`]],
    [multipart, list, undefined, ['--form-string b=p', '--form-string b=q']],
    [multipart, object, undefined, [`-F 'b="{\\"name\\":\\"R;x\\"}";type=application/json'`]],
    [multipart, { type: 'string' }, { contentType: 'text/csv' }, [`-F 'b=string;type=text/csv'`]],
    ['application/xml', item, undefined, ['<p:item', 'id="7"', '<tags>', '<t>x&lt;y</t>']],
  ])('%s %j %j', (type, schema, encoding, written) => {
    const isXml = type.endsWith('xml')
    const media = {
      schema: { title: 'b', type: 'object', properties: { b: schema } },
      encoding: { b: encoding },
    }
    const content = { [type]: isXml ? { schema: { ...item, title: 'b' } } : media }
    const { pages } = renderDocument(documentOf({ requestBody: { content } }))
    const sample = sampleIn(pages[1]?.html ?? '', 'curl')
    for (const words of written) expect(sample).toContain(words)
  })
})
