// Reads the operations of a document with their parameters, bodies, responses, headers and examples. Texts may
// contain anything; types are checked.
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
import { oneLine } from './plain-text.ts'
import type { ApiDocument, Resolve } from './read-document.ts'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']
const maxOperations = 2_000

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
        return operationsIn(path).map(({ fields, method }) =>
          readOperation(fields, { method, route, path, isWebhook, root, resolve, nextPath }),
        )
      }),
  )
  if (operations.length > maxOperations) {
    throw fault('There are more than 2,000 operations. Split the document.', 'paths')
  }
  return operations
}

function operationsIn(path: unknown): { method: string; fields: Fields }[] {
  return entriesOf(path).flatMap(([method, fields]) =>
    methods.includes(method) && isFields(fields) ? { method: method.toUpperCase(), fields } : [],
  )
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
  const parameters = [...listField(path, 'parameters'), ...listField(fields, 'parameters')]
  return {
    /** Path of its page. */
    path: nextPath(operationId ?? `${isWebhook ? 'webhook ' : ''}${method.toLowerCase()} ${route}`),
    title: oneLine(summary ?? operationId ?? `${method} ${route}`),
    method,
    /** Such as `/pets/{petId}`; the name of a webhook. */
    route,
    isWebhook,
    operationId,
    description: textField(fields, 'description') ?? textField(path, 'description'),
    tags: textsField(fields, 'tags'),
    stability: readStability(textField(fields, 'x-stability')),
    deprecated: flagField(fields, 'deprecated'),
    /** When it will be removed: a date, or text from the document. */
    sunset: textField(fields, 'x-deprecated-sunset') ?? textField(fields, 'x-sunset'),
    parameters: readParameters(parameters, resolve),
    body: readBody(fieldOf(fields, 'requestBody'), resolve),
    responses: readResponses(fieldOf(fields, 'responses'), resolve),
    /** Alternatives; each lists the schemes that are required together. Undefined if not specified. */
    security: isWebhook && !hasField(fields, 'security') ? undefined : readSecurity([fields, root]),
    /** Otherwise that of the document applies. */
    hasOwnSecurity: hasField(fields, 'security'),
    servers: readServers([fields, path, root]),
    callbacks: readCallbacks(fieldOf(fields, 'callbacks'), resolve),
    externalDocs: readLink(fieldOf(fields, 'externalDocs')),
  }
}

/** The value of `x-stability` and its meaning, if known; a stable operation has none. */
function readStability(given: string | undefined) {
  const word = given?.trim().toLowerCase()
  if (word === undefined || stableWords.includes(word)) return undefined
  const known = Object.hasOwn(sameStability, word) ? sameStability[word] : word
  const meaning =
    known !== undefined && Object.hasOwn(meanings, known) ? meanings[known] : undefined
  return { word: oneLine(word, 30), meaning }
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
    return { url: filled, description: textField(server, 'description') }
  })
}

function readCallbacks(callbacks: unknown, resolve: Resolve) {
  return entriesOf(callbacks).flatMap(([name, callback]) =>
    entriesOf(resolve(callback).value).flatMap(([expression, item]) =>
      operationsIn(resolve(item).value).map(({ fields, method }) => {
        const summary = textField(fields, 'summary') ?? textField(fields, 'description')
        return { name, expression, method, summary }
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

/** Parameters of an operation override those of its path; ordered by location. */
function readParameters(given: unknown[], resolve: Resolve) {
  const found = new Map<string, Parameter>()
  for (const item of given) {
    const parameter = readParameter(resolve(item).value, resolve)
    if (parameter) found.set(`${parameter.in} ${parameter.name}`, parameter)
  }
  return places.flatMap((place) => [...found.values()].filter((item) => item.in === place))
}

export type Parameter = NonNullable<ReturnType<typeof readParameter>>

function readParameter(value: unknown, resolve: Resolve) {
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
    /** Whether the items of a list are repeated as parameters of the same name. */
    explode: typeof explode === 'boolean' ? explode : style === 'form',
    ...readContent(value, resolve),
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
        description: textField(response, 'description'),
        headers: readHeaders(fieldOf(response, 'headers'), resolve),
        media: readMedia(response, resolve),
      }
    })
  return responses.sort((a, b) => (a.status < b.status ? -1 : 1))
}

export type Header = ReturnType<typeof readHeaders>[number]

function readHeaders(value: unknown, resolve: Resolve) {
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
function readContent(value: unknown, resolve: Resolve) {
  const [media] = readMedia(value, resolve)
  if (media) return { schema: media.schema, examples: media.examples.map((item) => item.value) }
  const examples = readExamples(value, resolve).map((example) => example.value)
  return { schema: fieldOf(value, 'schema'), examples }
}

export type Media = ReturnType<typeof readMedia>[number]

function readMedia(value: unknown, resolve: Resolve) {
  return entriesField(value, 'content').map(([type, item]) => {
    const media = resolve(item).value
    return { type, schema: fieldOf(media, 'schema'), examples: readExamples(media, resolve) }
  })
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
