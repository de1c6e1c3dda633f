// The request of an example, before it is written in a language: address, headers, credentials and body. Where a schema
// has no example, the simplest values that satisfy it are used.
import { entriesOf } from './document-values.ts'
import { exampleText, isJson, jsonText, valueText } from './plain-text.ts'
import type { Resolve } from './read-document.ts'
import type { Media, Operation, Parameter } from './read-operations.ts'
import { isWebAddress } from './read-operations.ts'
import type { Reference } from './reference.ts'
import { sampleValue } from './sample-value.ts'
import { schemaFacts } from './schema-facts.ts'
import { viewSchema } from './schema-view.ts'

/** A value is `text`, followed by that of the environment variable, if there is one. */
export interface ExampleField {
  name: string
  text: string
  variable?: string | undefined
}

export interface ExampleRequest {
  method: string
  /** With encoded path and query, without credentials. */
  address: string
  /** Credentials that are appended to the query. Names are encoded. */
  keys: { name: string; variable: string }[]
  headers: ExampleField[]
  cookies: ExampleField[]
  /** USERNAME and PASSWORD are sent by HTTP basic authentication. */
  hasUser: boolean
  hasCertificate: boolean
  body: ExampleBody | undefined
}

/** A file is the one named `file` in the current folder. */
export type ExampleBody =
  | { kind: 'text'; type: string; text: string; isJson: boolean }
  | { kind: 'file'; type: string }
  | { kind: 'urlencoded'; fields: ExampleField[] }
  | { kind: 'multipart'; fields: (ExampleField & { isFile: boolean })[] }

const unknownServer = 'https://example.com'
const maxValueLength = 2_000

export function exampleRequest(
  operation: Operation,
  { context, schemes }: Reference,
): ExampleRequest {
  const { method, parameters, body, security = [] } = operation
  const { resolve } = context
  const required = parameters.filter((parameter) => parameter.required)
  const media = body && (body.media.find(({ type }) => isJson(type)) ?? body.media[0])
  const request: ExampleRequest = {
    method,
    address: addressOf(operation, required, resolve),
    keys: [],
    headers: [],
    cookies: [],
    hasUser: false,
    hasCertificate: false,
    body: media && bodyOf(media, resolve),
  }
  const needs = security[0] ?? []
  for (const credential of needs.flatMap(({ scheme }) => schemes.get(scheme)?.credential ?? [])) {
    if (credential.place === 'user') request.hasUser = true
    if (credential.place === 'certificate') request.hasCertificate = true
    if (!('variable' in credential)) continue
    const { name, prefix, variable } = credential
    if (credential.place === 'header') request.headers.push({ name, text: prefix, variable })
    if (credential.place === 'cookie') request.cookies.push({ name, text: '', variable })
    if (credential.place === 'query') request.keys.push({ name: encode(name), variable })
  }
  for (const parameter of required) {
    const { name } = parameter
    const text = parameterText(parameter, resolve)
    if (parameter.in === 'header') request.headers.push({ name, text })
    if (parameter.in === 'cookie') request.cookies.push({ name, text })
  }
  return request
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

/** The example of a parameter in one line; items of a list are separated by commas. */
export function parameterText(parameter: Parameter, resolve: Resolve): string {
  const text = textOfValue(parameterValue(parameter, resolve))
  return text.slice(0, maxValueLength).replaceAll(/\s+/g, ' ').trim()
}

function encode(text: string): string {
  return encodeURIComponent(text.slice(0, maxValueLength).toWellFormed()).replaceAll("'", '%27')
}

function bodyOf({ type, schema, examples }: Media, resolve: Resolve): ExampleBody {
  const value = examples[0]?.value ?? sampleValue(schema, { resolve, isRequest: true })
  if (/^multipart\//i.test(type)) {
    const view = viewSchema(schema, resolve)
    const fields = entriesOf(value).map(([name, item]) => {
      const { keywords } = viewSchema(view.properties.get(name), resolve)
      const isFile = keywords.format === 'binary' || keywords.contentMediaType !== undefined
      return { name, text: textOfValue(item), isFile }
    })
    return { kind: 'multipart', fields }
  }
  if (/x-www-form-urlencoded/i.test(type)) {
    const fields = entriesOf(value).map(([name, item]) => ({ name, text: textOfValue(item) }))
    return { kind: 'urlencoded', fields }
  }
  const shownType = type.slice(0, 200).replaceAll(/\s+/g, ' ')
  if (!isText(type) && typeof value !== 'object') return { kind: 'file', type: shownType }
  const short = isJson(type) && typeof value !== 'string' ? jsonText(value, { indent: false }) : ''
  const text = short !== '' && short.length <= 60 ? short : exampleText(value, type)
  return { kind: 'text', type: shownType, text, isJson: isJson(type) }
}

function isText(type: string): boolean {
  return isJson(type) || /^text\/|xml|yaml|csv|ndjson|graphql/i.test(type)
}
