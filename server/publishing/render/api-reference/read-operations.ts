// Reads the operations of a document: what paths and operations say together, references followed.
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
import type { Callback, Link, Operation, SecurityNeed, Server, Stability } from './operation.ts'
import type { PageNames } from './page-names.ts'
import { oneLine } from './plain-text.ts'
import type { ApiDocument } from './read-document.ts'
import { readBody, readParameters, readResponses } from './read-messages.ts'
import type { Resolve } from './references.ts'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']
const maxOperations = 2_000

const meanings: Record<string, string> = {
  experimental: 'It may change or go at any time.',
  beta: 'Its form may change, with notice.',
}
const sameStability: Record<string, string> = { alpha: 'experimental', preview: 'beta' }
const stableWords = ['stable', 'ga', 'general-availability', 'production']

/** In the order of the document: paths, then webhooks. */
export function readOperations(
  document: ApiDocument,
  resolve: Resolve,
  names: PageNames,
): Operation[] {
  const read = (place: 'paths' | 'webhooks') =>
    entriesField(document.root, place)
      .filter(([route]) => place === 'webhooks' || !route.startsWith('x-'))
      .flatMap(([route, item]) => {
        const path = resolve(item).value
        return entriesOf(path).flatMap(([method, operation]) => {
          return methods.includes(method) && isFields(operation)
            ? readOperation(operation, { method, route, path, place, document, resolve, names })
            : []
        })
      })
  const operations = [...read('paths'), ...read('webhooks')]
  if (operations.length > maxOperations) {
    throw document.fault('There are more than 2,000 operations. Split the document.', 'paths')
  }
  return operations
}

interface Surroundings {
  method: string
  route: string
  path: unknown
  place: 'paths' | 'webhooks'
  document: ApiDocument
  resolve: Resolve
  names: PageNames
}

function readOperation(fields: Fields, around: Surroundings): Operation {
  const { route, path, place, document, resolve, names } = around
  const method = around.method.toUpperCase()
  const operationId = textField(fields, 'operationId')
  const isWebhook = place === 'webhooks'
  const summary = textField(fields, 'summary') ?? textField(path, 'summary')
  const parameters = [...listField(path, 'parameters'), ...listField(fields, 'parameters')]
  return {
    path: names.next(
      operationId ?? `${isWebhook ? 'webhook ' : ''}${method.toLowerCase()} ${route}`,
    ),
    title: oneLine(summary ?? operationId ?? `${method} ${route}`),
    method,
    route,
    isWebhook,
    operationId,
    description: textField(fields, 'description') ?? textField(path, 'description'),
    tags: textsField(fields, 'tags'),
    stability: readStability(textField(fields, 'x-stability')),
    deprecated: flagField(fields, 'deprecated'),
    sunset: textField(fields, 'x-deprecated-sunset') ?? textField(fields, 'x-sunset'),
    parameters: readParameters(parameters, resolve),
    body: readBody(fieldOf(fields, 'requestBody'), resolve),
    responses: readResponses(fieldOf(fields, 'responses'), resolve),
    security:
      isWebhook && !hasField(fields, 'security')
        ? undefined
        : readSecurity([fields, document.root]),
    servers: readServers([fields, path, document.root]),
    callbacks: readCallbacks(fieldOf(fields, 'callbacks'), resolve),
    externalDocs: readLink(fieldOf(fields, 'externalDocs')),
  }
}

function readStability(given: string | undefined): Stability | undefined {
  const word = given?.trim().toLowerCase()
  if (word === undefined || stableWords.includes(word)) return undefined
  const known = Object.hasOwn(sameStability, word) ? sameStability[word] : word
  const meaning =
    known !== undefined && Object.hasOwn(meanings, known) ? meanings[known] : undefined
  return { word: oneLine(word, 30), meaning }
}

/** What the first of the places says. */
function readSecurity(places: unknown[]): SecurityNeed[][] | undefined {
  const place = places.find((fields) => Array.isArray(fieldOf(fields, 'security')))
  if (place === undefined) return undefined
  return listField(place, 'security').map((need) =>
    entriesOf(need).map(([scheme]) => ({ scheme, scopes: textsField(need, scheme) })),
  )
}

/** The servers of the first place that has any, their variables filled in. */
export function readServers(places: unknown[]): Server[] {
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

function readCallbacks(callbacks: unknown, resolve: Resolve): Callback[] {
  return entriesOf(callbacks).flatMap(([name, callback]) =>
    entriesOf(resolve(callback).value).flatMap(([expression, item]) => {
      const path = resolve(item).value
      return entriesOf(path).flatMap(([method, operation]) => {
        if (!methods.includes(method) || !isFields(operation)) return []
        const summary = textField(operation, 'summary') ?? textField(operation, 'description')
        return { name, expression, method: method.toUpperCase(), summary }
      })
    }),
  )
}

/** Only where it leads to the web. */
export function readLink(docs: unknown): Link | undefined {
  const url = textField(docs, 'url')
  if (url === undefined || !isWebAddress(url)) return undefined
  return { url, title: oneLine(textField(docs, 'description') ?? url) }
}

/** Whether a link may lead there: nothing but http and https. */
export function isWebAddress(url: string): boolean {
  const parsed = URL.parse(url)
  return parsed !== null && (parsed.protocol === 'https:' || parsed.protocol === 'http:')
}
