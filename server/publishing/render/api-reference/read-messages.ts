// Reads what goes over the wire: parameters, bodies, responses, headers, examples.
import {
  entriesField,
  entriesOf,
  fieldOf,
  flagField,
  hasField,
  isFields,
  textField,
} from './document-values.ts'
import type { Example, Header, Media, Parameter, RequestBody, Response } from './operation.ts'
import type { Resolve } from './references.ts'

const places = ['path', 'query', 'header', 'cookie'] as const
/** Given by other parts of the document (OpenAPI 3.1, section 4.8.12). */
const notParameters = ['accept', 'content-type', 'authorization']

/** Those of an operation go before those of its path; ordered by where they are sent. */
export function readParameters(given: unknown[], resolve: Resolve): Parameter[] {
  const found = new Map<string, Parameter>()
  for (const item of given) {
    const parameter = readParameter(resolve(item).value, resolve)
    if (parameter) found.set(`${parameter.in} ${parameter.name}`, parameter)
  }
  return places.flatMap((place) => [...found.values()].filter((item) => item.in === place))
}

function readParameter(value: unknown, resolve: Resolve): Parameter | undefined {
  const name = textField(value, 'name')
  const place = places.find((known) => known === fieldOf(value, 'in'))
  if (name === undefined || place === undefined) return undefined
  if (place === 'header' && notParameters.includes(name.toLowerCase())) return undefined
  const style = textField(value, 'style') ?? (place === 'query' || place === 'cookie' ? 'form' : '')
  const explode = fieldOf(value, 'explode')
  return {
    name,
    in: place,
    required: place === 'path' || flagField(value, 'required'),
    deprecated: flagField(value, 'deprecated'),
    description: textField(value, 'description'),
    explode: typeof explode === 'boolean' ? explode : style === 'form',
    ...readContent(value, resolve),
  }
}

export function readBody(value: unknown, resolve: Resolve): RequestBody | undefined {
  const body = resolve(value).value
  if (!isFields(body)) return undefined
  return {
    required: flagField(body, 'required'),
    description: textField(body, 'description'),
    media: readMedia(body, resolve),
  }
}

/** By status: numbers first, then classes such as `4XX`, then `default`. */
export function readResponses(value: unknown, resolve: Resolve): Response[] {
  const responses = entriesOf(value)
    .filter(([status]) => /^([1-5](\d\d|XX)|default)$/i.test(status))
    .map(([status, item]) => {
      const response = resolve(item).value
      return {
        status: status === 'default' ? status : status.toUpperCase(),
        description: textField(response, 'description'),
        headers: readHeaders(fieldOf(response, 'headers'), resolve),
        media: readMedia(response, resolve),
      }
    })
  return responses.sort((a, b) => (a.status < b.status ? -1 : 1))
}

export function readHeaders(value: unknown, resolve: Resolve): Header[] {
  return entriesOf(value)
    .filter(([name]) => name.toLowerCase() !== 'content-type')
    .map(([name, item]) => {
      const header = resolve(item).value
      return {
        name,
        required: flagField(header, 'required'),
        deprecated: flagField(header, 'deprecated'),
        description: textField(header, 'description'),
        ...readContent(header, resolve),
      }
    })
}

/** A parameter or header has a schema, or a body of one media type. */
function readContent(value: unknown, resolve: Resolve): { schema: unknown; examples: unknown[] } {
  const [media] = readMedia(value, resolve)
  if (media) return { schema: media.schema, examples: media.examples.map((item) => item.value) }
  const examples = readExamples(value, resolve).map((example) => example.value)
  return { schema: fieldOf(value, 'schema'), examples }
}

function readMedia(value: unknown, resolve: Resolve): Media[] {
  return entriesField(value, 'content').map(([type, item]) => {
    const media = resolve(item).value
    return { type, schema: fieldOf(media, 'schema'), examples: readExamples(media, resolve) }
  })
}

function readExamples(value: unknown, resolve: Resolve): Example[] {
  const several = entriesField(value, 'examples').flatMap(([name, item]) => {
    const example = resolve(item).value
    const shown = ['value', 'dataValue', 'serializedValue'].find((key) => hasField(example, key))
    if (shown === undefined) return []
    const summary = textField(example, 'summary') ?? textField(example, 'description')
    return [{ name, summary, value: fieldOf(example, shown) }]
  })
  if (several.length > 0 || !hasField(value, 'example')) return several
  return [{ name: undefined, summary: undefined, value: fieldOf(value, 'example') }]
}
