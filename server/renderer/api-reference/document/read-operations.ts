// Reads the operations of a document: parameters, bodies, responses, headers, examples, what is deprecated, and how requests
// are authenticated. This is the tree that pages, samples and Markdown are written from. Texts may contain anything; types are
// checked.
import { STATUS_CODES } from 'node:http'
import { capital, dayInWords, oneLine, readDay, splitParagraph } from '../../sources/plain-text.ts'
import {
  entriesField,
  entriesOf,
  type Fields,
  fieldOf,
  flagField,
  hasField,
  isFields,
  listField,
  textField,
  textsField,
} from './document-values.ts'
import type { ApiDocument } from './read-document.ts'
import type { Resolve } from './resolve-refs.ts'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']
const maxOperations = 10_000

const meanings: Record<string, string> = {
  experimental: 'It may change or be removed at any time.',
  beta: 'It may change, with notice.',
}
const sameStability: Record<string, string> = { alpha: 'experimental', preview: 'beta' }
const stableWords = ['stable', 'ga', 'general-availability', 'production']

/** In the order of the document: paths, then webhooks. `nextPath` returns the path of a page by its name. */
export function readOperations(
  { fault, root }: ApiDocument,
  resolve: Resolve,
  nextPath: (name: string) => string,
): Operation[] {
  const operations = (['paths', 'webhooks'] as const).flatMap((place) =>
    entriesField(root, place)
      .filter(([route]) => place === 'webhooks' || !route.startsWith('x-'))
      .flatMap(([route, item]) => {
        const path = resolve(item).value
        const isWebhook = place === 'webhooks'
        return operationsIn(path, resolve).map(({ fields, method }) =>
          readOperation(fields, { method, route, path, isWebhook, root, resolve, nextPath }),
        )
      }),
  )
  if (operations.length > maxOperations) {
    throw fault('There are more than 10,000 operations. Split the document.', 'paths')
  }
  return operations
}

function operationsIn(path: unknown, resolve: Resolve): { method: string; fields: Fields }[] {
  return entriesOf(path).flatMap(([method, item]) => {
    const fields = methods.includes(method) ? resolve(item).value : undefined
    return isFields(fields) ? { method: method.toUpperCase(), fields } : []
  })
}

interface Surroundings {
  method: string
  route: string
  path: unknown
  isWebhook: boolean
  root: Fields
  resolve: Resolve
  nextPath: (name: string) => string
}

export type Operation = ReturnType<typeof readOperation>

function readOperation(
  fields: Fields,
  { method, route, path, isWebhook, root, resolve, nextPath }: Surroundings,
) {
  const operationId = textField(fields, 'operationId')
  const summary = textField(fields, 'summary') ?? textField(path, 'summary')
  const description = textField(fields, 'description') ?? textField(path, 'description')
  const parameters = [...listField(path, 'parameters'), ...listField(fields, 'parameters')]
  const responses = readResponses(fieldOf(fields, 'responses'), resolve)
  return {
    /** Path of its page. */
    path: nextPath(operationId ?? `${isWebhook ? 'webhook ' : ''}${method.toLowerCase()} ${route}`),
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
    body: readBody(fieldOf(fields, 'requestBody'), resolve),
    responses,
    /** The one that is shown first. */
    mainResponse:
      responses.find(({ status }) => status.startsWith('2')) ??
      responses.find(({ status }) => status === 'default'),
    /** Alternatives; each lists the schemes that are required together. Undefined if not specified. */
    security: isWebhook && !hasField(fields, 'security') ? undefined : readSecurity([fields, root]),
    /** Otherwise that of the document applies. */
    hasOwnSecurity: hasField(fields, 'security'),
    servers: readServers([fields, path, root]),
    callbacks: readCallbacks(fieldOf(fields, 'callbacks'), resolve),
    externalDocs: readLink(fieldOf(fields, 'externalDocs')),
  }
}

/**
 * `about` is the description without the sentences of a deprecated operation that say what to use instead (`replacement`), so
 * that these appear once, at the top. Both are Markdown.
 */
function readDeprecation(fields: Fields, description: string | undefined) {
  if (!flagField(fields, 'deprecated')) return { about: description }
  const sunset = textField(fields, 'x-deprecated-sunset') ?? textField(fields, 'x-sunset')
  const day = sunset && readDay(sunset)
  const removed =
    sunset === undefined ? '' : ` Removed on ${day ? dayInWords(day) : oneLine(sunset, 60)}.`
  /** Such as "Deprecated. Removed on 5 December 2030." */
  const deprecation = `Deprecated.${removed}`
  if (description === undefined) return { deprecation, about: description }
  const [first, rest] = splitParagraph(description)
  const sentences = first.slice(0, 4_000).match(/\S[\s\S]*?(?:[.!?](?=\s|$)|$)/g) ?? []
  if (!/^\W{0,3}deprecated\b/i.test(first)) {
    const replacement = sentences.find((sentence) =>
      /\b(instead|replaced by|superseded by|in favou?r of)\b/i.test(sentence),
    )
    return { deprecation, replacement, about: description }
  }
  const replacement = sentences.slice(1).join(' ').trim() || undefined
  return { deprecation, replacement, about: first.length > 4_000 ? description : rest || undefined }
}

/** The value of `x-stability` and its meaning, if known; a stable operation has none. */
function readStability(value: string | undefined) {
  const word = value?.trim().toLowerCase()
  if (word === undefined || stableWords.includes(word)) return undefined
  const kind = Object.hasOwn(sameStability, word) ? (sameStability[word] ?? word) : word
  const meaning = Object.hasOwn(meanings, kind) ? meanings[kind] : undefined
  const shown = oneLine(word, 30)
  return { word: shown, title: capital(shown), kind, meaning }
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
    const variables = fieldOf(server, 'variables')
    const filled = url.slice(0, 2_000).replaceAll(/\{([^{}]*)\}/g, (whole, name) => {
      return textField(fieldOf(variables, name), 'default')?.slice(0, 200) ?? whole
    })
    const named = entriesOf(variables).filter(([name]) => url.includes(`{${name}}`))
    return { url: filled, description: textField(server, 'description'), variables: named }
  })
}

function readCallbacks(callbacks: unknown, resolve: Resolve) {
  return entriesOf(callbacks).flatMap(([name, callback]) =>
    entriesOf(resolve(callback).value).flatMap(([expression, item]) =>
      operationsIn(resolve(item).value, resolve).map(({ fields, method }) => {
        const summary = textField(fields, 'summary') ?? textField(fields, 'description')
        const body = readBody(fieldOf(fields, 'requestBody'), resolve)
        const responses = readResponses(fieldOf(fields, 'responses'), resolve)
        return { name, expression, method, summary, body, responses }
      }),
    ),
  )
}

/** Only if it is a web address. */
export function readLink(docs: unknown) {
  const url = textField(docs, 'url')
  if (url === undefined || !isWebAddress(url)) return undefined
  return { url, title: oneLine(textField(docs, 'description') ?? url) }
}

/** Whether it may be the target of a link: only http and https. */
export function isWebAddress(url: string): boolean {
  const parsed = URL.parse(url)
  return parsed !== null && (parsed.protocol === 'https:' || parsed.protocol === 'http:')
}

const places = ['path', 'query', 'header', 'cookie'] as const
/** Headers that other parts of the document define (OpenAPI 3.1, section 4.8.12). */
const notParameters = ['accept', 'content-type', 'authorization']

/** By location; the first is the default. */
const styles: Record<(typeof places)[number], string[]> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'deepObject', 'pipeDelimited', 'spaceDelimited'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
}

function explodeOf(value: unknown, style: string): boolean {
  const explode = fieldOf(value, 'explode')
  return typeof explode === 'boolean' ? explode : ['form', 'cookie', 'deepObject'].includes(style)
}

/** Parameters of an operation override those of its path; ordered by location. */
function readParameters(value: unknown[], resolve: Resolve) {
  const parameters = new Map<string, Parameter>()
  for (const item of value) {
    const parameter = readParameter(resolve(item).value, resolve)
    if (parameter) parameters.set(`${parameter.in} ${parameter.name}`, parameter)
  }
  return places.flatMap((place) => [...parameters.values()].filter((item) => item.in === place))
}

export type Parameter = NonNullable<ReturnType<typeof readParameter>>

function readParameter(value: unknown, resolve: Resolve) {
  const name = textField(value, 'name')
  const place = places.find((known) => known === fieldOf(value, 'in'))
  if (name === undefined || place === undefined) return undefined
  if (place === 'header' && notParameters.includes(name.toLowerCase())) return undefined
  const [usual = '', ...others] = styles[place]
  const style = others.find((other) => other === fieldOf(value, 'style')) ?? usual
  return {
    name,
    in: place,
    ...readValue(value, resolve),
    required: place === 'path' || flagField(value, 'required'),
    /** How its value is written (request/written-form.js). */
    style,
    explode: explodeOf(value, style),
    reserved: flagField(value, 'allowReserved'),
  }
}

function readBody(value: unknown, resolve: Resolve) {
  const body = resolve(value).value
  if (!isFields(body)) return undefined
  return {
    required: flagField(body, 'required'),
    description: textField(body, 'description'),
    media: readMedia(body, resolve),
  }
}

export type Response = ReturnType<typeof readResponses>[number]

/** By status: numbers first, then classes such as `4XX`, then `default`. */
function readResponses(value: unknown, resolve: Resolve) {
  const responses = entriesOf(value)
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
  return responses.sort((a, b) => (a.status < b.status ? -1 : 1))
}

/** The standard phrase of a status. */
function phraseOf(status: string): string {
  if (status === 'default') return 'Any other response'
  const classes = ['', 'Information', 'Success', 'Redirection', 'Client error', 'Server error']
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
    const encoding = new Map(entriesField(media, 'encoding').map(readEncoding))
    return {
      type,
      schema: fieldOf(media, 'schema'),
      examples: readExamples(media, resolve),
      encoding,
    }
  })
}

/** With a style, the content type is ignored (OpenAPI 3.1.1, section 4.8.15.1). */
function readEncoding([name, encoding]: [string, unknown]) {
  const known = styles.query.find((style) => style === fieldOf(encoding, 'style'))
  const hasStyle = ['style', 'explode', 'allowReserved'].some((key) => hasField(encoding, key))
  const style = hasStyle ? (known ?? 'form') : undefined
  const [type] = textField(encoding, 'contentType')?.split(',') ?? []
  const written = {
    style,
    explode: explodeOf(encoding, style ?? 'form'),
    reserved: flagField(encoding, 'allowReserved'),
    type: type === undefined || type.includes('*') ? undefined : oneLine(type, 100),
  }
  return [name, written] as const
}

interface Example {
  name: string | undefined
  summary: string | undefined
  value: unknown
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

export type SecurityScheme = ReturnType<typeof readScheme>

/** The credentials that a scheme adds to a request. */
type Credential =
  | { place: 'header' | 'query' | 'cookie'; name: string; prefix: string; variable: string }
  | { place: 'user' | 'certificate' | 'unknown' }

export function readSecuritySchemes(
  { root }: ApiDocument,
  resolve: Resolve,
): Map<string, SecurityScheme> {
  const schemes = new Map<string, SecurityScheme>()
  for (const [name, item] of entriesField(root.components, 'securitySchemes')) {
    const fields = resolve(item).value
    if (isFields(fields)) schemes.set(name, readScheme(name, fields))
  }
  return schemes
}

interface Kind {
  /** Such as "Bearer token". */
  title: string
  /** One sentence: plain text, and the code at its end. */
  words: string
  code?: string
  credential: Credential
}

function readScheme(name: string, fields: unknown) {
  const flows = entriesField(fields, 'flows')
  const scopes = new Map<string, string>()
  for (const [, flow] of flows) {
    for (const [scope, words] of entriesField(flow, 'scopes')) {
      scopes.set(scope, typeof words === 'string' ? words : '')
    }
  }
  const links = [
    ...flows.flatMap(([flow, about]) => [
      { title: `Authorization (${oneLine(flow, 40)})`, url: textField(about, 'authorizationUrl') },
      { title: `Tokens (${oneLine(flow, 40)})`, url: textField(about, 'tokenUrl') },
    ]),
    { title: 'Configuration', url: textField(fields, 'openIdConnectUrl') },
  ]
  return {
    name,
    ...kindOf(name, fields),
    description: textField(fields, 'description'),
    links: links.filter(({ url = '' }) => isWebAddress(url)),
    scopes: [...scopes].map(([scope, description]) => ({ name: scope, description })),
  }
}

/** In the header Authorization. */
function authorization(word: string, variable: string) {
  return {
    code: `Authorization: ${word} ${variable}`,
    credential: { place: 'header', name: 'Authorization', prefix: `${word} `, variable },
  } as const
}

const accessToken = {
  words: 'Send the access token in the header',
  ...authorization('Bearer', 'ACCESS_TOKEN'),
}
const kinds = new Map<string | undefined, Kind>([
  ['oauth2', { title: 'OAuth 2.0', ...accessToken }],
  ['openIdConnect', { title: 'OpenID Connect', ...accessToken }],
  [
    'mutualTLS',
    {
      title: 'Client certificate',
      words: 'Connect with a client certificate (mutual TLS).',
      credential: { place: 'certificate' },
    },
  ],
  [
    'http basic',
    {
      title: 'User name and password',
      words: 'Send user name and password by HTTP basic authentication.',
      credential: { place: 'user' },
    },
  ],
])

function kindOf(name: string, fields: unknown): Kind {
  const type = textField(fields, 'type')
  if (type === 'apiKey') return keyKind(fields)
  const scheme = oneLine(textField(fields, 'scheme') ?? 'Bearer', 40)
  const known = kinds.get(type === 'http' ? `http ${scheme.toLowerCase()}` : type)
  if (known) return known
  if (type !== 'http') {
    const words = 'The document does not say how it is sent.'
    return { title: oneLine(name, 60), words, credential: { place: 'unknown' } }
  }
  const isBearer = scheme.toLowerCase() === 'bearer'
  return {
    title: isBearer ? 'Bearer token' : `HTTP ${scheme}`,
    words: 'Send it in the header',
    ...authorization(isBearer ? 'Bearer' : scheme, /key/i.test(name) ? 'API_KEY' : 'TOKEN'),
  }
}

function keyKind(fields: unknown): Kind {
  const name = oneLine(textField(fields, 'name') ?? 'X-API-Key', 100)
  const location = fieldOf(fields, 'in')
  const place = location === 'query' || location === 'cookie' ? location : 'header'
  const words = {
    header: 'Send the key in the header',
    query: 'Send the key as the query parameter',
    cookie: 'Send the key in the cookie',
  }
  return {
    title: 'API key',
    words: words[place],
    code: place === 'header' ? `${name}: API_KEY` : `${name}=API_KEY`,
    credential: { place, name, prefix: '', variable: 'API_KEY' },
  }
}
