// The request of an example, before it is written in a language: address, headers, credentials and body. Where a schema
// has no example, the simplest values that satisfy it are used.

import { exampleText, isJson, jsonText, valueText } from '../sources/plain-text.ts'
import { entriesOf, textField } from './document/document-values.ts'
import type { Media, Operation, Parameter } from './document/read-operations.ts'
import { isWebAddress } from './document/read-operations.ts'
import type { Resolve } from './document/resolve-refs.ts'
import { mainMedia, sampleValue } from './document/sample-value.ts'
import { schemaFacts, viewSchema } from './document/schema-view.ts'
import type { Reference } from './reference-context.ts'
import * as forms from './request/written-form.js'
import { xmlText } from './request/xml-text.ts'

const { encode, textOfValue, urlencoded, writeField, writeParameter, writeUrlencoded } = forms
const unknownServer = 'https://example.com'
const maxValueLength = 2_000

export type ExampleRequest = ReturnType<typeof exampleRequest>

export function exampleRequest(
  { body, method, parameters, route, security = [], servers }: Operation,
  { context: { resolve }, schemes }: Reference,
) {
  const written = parameters.flatMap((parameter) => {
    const { in: place, name, required } = parameter
    const text = required && writeParameter(parameter, parameterValue(parameter, resolve))
    return text === false ? [] : { place, name, text, variable: undefined }
  })
  const needs = security[0] ?? []
  const credentials = needs.flatMap(({ scheme }) => schemes.get(scheme)?.credential ?? [])
  const isIn = (place: string) => (item: { place: string }) => item.place === place
  /** A value is `text`, followed by that of the environment variable, if there is one. Cookies have their names in it. */
  const fields = (place: string) => [
    ...credentials.filter(isIn(place)).map(({ name, prefix, variable }) => {
      return { name, text: place === 'cookie' ? `${name}=${prefix}` : prefix, variable }
    }),
    ...written.filter(isIn(place)).map((item) => ({ ...item, text: shortLine(item.text) })),
  ]
  const inPath = new Map(written.filter(isIn('path')).map(({ name, text }) => [name, text]))
  const pieces = route.slice(0, maxValueLength).split(/\{([^{}]*)\}/)
  const path = pieces.map((piece, index) =>
    index % 2 === 0 ? encodeAddress(piece) : (inPath.get(piece) ?? encode(piece)),
  )
  const query = written.filter(isIn('query')).flatMap(({ text }) => text || [])
  const search = query.length > 0 ? `?${query.join('&')}` : ''
  const address = `${serverOf(servers)}/${path.join('').replace(/^\//, '')}${search}`
  const keys = credentials.filter(isIn('query')).map(({ name, variable }, index) => {
    return { text: `${index > 0 || address.includes('?') ? '&' : '?'}${encode(name)}=`, variable }
  })
  const media = mainMedia(body?.media)
  return {
    method,
    /** With encoded path and query, without credentials. */
    address,
    /** Credentials that are appended to the query: encoded text, and an environment variable. */
    keys,
    headers: fields('header'),
    cookies: fields('cookie').filter(({ text }) => text !== ''),
    /** USERNAME and PASSWORD are sent by HTTP basic authentication. */
    hasUser: credentials.some(isIn('user')),
    hasCertificate: credentials.some(isIn('certificate')),
    body: media && bodyOf(media, resolve),
  }
}

function serverOf(servers: Operation['servers']): string {
  const url = servers[0]?.url ?? ''
  const base = isWebAddress(url) ? url : url.startsWith('/') ? unknownServer + url : unknownServer
  return encodeAddress(base).replace(/\/+$/, '')
}

const encodeAddress = (text: string) => encodeURI(text.toWellFormed()).replaceAll("'", '%27')

/**
 * The value that is written: its example, otherwise a sample; for text without restrictions the name of the parameter. It is
 * bounded, and one text if the parameter has a content type.
 */
export function parameterValue(parameter: Parameter, resolve: Resolve): unknown {
  const { examples, name, schema, type = '' } = parameter
  const [known = sampleValue(schema, { resolve, isRequest: true })] = examples
  const isSample = known === 'string' && examples.length === 0
  const isAnything = isSample && schemaFacts(viewSchema(schema, resolve)).length === 0
  const value = isAnything ? name : known
  // JSON that the document contains as text is unchanged.
  const isText = typeof value === 'string' && (!isJson(type) || /^\s*[[{]/.test(value))
  const text = isText ? value : jsonText(value, { indent: false })
  const isShort = type === '' && !isText && text.length <= 10 * maxValueLength
  return isShort ? value : text.slice(0, maxValueLength)
}

const shortLine = (text: string) => text.slice(0, maxValueLength).replaceAll(/\s+/g, ' ').trim()

/** What a form shows: the items of a list with commas between them, other values as readFieldValue() reads them. */
export function fieldText(value: unknown): string {
  const isPlain = (item: unknown) => typeof item !== 'object' && !/[,[]|^\s|\s$/.test(String(item))
  const text =
    Array.isArray(value) && value.every(isPlain) ? value.map(textOfValue).join(', ') : undefined
  return shortLine(text ?? valueText(value))
}

export type ExampleBody = ReturnType<typeof bodyOf>

/** A file is the one named `file` in the current folder. */
function bodyOf({ type, schema, examples, encoding }: Media, resolve: Resolve) {
  const value = examples[0]?.value ?? sampleValue(schema, { resolve, isRequest: true })
  const shownType = type.slice(0, 200).replaceAll(/\s+/g, ' ')
  const isMultipart = /^multipart\//i.test(type)
  const isForm = isMultipart || /x-www-form-urlencoded/i.test(type)
  if (isForm && typeof value !== 'string') {
    const { properties } = viewSchema(schema, resolve)
    const fields = entriesOf(value).map(([name, item]) => {
      const { isFile, type: fileType } = fileOf(properties.get(name), resolve)
      const written = encoding.get(name) ?? { explode: true, type: isFile ? fileType : undefined }
      return { ...written, name, isFile: isMultipart && isFile, value: item }
    })
    const parts = fields.flatMap(({ value, ...form }) => writeField(form, value))
    if (isMultipart) return { kind: 'multipart' as const, fields, parts }
    const text = fields.map(({ value, ...form }) => writeUrlencoded(form, value)).join('&')
    // Where a style has delimiters that are not encoded, the body is written as it is sent.
    const sent = text === urlencoded(parts) ? undefined : text
    return { kind: 'urlencoded' as const, fields, parts, text: sent, type: sent && shownType }
  }
  if (!isText(type) && typeof value !== 'object') return { kind: 'file' as const, type: shownType }
  const isXml = /\bxml\b/i.test(type) && typeof value !== 'string'
  const text = isXml ? xmlText(schema, value, resolve) : bodyText(value, type)
  return { kind: 'text' as const, type: shownType, text, isJson: isJson(type) }
}

/** Short JSON is on one line. */
function bodyText(value: unknown, type: string): string {
  const short = isJson(type) && typeof value !== 'string' ? jsonText(value, { indent: false }) : ''
  return short !== '' && short.length <= 60 ? short : exampleText(value, type)
}

/** Whether a property, or each item of it, is a file: binary in OpenAPI 3.0, of another content type in 3.1. */
function fileOf(schema: unknown, resolve: Resolve) {
  const whole = viewSchema(schema, resolve)
  const { keywords } = whole.types.includes('array') ? viewSchema(whole.items, resolve) : whole
  const type = textField(keywords, 'contentMediaType')
  const isOther = type !== undefined && keywords.contentEncoding === undefined
  const isFile = keywords.format === 'binary' || isOther
  return { isFile, type: type?.includes('*') ? undefined : type }
}

function isText(type: string): boolean {
  return isJson(type) || /^text\/|xml|yaml|csv|ndjson|graphql|urlencoded/i.test(type)
}
