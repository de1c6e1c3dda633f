// Runs api. It loads no operation: what the server can do is read from its OpenAPI documents. A command that api has
// replaced is answered with the call that does the same.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseToWrite } from '#kit/json/exact-number.ts'
import { findNearMiss } from '#kit/schema/near-miss.ts'
import { parseExactJson, writeExactJson } from '../../client/exact-json.ts'
import {
  CommandError,
  columns,
  type Input,
  loadConfig,
  readBytes,
  readChoice,
  readText,
  UsageError,
} from './command-line/command.ts'
import { readToken, readUrl } from './command-line/server-choice.ts'

/** As long as a server waits for an upload. */
const responseWithinMs = 15 * 60_000

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export async function callApi(input: Input): Promise<undefined> {
  const [typed = '', path = ''] = input.operands
  const method = readChoice(methods, typed.toUpperCase(), 'METHOD')
  if (!path.startsWith('/')) throw new UsageError('PATH starts with /, such as /api/projects')
  const url = serverUrl(input)
  const headers = readHeaders(input, readToken(input.options))
  const fields = readFields(input)
  const file = input.options.input
  const isQuery = method === 'GET' || file !== undefined
  let body: string | Buffer<ArrayBuffer> | null = null
  if (file !== undefined) body = readBytes(file)
  else if (!isQuery && fields.length > 0) body = writeExactJson(Object.fromEntries(fields))
  if (body !== null && !headers.has('content-type')) headers.set('content-type', 'application/json')
  const response = await send(url + (isQuery ? withQuery(path, fields) : path), {
    ...{ method, headers, body, redirect: 'manual' },
  })
  if (response.status < 300) return await printBody(response)
  const text = await response.text()
  process.stdout.write(shownJson(response, text))
  throw new CommandError(await problemOf(response, text, { method, path, url }))
}

/** What the server offers; a sentence instead where it does not answer. */
export async function describeOperations(input: Input): Promise<string> {
  const url = serverUrl(input)
  const operations = await listOperations(url).catch(() => [])
  if (operations.length === 0)
    return `\nThe operations are listed here while the server at ${url} is running.\n`
  const rows = operations.map(({ isForTokens, method, path, summary }) => [
    method,
    path,
    isForTokens ? summary : `${summary} (in the dashboard only)`,
  ])
  return `\nOperations of ${url}:\n\n${columns(rows)}`
}

/** The address before the paths. */
function serverUrl({ options }: Input): string {
  return (readUrl(options) ?? loadConfig().dashboardUrl.href).replace(/\/$/, '')
}

function readHeaders({ lists }: Input, token: string): Headers {
  const headers = new Headers({ authorization: `Bearer ${token}` })
  for (const [name, value] of (lists.header ?? []).map((text) => split(text, ':', 'header'))) {
    try {
      headers.set(name, value)
    } catch {
      throw new UsageError(`--header does not accept ${JSON.stringify(`${name}:${value}`)}`)
    }
  }
  return headers
}

function readFields({ lists }: Input): [name: string, value: unknown][] {
  const raw = (lists['raw-field'] ?? []).map((text) => split(text, '=', 'raw-field'))
  const typed = (lists.field ?? []).map((text) => split(text, '=', 'field'))
  return [...raw, ...typed.map(([name, text]) => [name, readValue(text)] as [string, unknown])]
}

function split(text: string, separator: string, option: string): [string, string] {
  const at = text.indexOf(separator)
  if (at < 1) throw new UsageError(`--${option} accepts NAME${separator}VALUE`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Of a file without the line break at its end, which `$(cat FILE)` drops, too. */
function readValue(text: string): unknown {
  if (text.startsWith('@')) return readText(text.slice(1)).replace(/\r?\n$/, '')
  try {
    const value = parseExactJson(text)
    return typeof value === 'string' ? text : value
  } catch {
    return text
  }
}

function withQuery(path: string, fields: [string, unknown][]): string {
  if (fields.length === 0) return path
  const query = new URLSearchParams(fields.map(([name, value]) => [name, String(value)]))
  return `${path}${path.includes('?') ? '&' : '?'}${query}`
}

/** The response must begin in time; event streams and downloads may last. */
async function send(address: string, request: RequestInit): Promise<Response> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), responseWithinMs)
  try {
    return await fetch(address, { ...request, signal: late.signal })
  } catch (cause) {
    const { origin } = new URL(address)
    const { code } = ((cause as Error).cause ?? {}) as NodeJS.ErrnoException
    const why = code === undefined ? '' : ` (${code})`
    throw new CommandError(
      `${origin} does not answer${why}: check the address and that the server runs.`,
      { cause },
    )
  } finally {
    clearTimeout(timer)
  }
}

/** Anything but JSON on a terminal is printed as it arrives, such as an event stream. */
async function printBody(response: Response): Promise<undefined> {
  if (!response.body) return
  if (process.stdout.isTTY && isJson(response)) {
    process.stdout.write(shownJson(response, await response.text()))
    return
  }
  try {
    await pipeline(Readable.fromWeb(response.body), process.stdout, { end: false })
  } catch (error) {
    // Its reader, such as head, has read enough.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

function isJson({ headers }: Response): boolean {
  return /[/+]json\b/.test(headers.get('content-type') ?? '')
}

/** On a terminal indented, with every digit of its numbers. */
function shownJson(response: Response, text: string): string {
  if (!process.stdout.isTTY || !isJson(response)) return text
  return `${JSON.stringify(parseToWrite(text), null, 2)}\n`
}

interface Call {
  method: string
  path: string
  url: string
}

/** One line. For a path that the server does not know it names the nearest one. */
async function problemOf(
  { headers, status }: Response,
  text: string,
  { method, path, url }: Call,
): Promise<string> {
  const location = headers.get('location')
  if (location !== null) return `the server redirects to ${location} (HTTP ${status})`
  const { code, message = 'the response is no error of the API' } = errorOf(text)
  const line = `${message} (HTTP ${status})`
  if (code !== 'route_not_found') return line
  const operations = await listOperations(url).catch(() => [])
  const nearest = findNearest(operations, method, path.split('?')[0] ?? '')
  return nearest ? `${line}. The nearest operation: ${nearest.method} ${nearest.path}` : line
}

function errorOf(text: string): { code?: string; message?: string } {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

interface ListedOperation {
  method: string
  path: string
  summary: string
  isForTokens: boolean
}

interface Document {
  servers: { url: string }[]
  paths: Record<string, Record<string, { summary: string; security: object[] }>>
}

/** Those of the documents at this address: the store may have a host of its own. */
async function listOperations(url: string): Promise<ListedOperation[]> {
  const documents = ['/api', '/v1'].map(async (prefix) => {
    const signal = AbortSignal.timeout(10_000)
    const response = await fetch(`${url}${prefix}/openapi.json`, { signal })
    if (!response.ok) return []
    const { paths } = (await response.json()) as Document
    return Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { security, summary }]) => {
        const isForTokens = security.every((one) => !('session' in one)) || security.length > 1
        return { method: method.toUpperCase(), path: prefix + path, summary, isForTokens }
      }),
    )
  })
  return (await Promise.all(documents)).flat()
}

/** The one whose path is the same but for slips in its segments, with the same method if there is one. */
function findNearest(
  operations: ListedOperation[],
  method: string,
  path: string,
): ListedOperation | undefined {
  const segments = path.split('/')
  const near = operations.filter((operation) => {
    const parts = operation.path.split('/')
    // A parameter stands for whatever is in its place.
    const isNear = (part: string, i: number): boolean =>
      part.startsWith('{') || findNearMiss(segments[i] ?? '', [part]) !== undefined
    return parts.length === segments.length && parts.every(isNear)
  })
  return near.find((operation) => operation.method === method) ?? near[0]
}

const webhooks = '/api/store/{environment}/webhooks'
const project = '/api/projects/{slug}'
const preview = `${project}/previews/{preview}`
const image = `${project}/site-images/{image}`
const settings = `${project}/site-settings`

/** Arguments of `animal-store api`; a parameter stands for the caller's value. */
export const replacedCommands: Record<string, string> = {
  'webhooks create': `POST ${webhooks} -f url=URL`,
  'webhooks list': `GET ${webhooks}`,
  'webhooks deliveries': `GET ${webhooks}/{webhookId}/deliveries`,
  'webhooks resend': `POST ${webhooks}/{webhookId}/deliveries/{eventId}/redeliver`,
  'webhooks test': `POST ${webhooks}/{webhookId}/test`,
  'webhooks disable': `PATCH ${webhooks}/{webhookId} -F disabled=true`,
  'webhooks enable': `PATCH ${webhooks}/{webhookId} -F disabled=false`,
  'webhooks rotate': `POST ${webhooks}/{webhookId}/rotate -F overlapSeconds=86400`,
  'webhooks remove': `DELETE ${webhooks}/{webhookId}`,
  'visibility show': `GET ${project}`,
  'transfer show': `GET ${project}/members`,
  'site-settings get': `GET ${settings}`,
  'site-settings set': `PUT ${settings} --input FILE`,
  'site-settings upload': `PUT ${image} -H Content-Type:application/octet-stream --input FILE`,
  'site-settings remove-upload': `DELETE ${image}`,
  'previews list': `GET ${project}/previews`,
  'previews promote': `POST ${preview}/promote`,
  'previews password': `PUT ${preview} -F password=@FILE`,
  'previews end': `DELETE ${preview}`,
}

/** Access tokens cannot change who has access, so that not even a leaked one lets others in. */
const dashboardPlaces: Record<string, string> = {
  'visibility set': 'Project settings, Site',
  'transfer offer': 'Project settings, Danger zone',
  'transfer cancel': 'Project settings, Danger zone',
  'transfer accept': 'Projects',
  'transfer decline': 'Projects',
}

/** What to use instead of a command that there was, or of a group of them. */
export function describeReplacement(words: string[]): string | undefined {
  const name = words.slice(0, 2).join(' ')
  const call = replacedCommands[name]
  if (call !== undefined) return `${name} is animal-store api ${call}`
  const place = dashboardPlaces[name]
  if (place !== undefined) return `${name} is in the dashboard only, under ${place}`
  const names = [...Object.keys(replacedCommands), ...Object.keys(dashboardPlaces)]
  const group = names.filter((other) => other.split(' ')[0] === words[0])
  return group.length > 0
    ? group.map((other) => describeReplacement(other.split(' '))).join('\n')
    : undefined
}
