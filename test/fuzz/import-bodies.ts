// Bodies of an import: CSV, NDJSON and JSON.
import fc, { type Arbitrary } from 'fast-check'
import type { ApiDocument } from './api-document.ts'
import type { BodyPart } from './bodies.ts'
import { parseExact } from './exact-json.ts'
import type { Pet } from './model.ts'
import { anyCase, fault, headerPart, type Part, weighted } from './part.ts'
import { invalidJson, validJson } from './values.ts'

const maxBytes = 1024 * 1024
const maxRecords = 10_000

const forms = ['csv', 'ndjson', 'json'] as const
type Form = (typeof forms)[number]
const types: Record<Form, string> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
}

/** One record per line: JSON texts, or lines of CSV. */
interface Records {
  form: Form
  lines: string[]
}

export function importPart(document: ApiDocument): Arbitrary<BodyPart> {
  const schema = document.schema('NewPet')
  const record = validJson(document, schema).map(onOneLine)
  const wrongRecord = invalidJson(document, schema).map(onOneLine)
  const form = fc.constantFrom(...forms)
  const good = fc
    .tuple(form, fc.array(record, { maxLength: 4 }))
    .map(([found, texts]): BodyPart => validPart(found, texts))
  const flawed = fc
    .tuple(
      fc.constantFrom('ndjson' as const, 'json' as const),
      fc.array(record, { maxLength: 3 }),
      wrongRecord,
    )
    .map(([found, texts, wrong]): BodyPart => {
      const body = serialize({ form: found, lines: [...texts, wrong] })
      const line = texts.length + 1
      return { ...withType(found, body), load: { records: [], flaw: { line } } }
    })
  const unparsable = fc.constantFrom<[Form, string, number | undefined]>(
    ['csv', '', 1],
    ['csv', 'name\r\nRex\r\n', 1],
    ['csv', 'name,categoryId,name\r\n', 1],
    ['csv', 'name,categoryId\r\nRex\r\n', 2],
    ['csv', 'name,categoryId\r\nRex,7\r\n,7\r\n', 3],
    ['csv', 'name,categoryId\r\nRex,seven\r\n', 2],
    ['csv', 'name,categoryId,status\r\nRex,7,gone\r\n', 2],
    ['csv', 'name,categoryId\r\n"Rex,7\r\n', undefined],
    ['ndjson', '{"name":"Rex","categoryId":7}\n\n{"name":', 3],
    ['ndjson', '{"name":"Rex","categoryId":7}{}', 1],
    ['json', '', 1],
    ['json', '{"name":"Rex","categoryId":7}', undefined],
    ['json', '[{"name":"Rex","categoryId":7}', undefined],
    ['json', '[{"name":"Rex","categoryId":7},]', undefined],
    ['json', '[{"name":"Rex","categoryId":7}] x', undefined],
  )
  const unparsablePart = unparsable.map(([found, text, line]): BodyPart => {
    return { ...withType(found, text), load: { records: [], flaw: { line } } }
  })
  const content = fc.oneof(
    weighted(good, 30),
    weighted(flawed, 10),
    weighted(unparsablePart, 5),
    weighted(fc.constantFrom(...oversizedBodies()), 1),
  )
  const wrongTypes = [fault(415, 'unsupported_media_type')]
  const otherTypes = [
    'text/plain',
    'application/merge-patch+json',
    'text/csv; charset=iso-8859-1',
    '*/*',
  ]
  const coding = fc.oneof(
    weighted(fc.constant<Part>({}), 12),
    weighted(
      headerPart('Content-Encoding', ['gzip', 'br'], [fault(415, 'unsupported_content_encoding')]),
      1,
    ),
  )
  const otherType = fc.oneof(
    weighted(fc.constant(undefined), 12),
    weighted(headerPart('Content-Type', otherTypes, wrongTypes), 1),
    weighted(fc.constant<Part>({ faults: wrongTypes }), 1),
  )
  return fc
    .tuple(content, otherType, coding, anyCase('Content-Type'), fc.boolean())
    .map(([found, other, codingPart, name, isChunked]) => {
      const parameters = isChunked ? '; charset=utf-8' : ''
      const own: Part = { headers: [name, `${found.type}${parameters}`] }
      const parts = [other ?? own, codingPart]
      return {
        ...found,
        isChunked,
        headers: parts.flatMap(({ headers = [] }) => headers),
        faults: [...(found.faults ?? []), ...parts.flatMap(({ faults = [] }) => faults)],
      }
    })
}

const onOneLine = (text: string): string => text.replaceAll(/[\r\n\t]/g, ' ')

function validPart(form: Form, texts: string[]): BodyPart & { type: string } {
  const records = texts.map((text): Omit<Pet, 'id'> => {
    const { name, categoryId, status = 'available' } = parseExact(text) as Pet
    return { name, categoryId, status }
  })
  const lines = form === 'csv' ? csvLines(records) : texts
  return { ...withType(form, serialize({ form, lines })), load: { records } }
}

function csvLines(records: Omit<Pet, 'id'>[]): string[] {
  return records.map(({ name, categoryId, status }) => {
    return `${status},"${name.replaceAll('"', '""')}",ignored,${categoryId}`
  })
}

function serialize({ form, lines }: Records): string {
  if (form === 'json') return `[${lines.join(',\n')}]`
  // Some start with a byte order mark, which is skipped.
  const mark = lines.length === 2 ? '\ufeff' : ''
  if (form === 'ndjson') return mark + lines.map((line) => `${line}\n`).join('')
  return ['status,name,x,categoryId', ...lines].map((line) => `${line}\r\n`).join('')
}

function withType(form: Form, text: string): BodyPart & { type: string } {
  return { type: types[form], body: Buffer.from(text) }
}

/** One byte too many is known from the headers; one record too many only after all have been read. */
function oversizedBodies(): (BodyPart & { type: string })[] {
  const record = '{"name":"x","categoryId":1}\n'
  const fill = (bytes: number): string => record + '\n'.repeat(bytes - record.length)
  const records = [{ name: 'x', categoryId: 1n, status: 'available' }]
  const tooLarge = [fault(413, 'body_too_large')]
  return [
    { ...withType('ndjson', fill(maxBytes)), load: { records } },
    { ...withType('ndjson', fill(maxBytes + 1)), faults: tooLarge },
    {
      ...withType('ndjson', record.repeat(maxRecords + 1)),
      faults: [{ status: 413, codes: ['body_too_large'], isLate: true }],
    },
  ]
}
