// A request as a curl command. Where a schema has no example, the simplest values that satisfy it are used.
import { entriesOf, hasField, listField, textField } from './document-values.ts'
import {
  exampleText,
  isJson,
  jsonText,
  shellQuote,
  shellQuoteWithVariable,
  valueText,
} from './plain-text.ts'
import type { Resolve } from './read-document.ts'
import type { Media, Operation, Parameter } from './read-operations.ts'
import { isWebAddress } from './read-operations.ts'
import type { Reference } from './reference.ts'
import { schemaExamples, schemaFacts } from './schema-facts.ts'
import { type SchemaView, viewSchema } from './schema-view.ts'

const unknownServer = 'https://example.com'
const maxValueLength = 2_000

export function curlExample(operation: Operation, { context, schemes }: Reference): string {
  const { method, parameters, body, security = [] } = operation
  const { resolve } = context
  const credentials = (security[0] ?? []).flatMap(
    ({ scheme }) => schemes.get(scheme)?.credential ?? [],
  )
  const lines: string[] = []
  const required = parameters.filter((parameter) => parameter.required)
  const value = (parameter: Parameter) => parameterValue(parameter, resolve)
  const media = body && (body.media.find(({ type }) => isJson(type)) ?? body.media[0])

  let address = shellQuote(addressOf(operation, required, resolve))
  for (const credential of credentials) {
    const { place } = credential
    if (place === 'user') lines.push('-u "$USERNAME:$PASSWORD"')
    if (place === 'certificate') lines.push('--cert client.pem --key client-key.pem')
    if (!('variable' in credential)) continue
    const { name, prefix, variable } = credential
    if (place === 'header') {
      lines.push(`-H ${shellQuoteWithVariable(`${name}: ${prefix}`, variable)}`)
    }
    if (place === 'cookie') lines.push(`-b ${shellQuoteWithVariable(`${name}=`, variable)}`)
    if (place === 'query') {
      const sign = address.includes('?') ? '&' : '?'
      address = `${address}${shellQuote(`${sign}${encode(name)}=`)}"$${variable}"`
    }
  }
  for (const parameter of required) {
    const text = oneLineValue(value(parameter))
    if (parameter.in === 'header') lines.push(`-H ${shellQuote(`${parameter.name}: ${text}`)}`)
    if (parameter.in === 'cookie') lines.push(`-b ${shellQuote(`${parameter.name}=${text}`)}`)
  }
  if (media) lines.push(...bodyLines(media, resolve))
  return [`curl${methodOption(method, media !== undefined)} ${address}`, ...lines].join(' \\\n  ')
}

function methodOption(method: string, hasBody: boolean): string {
  if (method === 'HEAD') return ' -I'
  // With a body, curl would send a POST.
  return method === 'GET' && !hasBody ? '' : ` -X ${method}`
}

function addressOf({ servers, route }: Operation, required: Parameter[], resolve: Resolve): string {
  const values = new Map(
    required
      .filter((parameter) => parameter.in === 'path')
      .map((parameter) => [parameter.name, parameterValue(parameter, resolve)]),
  )
  const path = route
    .slice(0, maxValueLength)
    .split(/(\{[^{}]*\})/)
    .map((piece) => {
      const name = /^\{([^{}]*)\}$/.exec(piece)?.[1]
      if (name === undefined) return encodeURI(piece.toWellFormed()).replaceAll("'", '%27')
      return encode(textOfValue(values.has(name) ? values.get(name) : name))
    })
    .join('')
  const query = required
    .filter((parameter) => parameter.in === 'query')
    .flatMap((parameter) => {
      const value = parameterValue(parameter, resolve)
      const items = Array.isArray(value) && parameter.explode ? value : [value]
      return items.map((item) => `${encode(parameter.name)}=${encode(textOfValue(item))}`)
    })
  const separator = path.startsWith('/') ? '' : '/'
  return `${serverOf(servers)}${separator}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

function serverOf(servers: Operation['servers']): string {
  const url = servers[0]?.url ?? ''
  const base = isWebAddress(url) ? url : url.startsWith('/') ? unknownServer + url : unknownServer
  return encodeURI(base.toWellFormed()).replaceAll("'", '%27').replace(/\/+$/, '')
}

/** Its example, otherwise a sample; for text without restrictions the name of the parameter. */
function parameterValue({ name, schema, examples }: Parameter, resolve: Resolve): unknown {
  if (examples.length > 0) return examples[0]
  const sample = sampleValue(schema, { resolve, isRequest: true })
  const isAnything = sample === 'string' && schemaFacts(viewSchema(schema, resolve)).length === 0
  return isAnything ? name : sample
}

function textOfValue(value: unknown): string {
  return Array.isArray(value) ? value.map(valueText).join(',') : valueText(value)
}

function oneLineValue(value: unknown): string {
  return textOfValue(value).slice(0, maxValueLength).replaceAll(/\s+/g, ' ').trim()
}

function encode(text: string): string {
  return encodeURIComponent(text.slice(0, maxValueLength).toWellFormed()).replaceAll("'", '%27')
}

function bodyLines(media: Media, resolve: Resolve): string[] {
  const { type, schema, examples } = media
  const value = examples[0]?.value ?? sampleValue(schema, { resolve, isRequest: true })
  if (/^multipart\//i.test(type)) return formLines(value, schema, resolve)
  const header = `-H ${shellQuote(`Content-Type: ${type.slice(0, 200).replaceAll(/\s+/g, ' ')}`)}`
  if (/x-www-form-urlencoded/i.test(type)) {
    return entriesOf(value).map(
      ([name, item]) => `--data-urlencode ${shellQuote(`${name}=${textOfValue(item)}`)}`,
    )
  }
  if (!isText(type) && typeof value !== 'object') return [header, '--data-binary @file']
  const short = isJson(type) ? jsonText(value, { indent: false }) : ''
  const text = short !== '' && short.length <= 60 ? short : exampleText(value, type)
  // curl reads a value with a leading @ from a file.
  return [header, `${text.startsWith('@') ? '--data-raw' : '-d'} ${shellQuote(text)}`]
}

function isText(type: string): boolean {
  return isJson(type) || /^text\/|xml|yaml|csv|ndjson|graphql/i.test(type)
}

function formLines(value: unknown, schema: unknown, resolve: Resolve): string[] {
  const view = viewSchema(schema, resolve)
  return entriesOf(value).map(([name, item]) => {
    const { keywords } = viewSchema(view.properties.get(name), resolve)
    const isFile = keywords.format === 'binary' || keywords.contentMediaType !== undefined
    const kind = isFile ? `${name}=@file` : `${name}=${textOfValue(item)}`
    return `${isFile ? '-F' : '--form-string'} ${shellQuote(kind)}`
  })
}

interface SampleOptions {
  resolve: Resolve
  /** For a request: without read-only fields. Otherwise without write-only fields. */
  isRequest: boolean
}

const maxValues = 300
const maxDepth = 8

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
  let left = maxValues

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
    if (left < 0 || depth > maxDepth) return null
    const deeper = (child: unknown) => sample(child, depth + 1, [...trail, ...view.refs])
    const [type] = view.types
    if (view.properties.size > 0 || type === 'object') return objectSample(view, deeper)
    if (type === 'array') {
      const given = view.items === undefined ? [] : [view.items]
      const items = view.prefixItems.length > 0 ? view.prefixItems.slice(0, 20) : given
      return items.map(deeper).filter((item) => item !== undefined)
    }
    const option = view.choices.find(({ words }) => words.endsWith(' of'))?.options[0]
    if (type === undefined && option !== undefined) return deeper(option)
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
    const more = option === undefined ? undefined : deeper(option)
    return typeof more === 'object' && more !== null && !Array.isArray(more)
      ? Object.assign(fields, more)
      : fields
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
