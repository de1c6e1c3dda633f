// Bodies with what describes them: what the document allows, and what it forbids.
import fc, { type Arbitrary } from 'fast-check'
import type { ApiDocument, Operation } from './api-document.ts'
import { type Choice, choicesOf, statesOf } from './choices.ts'
import { importPart } from './import-bodies.ts'
import type { Load } from './outcomes.ts'
import { anyCase, fault, field, none, type Part, right } from './part.ts'
import { rightJson, wrongJson } from './values.ts'
import { wrongBodies } from './wrong-json.ts'

export interface BodyPart extends Part {
  body?: Uint8Array
  isChunked?: boolean
  /** The animal whose id has to take the place of `anyId`. */
  subject?: Choice
  load?: Omit<Load, 'isDry'>
  /** The media type that it is written in. */
  type?: string
}

const maxBytes = 64 * 1024

/** As long as an int64 can be, so that an id in its place leaves the body as long as it is. */
const anyId = '-7777777777777777777'

/** The body with an id, in one of the ways to write an integer. */
export function withSubject(body: Uint8Array, id: string): Buffer {
  const text = Buffer.from(body).toString('latin1')
  const isShort = !id.startsWith('-') && id.length < 10
  const spelled = isShort && text.length % 2 === 0 ? `${id}.0` : id
  return Buffer.from(text.replaceAll(anyId, spelled.padEnd(anyId.length)), 'latin1')
}

export function bodyPart(document: ApiDocument, operation: Operation): Arbitrary<BodyPart> {
  if (operation.id === 'importPets') return importPart(document)
  const [schema] = operation.bodies.values()
  if (schema === undefined) return strayBody(operation)
  const malformed = [fault(400, 'malformed_json')]
  const bytes = (text: string) => new TextEncoder().encode(text)
  const made = rightJson(document, schema, { petId: fc.constant(anyId) })
  const good = made.map((text): BodyPart => ({ body: bytes(text) }))
  const large = fc.constantFrom(maxBytes - 1, maxBytes, maxBytes + 1, 2 * maxBytes)
  const padded = fc.tuple(made, large).map(([text, size]): BodyPart => {
    const body = bytes(text)
    const padding = new Uint8Array(Math.max(0, size - body.length)).fill(0x20)
    return {
      body: Buffer.concat([body, padding]),
      faults: size > maxBytes ? [fault(413, 'body_too_large')] : [],
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
      wrongBodies(made).map((body): BodyPart => ({ body, faults: malformed })),
      10,
    ),
    right(padded, 2),
  )
  const types = [...operation.bodies.keys()].flatMap((type) => [
    type,
    type.replace('application', 'APPLICATION'),
    `${type}; charset=utf-8`,
    `${type};charset=UTF-8`,
  ])
  const others = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'text/json',
    'application/merge-patch+json',
    'application/json; charset=iso-8859-1',
    'text/csv',
    'application/x-ndjson',
    'json',
    '*/*',
  ].filter((type) => !operation.bodies.has(type))
  const wrongType = [fault(415, 'unsupported_media_type')]
  const type = fc.oneof(
    right(
      fc
        .tuple(anyCase('Content-Type'), fc.constantFrom(...types))
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
  return fc.tuple(content, type, coding, fc.boolean(), subjects()).map(([found, ...rest]) => {
    const [typePart, codingPart, isChunked, subject] = rest
    // No body and no type is no media type that would be wrong.
    const isNothing = found.body?.length === 0 && !isChunked && !typePart.headers
    const missing: Part = { faults: [fault(400, 'invalid_body')] }
    const parts = isNothing ? [missing, codingPart] : [found, typePart, codingPart]
    return {
      ...found,
      isChunked,
      subject,
      headers: parts.flatMap(({ headers = [] }) => headers),
      faults: parts.flatMap(({ faults = [] }) => faults),
    }
  })
}

/** An animal in any state, or an id that no animal has. */
function subjects(): Arbitrary<Choice> {
  const none = fc.constantFrom(
    '0',
    '-1',
    '9007199254740993',
    '9223372036854775807',
    `${-(2n ** 63n)}`,
  )
  return fc.oneof(
    right(choicesOf(['available']), 4),
    right(choicesOf(statesOf.pets), 4),
    right(
      none.map((word) => ({ word })),
      1,
    ),
  )
}

/** A body, or the type of one, where none is read: of no matter. */
function strayBody({ method }: Operation): Arbitrary<BodyPart> {
  if (method === 'GET') return fc.constant({})
  const texts = ['', '{}', '{', 'x', 'x'.repeat(70_000)]
  const stray = fc.constantFrom(...texts).map((text): BodyPart => ({ body: Buffer.from(text) }))
  return fc.oneof(right(fc.constant({}), 5), right(stray, 1))
}
