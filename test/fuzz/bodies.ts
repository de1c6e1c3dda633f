// Bodies with what describes them: what the document allows, and what it forbids.
import fc, { type Arbitrary } from 'fast-check'
import type { ApiDocument, Operation } from './api-document.ts'
import { anyCase, fault, field, none, type Part, right } from './part.ts'
import { rightJson, wrongJson } from './values.ts'
import { wrongBodies } from './wrong-json.ts'

export interface BodyPart extends Part {
  body?: Uint8Array
  isChunked?: boolean
}

const mostBytes = 64 * 1024

export function bodyPart(document: ApiDocument, operation: Operation): Arbitrary<BodyPart> {
  const { body: schema } = operation
  if (schema === undefined) return fc.constant({})
  const malformed = [fault(400, 'malformed_json')]
  const bytes = (text: string) => new TextEncoder().encode(text)
  const good = rightJson(document, schema).map((text): BodyPart => ({ body: bytes(text) }))
  const large = fc.constantFrom(mostBytes - 1, mostBytes, mostBytes + 1, 2 * mostBytes)
  const padded = fc.tuple(rightJson(document, schema), large).map(([text, size]): BodyPart => {
    const body = bytes(text)
    const padding = new Uint8Array(Math.max(0, size - body.length)).fill(0x20)
    return {
      body: Buffer.concat([body, padding]),
      faults: size > mostBytes ? [fault(413, 'body_too_large')] : [],
    }
  })
  const content = fc.oneof(
    right(good, 60),
    right(
      wrongJson(document, schema).map((text): BodyPart => {
        // NUL may not even be spelled.
        const codes = text.includes('\\u0000') ? ['malformed_json'] : ['invalid_body']
        return { body: bytes(text), faults: [fault(400, ...codes)] }
      }),
      20,
    ),
    right(
      wrongBodies(rightJson(document, schema)).map(
        (body): BodyPart => ({ body, faults: malformed }),
      ),
      10,
    ),
    right(padded, 2),
  )
  const json = [
    'application/json',
    'APPLICATION/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
  ]
  const others = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'text/json',
    'application/merge-patch+json',
    'json',
    '*/*',
  ]
  const wrongType = [fault(415, 'unsupported_media_type')]
  const type = fc.oneof(
    right(
      fc
        .tuple(anyCase('Content-Type'), fc.constantFrom(...json))
        .map((headers): Part => ({ headers })),
      12,
    ),
    right(field('Content-Type', others, wrongType), 1),
    right(fc.constant<Part>({ faults: wrongType }), 1),
  )
  const coding = fc.oneof(
    right(none, 12),
    right(field('Content-Encoding', ['identity', 'Identity']), 1),
    right(
      field(
        'Content-Encoding',
        ['gzip', 'br', 'deflate', 'x', 'gzip, identity'],
        [fault(415, 'unsupported_content_encoding')],
      ),
      1,
    ),
  )
  return fc.tuple(content, type, coding, fc.boolean()).map(([found, ...rest]) => {
    const [typePart, codingPart, isChunked] = rest
    // No body and no type is no media type that would be wrong.
    const isNothing = found.body?.length === 0 && !isChunked && !typePart.headers
    const missing: Part = { faults: [fault(400, 'invalid_body')] }
    const parts = isNothing ? [missing, codingPart] : [found, typePart, codingPart]
    return {
      ...found,
      isChunked,
      headers: parts.flatMap(({ headers = [] }) => headers),
      faults: parts.flatMap(({ faults = [] }) => faults),
    }
  })
}
