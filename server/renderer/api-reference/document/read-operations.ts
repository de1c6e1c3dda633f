// Reads the operations of a document: parameters, bodies, responses, headers, examples, what is deprecated, and how requests
// are authenticated. This is the tree that pages, samples and Markdown are written from. Texts may contain anything; types are
// checked.
import { STATUS_CODES } from 'node:http'
import { dayInWords, oneLine, readDay } from '../../sources/plain-text.ts'
import * as values from './document-values.ts'
import type { ApiDocument } from './read-document.ts'
import type { Resolve } from './resolve-refs.ts'

const { entriesField, entriesOf, fieldOf, flagField, hasField, isFields } = values
const { listField, methods, textField, textsField } = values
const maxOperations = 10_000

/** In the order of the document: paths, then webhooks. `nextPath` returns the path of a page by its name. */
export function readOperations(
  { fault, root }: ApiDocument,
  resolve: Resolve,
  nextPath: (name: string) => string,
) {
  const requests = operationsIn(fieldOf(root, 'paths'), resolve)
  const found = [...requests, ...operationsIn(fieldOf(root, 'webhooks'), resolve)]
  if (found.length > maxOperations) {
    throw fault('There are more than 10,000 operations. Split the document.', 'paths')
  }
  return found.map(({ method, fields, path, route }, index) => {
    const isWebhook = index >= requests.length
    const operationId = textField(fields, 'operationId')
    const name = operationId ?? `${isWebhook ? 'webhook ' : ''}${method.toLowerCase()} ${route}`
    const summary = textField(fields, 'summary') ?? textField(path, 'summary')
    const parameters = [...listField(path, 'parameters'), ...listField(fields, 'parameters')]
    const hasOwnSecurity = hasField(fields, 'security')
    const exchange = readExchange(fields, resolve)
    return {
      /** Path of its page. */
      path: nextPath(name),
      title: oneLine(summary ?? operationId ?? `${method} ${route}`),
      method,
      /** Such as `/pets/{petId}`; the name of a webhook. */
      route,
      isWebhook,
      operationId,
      description: textField(fields, 'description') ?? textField(path, 'description'),
      deprecation: readDeprecation(fields),
      tags: textsField(fields, 'tags'),
      stability: readStability(textField(fields, 'x-stability')),
      parameters: readParameters(parameters, resolve),
      ...exchange,
      /** The one that is shown first. */
      mainResponse: exchange.responses.find(({ status }) => /^(2|default$)/.test(status)),
      /** Alternatives; each lists the schemes that are required together. Undefined if not specified. */
      security: isWebhook && !hasOwnSecurity ? undefined : readSecurity([fields, root]),
      /** Otherwise that of the document applies. */
      hasOwnSecurity,
      servers: readServers([fields, path, root]),
      callbacks: readCallbacks(fieldOf(fields, 'callbacks'), resolve),
      externalDocs: readLink(fieldOf(fields, 'externalDocs')),
    }
  })
}

export type Operation = ReturnType<typeof readOperations>[number]

/** Those of paths by their routes, of webhooks by their names, of a callback by its expressions. */
function operationsIn(items: unknown, resolve: Resolve) {
  return entriesOf(items).flatMap(([route, item]) => {
    const path = route.startsWith('x-') ? undefined : resolve(item).value
    return entriesOf(path).flatMap(([method, operation]) => {
      const fields = methods.test(method) ? resolve(operation).value : undefined
      return isFields(fields) ? { route, path, method: method.toUpperCase(), fields } : []
    })
  })
}

/** What is sent and answered. */
function readExchange(fields: unknown, resolve: Resolve) {
  const item = resolve(fieldOf(fields, 'requestBody')).value
  const required = flagField(item, 'required')
  const body = { required, description: textField(item, 'description') }
  return {
    body: isFields(item) ? { ...body, media: readMedia(item, resolve) } : undefined,
    responses: readResponses(fieldOf(fields, 'responses'), resolve),
  }
}

/** Such as "Deprecated. Removed on 5 December 2030." */
function readDeprecation(fields: unknown): string | undefined {
  if (!flagField(fields, 'deprecated')) return undefined
  const sunset = textField(fields, 'x-deprecated-sunset') ?? textField(fields, 'x-sunset') ?? ''
  const day = readDay(sunset)
  return `Deprecated.${sunset && ` Removed on ${day ? dayInWords(day) : oneLine(sunset, 60)}.`}`
}

const stable = /^(stable|ga|general-availability|production)$/
const meanings = {
  experimental: 'It may change or be removed at any time.',
  beta: 'It may change, with notice.',
}

/** The value of `x-stability` and its meaning, if known; a stable operation has none. */
function readStability(value: string | undefined) {
  const word = value?.trim().toLowerCase()
  if (word === undefined || stable.test(word)) return undefined
  return { word: oneLine(word, 30), meaning: textField(meanings, word) }
}

/** The value of the first place that has one. */
function readSecurity(places: unknown[]) {
  const place = places.find((fields) => Array.isArray(fieldOf(fields, 'security')))
  if (place === undefined) return undefined
  return listField(place, 'security').map((need) =>
    entriesOf(need).map(([scheme]) => ({ scheme, scopes: textsField(need, scheme) })),
  )
}

/** The servers of the first place that has any, their variables filled in. */
export function readServers(places: unknown[]) {
  const place = places.find((fields) => listField(fields, 'servers').length > 0)
  return listField(place, 'servers').flatMap((server) => {
    const url = textField(server, 'url')
    if (url === undefined) return []
    const variables = entriesField(server, 'variables')
    const defaults = new Map(variables.map(([name, about]) => [name, textField(about, 'default')]))
    const filled = url
      .slice(0, 2_000)
      .replaceAll(/\{([^{}]*)\}/g, (whole, name) => defaults.get(name)?.slice(0, 200) ?? whole)
    const named = variables.filter(([name]) => url.includes(`{${name}}`))
    return { url: filled, description: textField(server, 'description'), variables: named }
  })
}

function readCallbacks(callbacks: unknown, resolve: Resolve) {
  return entriesOf(callbacks).flatMap(([name, callback]) =>
    operationsIn(resolve(callback).value, resolve).map(({ fields, method, route }) => {
      const summary = textField(fields, 'summary') ?? textField(fields, 'description')
      return { name, expression: route, method, summary, ...readExchange(fields, resolve) }
    }),
  )
}

/** Only if it is a web address. */
export function readLink(docs: unknown) {
  const url = textField(docs, 'url') ?? ''
  if (!isWebAddress(url)) return undefined
  return { url, title: oneLine(textField(docs, 'description') ?? url) }
}

/** Whether it may be the target of a link: only http and https. */
export function isWebAddress(url: string): boolean {
  return /^https?:$/.test(URL.parse(url)?.protocol ?? '')
}

/** How values are written, by location; the first is the default. */
const styles = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'deepObject', 'pipeDelimited', 'spaceDelimited'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
}
const places = ['path', 'query', 'header', 'cookie'] as const
/** Headers that other parts of the document define (OpenAPI 3.1, section 4.8.12). */
const notParameters = /^(accept|content-type|authorization)$/i

/** How a value is written (request/written-form.js). */
function readForm(value: unknown, place: (typeof places)[number]) {
  const [usual = ''] = styles[place]
  const style = styles[place].find((known) => known === fieldOf(value, 'style')) ?? usual
  const explode = fieldOf(value, 'explode') ?? /^(form|cookie|deepObject)$/.test(style)
  return { style, explode: explode === true, reserved: flagField(value, 'allowReserved') }
}

/** Parameters of an operation override those of its path; ordered by location. */
function readParameters(list: unknown[], resolve: Resolve) {
  const read = list.flatMap((item) => readParameter(resolve(item).value, resolve) ?? [])
  const byName = new Map(read.map((item) => [`${item.in} ${item.name}`, item]))
  return places.flatMap((place) => [...byName.values()].filter((item) => item.in === place))
}

export type Parameter = NonNullable<ReturnType<typeof readParameter>>

function readParameter(value: unknown, resolve: Resolve) {
  const name = textField(value, 'name')
  const place = places.find((known) => known === fieldOf(value, 'in'))
  if (name === undefined || place === undefined) return undefined
  if (place === 'header' && notParameters.test(name)) return undefined
  const about = { ...readValue(value, resolve), ...readForm(value, place) }
  return { name, in: place, ...about, required: place === 'path' || about.required }
}

export type Response = ReturnType<typeof readResponses>[number]

/** By status: numbers first, then classes such as `4XX`, then `default`. */
function readResponses(value: unknown, resolve: Resolve) {
  return entriesOf(value)
    .filter(([status]) => /^([1-5](\d\d|XX)|default)$/i.test(status))
    .map(([status, item]) => {
      const response = resolve(item).value
      return {
        status: status === 'default' ? status : status.toUpperCase(),
        phrase: phraseOf(status),
        description: textField(response, 'description'),
        headers: readHeaders(fieldOf(response, 'headers'), resolve),
        media: readMedia(response, resolve),
      }
    })
    .sort((a, b) => (a.status < b.status ? -1 : 1))
}

const classes = ['', 'Information', 'Success', 'Redirection', 'Client error', 'Server error']

/** The standard phrase of a status. */
function phraseOf(status: string): string {
  if (status === 'default') return 'Any other response'
  return (/XX$/i.test(status) ? classes[Number(status[0])] : STATUS_CODES[status]) ?? ''
}

export type Header = ReturnType<typeof readHeaders>[number]

function readHeaders(value: unknown, resolve: Resolve) {
  return entriesOf(value)
    .filter(([name]) => name.toLowerCase() !== 'content-type')
    .map(([name, item]) => ({ name, ...readValue(resolve(item).value, resolve) }))
}

/** A parameter or header, which has a schema, or a body of one media type. */
function readValue(value: unknown, resolve: Resolve) {
  const [media] = readMedia(value, resolve)
  return {
    required: flagField(value, 'required'),
    deprecated: flagField(value, 'deprecated'),
    description: textField(value, 'description'),
    type: media?.type,
    schema: media ? media.schema : fieldOf(value, 'schema'),
    examples: (media?.examples ?? readExamples(value, resolve)).map((item) => item.value),
  }
}

export type Media = ReturnType<typeof readMedia>[number]

function readMedia(value: unknown, resolve: Resolve) {
  return entriesField(value, 'content').map(([type, item]) => {
    const media = resolve(item).value
    return {
      type,
      schema: fieldOf(media, 'schema'),
      examples: readExamples(media, resolve),
      encoding: new Map(entriesField(media, 'encoding').map(readEncoding)),
    }
  })
}

/** With a style, the content type is ignored (OpenAPI 3.1.1, section 4.8.15.1). */
function readEncoding([name, encoding]: [string, unknown]) {
  const { style, ...form } = readForm(encoding, 'query')
  const hasStyle = ['style', 'explode', 'allowReserved'].some((key) => hasField(encoding, key))
  const [written = '*'] = textField(encoding, 'contentType')?.split(',') ?? []
  const type = written.includes('*') ? undefined : oneLine(written, 100)
  return [name, { style: hasStyle ? style : undefined, ...form, type }] as const
}

type Example = { name?: string; summary?: string | undefined; value: unknown }

function readExamples(value: unknown, resolve: Resolve): Example[] {
  const several = entriesField(value, 'examples').flatMap(([name, item]) => {
    const example = resolve(item).value
    const shown = ['value', 'dataValue', 'serializedValue'].find((key) => hasField(example, key))
    if (shown === undefined) return []
    const summary = textField(example, 'summary') ?? textField(example, 'description')
    return { name, summary, value: fieldOf(example, shown) }
  })
  if (several.length > 0 || !hasField(value, 'example')) return several
  return [{ value: fieldOf(value, 'example') }]
}

export type SecurityScheme = ReturnType<typeof readScheme>

export function readSecuritySchemes({ root }: ApiDocument, resolve: Resolve) {
  const schemes = entriesField(root.components, 'securitySchemes')
    .map(([name, item]) => [name, resolve(item).value] as const)
    .filter(([, fields]) => isFields(fields))
  return new Map(schemes.map(([name, fields]) => [name, readScheme(name, fields)]))
}

function readScheme(name: string, fields: unknown) {
  const flows = entriesField(fields, 'flows')
  const scopes = new Map(flows.flatMap(([, flow]) => entriesField(flow, 'scopes')))
  const links = flows.flatMap(([flow, about]) => [
    { title: `Authorization (${oneLine(flow, 40)})`, url: textField(about, 'authorizationUrl') },
    { title: `Tokens (${oneLine(flow, 40)})`, url: textField(about, 'tokenUrl') },
  ])
  links.push({ title: 'Configuration', url: textField(fields, 'openIdConnectUrl') })
  const { title, what, ...credential } = credentialOf(name, fields)
  const { place, prefix, variable } = credential
  const code = `${credential.name}${place === 'header' ? ': ' : '='}${prefix}${variable}`
  return {
    name,
    /** Such as "Bearer token". */
    title,
    /** One sentence: plain text, with `code` at its end if it says what is sent. */
    words: sentences[place].replace('WHAT', () => what),
    /** What is sent, such as `Authorization: Bearer TOKEN`. */
    code: /^(header|query|cookie)$/.test(place) ? code : undefined,
    credential,
    description: textField(fields, 'description'),
    links: links.filter(({ url = '' }) => isWebAddress(url)),
    /** Each is a name, and words. */
    scopes: [...scopes],
  }
}

const sentences = {
  header: 'Send WHAT in the header',
  query: 'Send WHAT as the query parameter',
  cookie: 'Send WHAT in the cookie',
  user: 'Send user name and password by HTTP basic authentication.',
  certificate: 'Connect with a client certificate (mutual TLS).',
  unknown: 'The document does not say how it is sent.',
}

type SchemeKind = [title: string, place: keyof typeof sentences, what?: string, variable?: string]

/** By type, and by scheme of HTTP. */
const kinds = new Map<string | undefined, SchemeKind>([
  ['oauth2', ['OAuth 2.0', 'header', 'the access token', 'ACCESS_TOKEN']],
  ['openIdConnect', ['OpenID Connect', 'header', 'the access token', 'ACCESS_TOKEN']],
  ['mutualTLS', ['Client certificate', 'certificate']],
  ['basic', ['User name and password', 'user']],
  ['bearer', ['Bearer token', 'header', 'it', 'TOKEN']],
  ['apiKey', ['API key', 'header', 'the key', 'API_KEY']],
])

/** The credential that a scheme adds to a request: in headers and such, `prefix` and the value of an environment variable. */
function credentialOf(schemeName: string, fields: unknown) {
  const type = textField(fields, 'type')
  const isHttp = type === 'http'
  const isKey = type === 'apiKey'
  const scheme = oneLine(textField(fields, 'scheme') ?? 'Bearer', 40)
  const http: SchemeKind = [`HTTP ${scheme}`, 'header', 'it', 'TOKEN']
  const other: SchemeKind = isHttp ? http : [oneLine(schemeName, 60), 'unknown']
  const key = isHttp ? scheme.toLowerCase() : type
  const [title, usual, what = '', variable = ''] = kinds.get(key) ?? other
  const place = fieldOf(fields, 'in')
  return {
    title,
    what,
    place: isKey && (place === 'query' || place === 'cookie') ? place : usual,
    name: isKey ? oneLine(textField(fields, 'name') ?? 'X-API-Key', 100) : 'Authorization',
    prefix: isKey ? '' : isHttp && key !== 'bearer' ? `${scheme} ` : 'Bearer ',
    variable: isHttp && /key/i.test(schemeName) ? 'API_KEY' : variable,
  }
}
