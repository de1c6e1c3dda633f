// The value that an example shows: that of the document, or the simplest one that satisfies the schema.

import { hasField, isFields, listField, textField } from './document-values.ts'
import type { Media } from './read-operations.ts'
import type { Resolve } from './resolve-refs.ts'
import { discriminatorValue, type SchemaView, schemaExamples, viewSchema } from './schema-view.ts'

interface SampleOptions {
  resolve: Resolve
  /** For a request: without read-only fields. Otherwise without write-only fields. */
  isRequest: boolean
}

/** The examples of the document; without any, a sample of JSON that has a schema. */
export function examplesOf({ examples, schema, type }: Media, options: SampleOptions) {
  if (examples.length > 0 || schema === undefined || !/json/i.test(type)) return examples
  return [{ value: sampleValue(schema, options) }]
}

const maxSampleValues = 300
const maxSampleDepth = 8

const byFormat: Record<string, unknown> = {
  'date-time': '2030-01-01T00:00:00Z',
  date: '2030-01-01',
  time: '12:00:00Z',
  duration: 'P1D',
  email: 'name@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com',
  url: 'https://example.com',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  byte: 'U3RvcmU=',
}

export function sampleValue(schema: unknown, { resolve, isRequest }: SampleOptions): unknown {
  let left = maxSampleValues

  /** Undefined if no value is possible. */
  function sample(part: unknown, depth: number, trail: readonly string[]): unknown {
    left -= 1
    const view = viewSchema(part, resolve)
    const [example] = schemaExamples(view)
    if (example !== undefined) return example
    if (hasField(view.keywords, 'const')) return view.keywords.const
    if (hasField(view.keywords, 'default')) return view.keywords.default
    const values = listField(view.keywords, 'enum')
    if (values.length > 0) return values[0]
    if (view.never || view.refs.some((ref) => trail.includes(ref))) return undefined
    if (left < 0 || depth > maxSampleDepth) return null
    const deeper = (child: unknown) => sample(child, depth + 1, [...trail, ...view.refs])
    const [type] = view.types
    if (view.properties.size > 0 || type === 'object') return objectSample(view, deeper)
    if (type === 'array') {
      const itemViews = view.items === undefined ? [] : [view.items]
      const items = view.prefixItems.length > 0 ? view.prefixItems.slice(0, 20) : itemViews
      return items.map(deeper).filter((item) => item !== undefined)
    }
    const option = view.choices.find(({ words }) => words.endsWith(' of'))?.options[0]
    if (type === undefined && option !== undefined) return selected(view, option, deeper(option))
    return scalarSample(view, type)
  }

  function objectSample(view: SchemaView, deeper: (child: unknown) => unknown): unknown {
    const fields: Record<string, unknown> = Object.create(null)
    for (const [name, property] of view.properties) {
      if (left < 0) break
      const about = viewSchema(property, resolve)
      if (about.deprecated || (isRequest ? about.readOnly : about.writeOnly)) continue
      const value = deeper(property)
      // Recursive values are omitted.
      if (value !== undefined) fields[name] = value
    }
    const option = view.choices.find(({ words }) => words.endsWith(' of'))?.options[0]
    const more = option === undefined ? undefined : selected(view, option, deeper(option))
    if (typeof more === 'object' && !Array.isArray(more)) Object.assign(fields, more)
    else withDiscriminator(view, view, fields)
    const { additional } = view
    if (Object.keys(fields).length > 0 || !isFields(additional)) return fields
    const value = deeper(additional)
    return value === undefined ? fields : Object.assign(fields, { key: value })
  }

  const selected = (view: SchemaView, option: unknown, value: unknown) =>
    withDiscriminator(view, viewSchema(option, resolve), value)

  /** The field that says which schema it is has the value that selects this one, if the field may have it. */
  function withDiscriminator(view: SchemaView, chosen: SchemaView, value: unknown): unknown {
    const { mapping = [], property = '' } = view.discriminator ?? {}
    const isBase = chosen === view && view.refs.length < 2
    const word = isBase ? mapping[0]?.[0] : discriminatorValue(view, chosen)
    if (word === undefined || !isFields(value)) return value
    const { keywords } = viewSchema(chosen.properties.get(property), resolve)
    const values = hasField(keywords, 'const') ? [keywords.const] : listField(keywords, 'enum')
    if (values.length === 0 || values.includes(word)) value[property] = word
    return value
  }

  return sample(schema, 0, []) ?? null
}

function scalarSample({ keywords, nullable }: SchemaView, type: string | undefined): unknown {
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') {
    const { minimum, maximum } = keywords
    if (typeof minimum === 'number' || typeof minimum === 'bigint') return minimum
    return typeof maximum === 'number' && maximum < 1 ? maximum : 1
  }
  if (type === 'string') {
    const format = textField(keywords, 'format') ?? ''
    if (Object.hasOwn(byFormat, format)) return byFormat[format]
    const { minLength } = keywords
    return 'string'.padEnd(typeof minLength === 'number' ? Math.min(minLength, 100) : 0, '.')
  }
  return nullable ? null : Object.create(null)
}
