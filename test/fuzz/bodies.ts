// Request bodies with their headers, both those that the document allows and those that it forbids.
import fc, { type Arbitrary } from 'fast-check'
import type { ApiDocument, Operation } from './api-document.ts'
import { type Choice, choicesOf, statesOf } from './choices.ts'
import type { Load } from './expected-outcomes.ts'
import { importPart } from './import-bodies.ts'
import { malformedBodies } from './malformed-json.ts'
import { anyCase, fault, headerPart, noPart, type Part, weighted } from './part.ts'
import { invalidJson, validJson } from './values.ts'

export interface BodyPart extends Part {
  body?: Uint8Array
  isChunked?: boolean
  /** The animal whose id replaces `placeholderId` in the body. */
  petChoice?: Choice
  load?: Omit<Load, 'isDry'>
  /** The media type of the body. */
  type?: string
}

const maxBytes = 64 * 1024

/** As long as the longest int64, so that replacing it does not change the length of the body. */
const placeholderId = '-7777777777777777777'

/** Replaces `placeholderId` with an id, in one of the notations of an integer. */
export function insertPetId(body: Uint8Array, id: string): Buffer {
  const text = Buffer.from(body).toString('latin1')
  const isShort = !id.startsWith('-') && id.length < 10
  const spelled = isShort && text.length % 2 === 0 ? `${id}.0` : id
  return Buffer.from(text.replaceAll(placeholderId, spelled.padEnd(placeholderId.length)), 'latin1')
}

export function bodyPart(document: ApiDocument, operation: Operation): Arbitrary<BodyPart> {
  if (operation.id === 'importPets') return importPart(document)
  const [schema] = operation.bodies.values()
  if (schema === undefined) return unexpectedBody(operation)
  const malformed = [fault(400, 'malformed_json')]
  const bytes = (text: string) => new TextEncoder().encode(text)
  const valid = validJson(document, schema, { petId: fc.constant(placeholderId) })
  const good = valid.map((text): BodyPart => ({ body: bytes(text) }))
  const large = fc.constantFrom(maxBytes - 1, maxBytes, maxBytes + 1, 2 * maxBytes)
  const padded = fc.tuple(valid, large).map(([text, size]): BodyPart => {
    const body = bytes(text)
    const padding = new Uint8Array(Math.max(0, size - body.length)).fill(0x20)
    return {
      body: Buffer.concat([body, padding]),
      faults: size > maxBytes ? [fault(413, 'body_too_large')] : [],
    }
  })
  const content = fc.oneof(
    weighted(good, 60),
    weighted(
      invalidJson(document, schema).map((text): BodyPart => {
        // An escaped NUL is malformed JSON, not only an invalid value.
        const codes = text.includes('\\u0000') ? ['malformed_json'] : ['invalid_body']
        return { body: bytes(text), faults: [fault(400, ...codes)] }
      }),
      20,
    ),
    weighted(
      malformedBodies(valid).map((body): BodyPart => ({ body, faults: malformed })),
      10,
    ),
    weighted(padded, 2),
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
    weighted(
      fc
        .tuple(anyCase('Content-Type'), fc.constantFrom(...types))
        .map((headers): Part => ({ headers })),
      12,
    ),
    weighted(headerPart('Content-Type', others, wrongType), 1),
    weighted(fc.constant<Part>({ faults: wrongType }), 1),
  )
  const coding = fc.oneof(
    weighted(noPart, 12),
    weighted(headerPart('Content-Encoding', ['identity', 'Identity']), 1),
    weighted(
      headerPart(
        'Content-Encoding',
        ['gzip', 'br', 'deflate', 'x', 'gzip, identity'],
        [fault(415, 'unsupported_content_encoding')],
      ),
      1,
    ),
  )
  return fc.tuple(content, type, coding, fc.boolean(), petChoices()).map(([found, ...rest]) => {
    const [typePart, codingPart, isChunked, petChoice] = rest
    // Without a body and a Content-Type, the body is missing, and no media type is wrong.
    const isNothing = found.body?.length === 0 && !isChunked && !typePart.headers
    const missing: Part = { faults: [fault(400, 'invalid_body')] }
    const parts = isNothing ? [missing, codingPart] : [found, typePart, codingPart]
    return {
      ...found,
      isChunked,
      petChoice,
      headers: parts.flatMap(({ headers = [] }) => headers),
      faults: parts.flatMap(({ faults = [] }) => faults),
    }
  })
}

/** An animal in any state, or the id of no animal. */
function petChoices(): Arbitrary<Choice> {
  const unknownIds = fc.constantFrom(
    '0',
    '-1',
    '9007199254740993',
    '9223372036854775807',
    `${-(2n ** 63n)}`,
  )
  return fc.oneof(
    weighted(choicesOf(['available']), 4),
    weighted(choicesOf(statesOf.pets), 4),
    weighted(
      unknownIds.map((literal) => ({ literal })),
      1,
    ),
  )
}

/** A body for an operation that has none, which ignores it. */
function unexpectedBody({ method }: Operation): Arbitrary<BodyPart> {
  if (method === 'GET') return fc.constant({})
  const texts = ['', '{}', '{', 'x', 'x'.repeat(70_000)]
  const ignored = fc.constantFrom(...texts).map((text): BodyPart => ({ body: Buffer.from(text) }))
  return fc.oneof(weighted(fc.constant({}), 5), weighted(ignored, 1))
}
