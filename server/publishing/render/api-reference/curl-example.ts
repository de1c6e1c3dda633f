// A request as a command that can be pasted into a shell: what the operation needs, with its examples as
// values, and the secret in a variable.
import { entriesOf } from './document-values.ts'
import { exampleText, isJson } from './example-text.ts'
import { jsonText, valueText } from './json-text.ts'
import type { Media, Operation, Parameter } from './operation.ts'
import { isWebAddress } from './read-operations.ts'
import type { Resolve } from './references.ts'
import { sampleValue } from './sample-value.ts'
import { schemaFacts } from './schema-facts.ts'
import { viewSchema } from './schema-view.ts'
import type { SecurityScheme } from './security-schemes.ts'
import { shellQuote, shellQuoteWithVariable } from './shell-quote.ts'

export interface CurlParts {
  resolve: Resolve
  schemes: ReadonlyMap<string, SecurityScheme>
}

const unknownServer = 'https://example.com'
const longestValue = 2_000

export function curlExample(operation: Operation, { resolve, schemes }: CurlParts): string {
  const { method, parameters, body, security = [] } = operation
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
  // With a body it would be a POST.
  return method === 'GET' && !hasBody ? '' : ` -X ${method}`
}

function addressOf({ servers, route }: Operation, required: Parameter[], resolve: Resolve): string {
  const values = new Map(
    required
      .filter((parameter) => parameter.in === 'path')
      .map((parameter) => [parameter.name, parameterValue(parameter, resolve)]),
  )
  const path = route
    .slice(0, longestValue)
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

/** The example it has, else a sample; a text that may be anything is called by the parameter's name. */
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
  return textOfValue(value).slice(0, longestValue).replaceAll(/\s+/g, ' ').trim()
}

function encode(text: string): string {
  return encodeURIComponent(text.slice(0, longestValue).toWellFormed()).replaceAll("'", '%27')
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
  // A leading @ would name a file.
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
