// Reads the operations of a document: parameters, bodies, responses, headers, examples, what is deprecated, and how requests
// are authenticated. This is the tree that pages, samples and Markdown are written from. Texts may contain anything; types are
// checked.
import { STATUS_CODES } from 'node:http'
import { capital, dayInWords, oneLine, readDay, splitParagraph } from '../../sources/plain-text.ts'
import * as values from './document-values.ts'
import type { ApiDocument } from './read-document.ts'
import type { Resolve } from './resolve-refs.ts'

const { entriesField, entriesOf, fieldOf, flagField, hasField, isFields } = values
const { listField, textField, textsField } = values
const methods = /^(get|put|post|delete|options|head|patch|trace|query)$/
const maxOperations = 10_000

/** In the order of the document: paths, then webhooks. `nextPath` returns the path of a page by its name. */
export function readOperations(
  { fault, root }: ApiDocument,
  resolve: Resolve,
  nextPath: (name: string) => string,
) {
  const found = ['paths', 'webhooks'].flatMap((place) => {
    const items = entriesField(root, place).filter(([route]) => !route.startsWith('x-'))
    return items.flatMap(([route, item]) =>
      operationsIn(item, resolve).map((about) => ({ ...about, route, place })),
    )
  })
  if (found.length > maxOperations) {
    throw fault('There are more than 10,000 operations. Split the document.', 'paths')
  }
  return found.map(({ method, fields, path, route, place }) => {
    const isWebhook = place === 'webhooks'
    const operationId = textField(fields, 'operationId')
    const name = operationId ?? `${isWebhook ? 'webhook ' : ''}${method.toLowerCase()} ${route}`
    const summary = textField(fields, 'summary') ?? textField(path, 'summary')
    const description = textField(fields, 'description') ?? textField(path, 'description')
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
      description,
      ...readDeprecation(fields, description),
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

function operationsIn(item: unknown, resolve: Resolve) {
  const path = resolve(item).value
  return entriesOf(path).flatMap(([method, item]) => {
    const fields = methods.test(method) ? resolve(item).value : undefined
    return isFields(fields) ? { path, method: method.toUpperCase(), fields } : []
  })
}

/** What is sent and answered. */
function readExchange(fields: unknown, resolve: Resolve) {
  const body = resolve(fieldOf(fields, 'requestBody')).value
  const responses = readResponses(fieldOf(fields, 'responses'), resolve)
  if (!isFields(body)) return { body: undefined, responses }
  const required = flagField(body, 'required')
  const description = textField(body, 'description')
  return { body: { required, description, media: readMedia(body, resolve) }, responses }
}

/**
 * `about` is the description without the sentences of a deprecated operation that say what to use instead (`replacement`), so
 * that these appear once, at the top. Both are Markdown.
 */
function readDeprecation(fields: unknown, description: string | undefined) {
  if (!flagField(fields, 'deprecated')) return { about: description }
  const sunset = textField(fields, 'x-deprecated-sunset') ?? textField(fields, 'x-sunset') ?? ''
  const day = readDay(sunset)
  const removed = sunset && ` Removed on ${day ? dayInWords(day) : oneLine(sunset, 60)}.`
  /** Such as "Deprecated. Removed on 5 December 2030." */
  const deprecation = `Deprecated.${removed}`
  const [first, rest] = splitParagraph(description ?? '')
  const sentences = first.slice(0, 4_000).match(/\S[\s\S]*?(?:[.!?](?=\s|$)|$)/g) ?? []
  const says = /^\W{0,3}deprecated\b/i.test(first)
  const instead = /\b(instead|replaced by|superseded by|in favou?r of)\b/i
  const replacement = says
    ? sentences.slice(1).join(' ').trim() || undefined
    : sentences.find((sentence) => instead.test(sentence))
  const about = says && first.length <= 4_000 ? rest || undefined : description
  return { deprecation, replacement, about }
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
  const shown = oneLine(word, 30)
  return { word: shown, title: capital(shown), meaning: textField(meanings, word) }
}

export type SecurityNeed = NonNullable<ReturnType<typeof readSecurity>>[number][number]

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
    entriesOf(resolve(callback).value).flatMap(([expression, item]) =>
      operationsIn(item, resolve).map(({ fields, method }) => {
        const summary = textField(fields, 'summary') ?? textField(fields, 'description')
        return { name, expression, method, summary, ...readExchange(fields, resolve) }
      }),
    ),
  )
}

/** Only if it is a web address. */
export function readLink(docs: unknown) {
  const url = textField(docs, 'url') ?? ''
  return isWebAddress(url)
    ? { url, title: oneLine(textField(docs, 'description') ?? url) }
    : undefined
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
  const explode = fieldOf(value, 'explode')
  const isExploded = /^(form|cookie|deepObject)$/.test(style)
  return {
    style,
    explode: typeof explode === 'boolean' ? explode : isExploded,
    reserved: flagField(value, 'allowReserved'),
  }
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
  const kind = kindOf(name, fields)
  return {
    name,
    ...kind,
    code: codeOf(kind.credential),
    description: textField(fields, 'description'),
    links: links.filter(({ url = '' }) => isWebAddress(url)),
    scopes: [...scopes].map(([name, words]) => {
      return { name, description: typeof words === 'string' ? words : '' }
    }),
  }
}

/** What is sent, such as `Authorization: Bearer TOKEN`. */
function codeOf(credential: Credential): string | undefined {
  if (!('variable' in credential)) return undefined
  const { name, place, prefix, variable } = credential
  return `${name}${place === 'header' ? ': ' : '='}${prefix}${variable}`
}

interface SchemeKind {
  /** Such as "Bearer token". */
  title: string
  /** One sentence: plain text; the code of the credential is at its end. */
  words: string
  credential: Credential
}

/** The credentials that a scheme adds to a request. */
type Credential =
  | { place: 'header' | 'query' | 'cookie'; name: string; prefix: string; variable: string }
  | { place: 'user' | 'certificate' | 'unknown' }

const keyWords = {
  header: 'Send the key in the header',
  query: 'Send the key as the query parameter',
  cookie: 'Send the key in the cookie',
}
const keyPlaces = ['query', 'cookie'] as const
const sendToken = 'Send the access token in the header'
const sendUser = 'Send user name and password by HTTP basic authentication.'
const connect = 'Connect with a client certificate (mutual TLS).'
const token = { prefix: 'Bearer ', variable: 'ACCESS_TOKEN' }
const authorization = { place: 'header', name: 'Authorization', ...token } as const
/** By type, and schemes of HTTP. */
const kinds: Record<string, SchemeKind> = {
  oauth2: { title: 'OAuth 2.0', words: sendToken, credential: authorization },
  openIdConnect: { title: 'OpenID Connect', words: sendToken, credential: authorization },
  mutualTLS: { title: 'Client certificate', words: connect, credential: { place: 'certificate' } },
  basic: { title: 'User name and password', words: sendUser, credential: { place: 'user' } },
}

function kindOf(schemeName: string, fields: unknown): SchemeKind {
  const type = textField(fields, 'type')
  const scheme = oneLine(textField(fields, 'scheme') ?? 'Bearer', 40)
  const key = type === 'http' ? scheme.toLowerCase() : type
  const known = key !== undefined && Object.hasOwn(kinds, key) && kinds[key]
  if (known) return known
  if (type === 'apiKey') {
    const name = oneLine(textField(fields, 'name') ?? 'X-API-Key', 100)
    const place = keyPlaces.find((known) => known === fieldOf(fields, 'in')) ?? 'header'
    const credential: Credential = { place, name, prefix: '', variable: 'API_KEY' }
    return { title: 'API key', words: keyWords[place], credential }
  }
  if (type !== 'http') {
    const words = 'The document does not say how it is sent.'
    return { title: oneLine(schemeName, 60), words, credential: { place: 'unknown' } }
  }
  const isBearer = key === 'bearer'
  const variable = /key/i.test(schemeName) ? 'API_KEY' : 'TOKEN'
  const prefix = `${isBearer ? 'Bearer' : scheme} `
  const title = isBearer ? 'Bearer token' : `HTTP ${scheme}`
  return {
    title,
    words: 'Send it in the header',
    credential: { ...authorization, prefix, variable },
  }
}
