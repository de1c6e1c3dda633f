// The value that an example shows: that of the document, or the simplest one that satisfies the schema.

import { isJson } from '../../sources/plain-text.ts'
import { hasField, isFields, listField, textField } from './document-values.ts'
import type { Media } from './read-operations.ts'
import type { Resolve } from './resolve-refs.ts'
import { discriminatorValue, type SchemaView, schemaExamples, viewSchema } from './schema-view.ts'

interface SampleOptions {
  resolve: Resolve
  /** For a request: without read-only fields. Otherwise without write-only fields. */
  isRequest: boolean
}

/** The one whose example is shown: JSON, otherwise the first. */
export function mainMedia(media: Media[] = []): Media | undefined {
  return media.find(({ type }) => isJson(type)) ?? media[0]
}

/** The examples of the document; without any, a sample of JSON that has a schema. */
export function examplesOf({ examples, schema, type }: Media, options: SampleOptions) {
  if (examples.length > 0 || schema === undefined || !/json/i.test(type)) return examples
  return [{ value: sampleValue(schema, options) }]
}

const maxSampleValues = 300
const maxSampleDepth = 8

const byFormat = {
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

/** What `const` or `enum` allow. */
const valuesOf = ({ keywords }: SchemaView) =>
  hasField(keywords, 'const') ? [keywords.const] : listField(keywords, 'enum')

export function sampleValue(schema: unknown, { resolve, isRequest }: SampleOptions): unknown {
  let left = maxSampleValues

  /** Undefined if no value is possible. */
  function sample(part: unknown, depth: number, trail: readonly string[]): unknown {
    left -= 1
    const view = viewSchema(part, resolve)
    const { choices, items, keywords, never, prefixItems, properties, refs } = view
    const given = [schemaExamples(view)[0], keywords.const, keywords.default, valuesOf(view)[0]]
    const known = given.find((value) => value !== undefined)
    if (known !== undefined) return known
    if (never || refs.some((ref) => trail.includes(ref))) return undefined
    if (left < 0 || depth > maxSampleDepth) return null
    const deeper = (child: unknown) => sample(child, depth + 1, [...trail, ...refs])
    const [type] = view.types
    const option = choices.find(({ words }) => words.endsWith(' of'))?.options[0]
    const chosen = () => withDiscriminator(view, viewSchema(option, resolve), deeper(option))
    if (properties.size > 0 || type === 'object') {
      const fields = fieldSamples(view, deeper)
      const more = option === undefined ? undefined : chosen()
      if (typeof more === 'object' && !Array.isArray(more)) Object.assign(fields, more)
      else withDiscriminator(view, view, fields)
      const isOpen = Object.keys(fields).length === 0 && isFields(view.additional)
      const value = isOpen ? deeper(view.additional) : undefined
      return value === undefined ? fields : Object.assign(fields, { key: value })
    }
    if (type === 'array') {
      const first = prefixItems.length > 0 ? prefixItems.slice(0, 20) : [items ?? false]
      return first.map(deeper).filter((item) => item !== undefined)
    }
    return type === undefined && option !== undefined ? chosen() : scalarSample(view, type)
  }

  /** Without recursive values. */
  function fieldSamples({ properties }: SchemaView, deeper: (child: unknown) => unknown) {
    const fields: Record<string, unknown> = Object.create(null)
    for (const [name, property] of properties) {
      if (left < 0) break
      const about = viewSchema(property, resolve)
      if (about.deprecated || (isRequest ? about.readOnly : about.writeOnly)) continue
      const value = deeper(property)
      if (value !== undefined) fields[name] = value
    }
    return fields
  }

  /** The field that says which schema it is has the value that selects this one, if the field may have it. */
  function withDiscriminator(view: SchemaView, chosen: SchemaView, value: unknown): unknown {
    const { mapping = [], property = '' } = view.discriminator ?? {}
    const isBase = chosen === view && view.refs.length < 2
    const word = isBase ? mapping[0]?.[0] : discriminatorValue(view, chosen)
    if (word === undefined || !isFields(value)) return value
    const allowed = valuesOf(viewSchema(chosen.properties.get(property), resolve))
    if (allowed.length === 0 || allowed.includes(word)) value[property] = word
    return value
  }

  return sample(schema, 0, []) ?? null
}

function scalarSample({ keywords, nullable }: SchemaView, type: string | undefined): unknown {
  const { minimum, maximum, minLength } = keywords
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') {
    if (typeof minimum === 'number' || typeof minimum === 'bigint') return minimum
    return typeof maximum === 'number' && maximum < 1 ? maximum : 1
  }
  if (type !== 'string') return nullable ? null : Object.create(null)
  const length = typeof minLength === 'number' ? Math.min(minLength, 100) : 0
  const format = textField(keywords, 'format') ?? ''
  return textField(byFormat, format) ?? 'string'.padEnd(length, '.')
}
