// The request of an example, before it is written in a language: address, headers, credentials and body. Where a schema
// has no example, the simplest values that satisfy it are used.

import { exampleText, isJson, jsonText, valueText } from '../sources/plain-text.ts'
import { entriesOf } from './document/document-values.ts'
import type { Resolve } from './document/read-document.ts'
import {
  isWebAddress,
  type Media,
  type Operation,
  type Parameter,
} from './document/read-operations.ts'
import { sampleValue } from './document/sample-value.ts'
import { schemaFacts, viewSchema } from './document/schema-view.ts'
import type { Reference } from './reference-context.ts'

const unknownServer = 'https://example.com'
const maxValueLength = 2_000

export type ExampleRequest = ReturnType<typeof exampleRequest>

/** A value is `text`, followed by that of the environment variable, if there is one. */
export interface ExampleField {
  name: string
  text: string
  variable?: string | undefined
}

export function exampleRequest(operation: Operation, { context, schemes }: Reference) {
  const { method, parameters, body, security = [] } = operation
  const { resolve } = context
  const required = parameters.filter((parameter) => parameter.required)
  const media = body && (body.media.find(({ type }) => isJson(type)) ?? body.media[0])
  const needs = security[0] ?? []
  const credentials = needs.flatMap(({ scheme }) => schemes.get(scheme)?.credential ?? [])
  const secrets = (place: string) =>
    credentials.flatMap((item) => (item.place === place && 'variable' in item ? item : []))
  const fields = (place: string): ExampleField[] => [
    ...secrets(place).map(({ name, prefix, variable }) => ({ name, text: prefix, variable })),
    ...required
      .filter((parameter) => parameter.in === place)
      .map((parameter) => ({ name: parameter.name, text: parameterText(parameter, resolve) })),
  ]
  return {
    method,
    /** With encoded path and query, without credentials. */
    address: addressOf(operation, required, resolve),
    /** Credentials that are appended to the query. Names are encoded. */
    keys: secrets('query').map(({ name, variable }) => ({ name: encode(name), variable })),
    headers: fields('header'),
    cookies: fields('cookie'),
    /** USERNAME and PASSWORD are sent by HTTP basic authentication. */
    hasUser: credentials.some(({ place }) => place === 'user'),
    hasCertificate: credentials.some(({ place }) => place === 'certificate'),
    body: media && bodyOf(media, resolve),
  }
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

export type ExampleBody = ReturnType<typeof bodyOf>

/** A file is the one named `file` in the current folder. */
function bodyOf({ type, schema, examples }: Media, resolve: Resolve) {
  const value = examples[0]?.value ?? sampleValue(schema, { resolve, isRequest: true })
  const isMultipart = /^multipart\//i.test(type)
  if (isMultipart || /x-www-form-urlencoded/i.test(type)) {
    const { properties } = viewSchema(schema, resolve)
    const fields = entriesOf(value).map(([name, item]) => {
      const { keywords } = viewSchema(properties.get(name), resolve)
      const isBinary = keywords.format === 'binary' || keywords.contentMediaType !== undefined
      return { name, text: textOfValue(item), isFile: isMultipart && isBinary }
    })
    return { kind: isMultipart ? ('multipart' as const) : ('urlencoded' as const), fields }
  }
  const shownType = type.slice(0, 200).replaceAll(/\s+/g, ' ')
  if (!isText(type) && typeof value !== 'object') return { kind: 'file' as const, type: shownType }
  const short = isJson(type) && typeof value !== 'string' ? jsonText(value, { indent: false }) : ''
  const text = short !== '' && short.length <= 60 ? short : exampleText(value, type)
  return { kind: 'text' as const, type: shownType, text, isJson: isJson(type) }
}

function isText(type: string): boolean {
  return isJson(type) || /^text\/|xml|yaml|csv|ndjson|graphql/i.test(type)
}
