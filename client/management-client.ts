// The typed client of the management API, for the dashboard and the command line: an operation is called by
// its route, as in call('GET /projects/{slug}', { params: { slug } }). The types come from the declarations
// of the operations; none of their code is loaded.
import type { Static, TSchema } from 'typebox'
import type { accountRoutes } from '#accounts/open-accounts.ts'
import type { domainEventRoutes } from '#domains/api/event-routes.ts'
import type { domainRoutes } from '#domains/api/routes.ts'
import type { BodyOf, ParamsOf, QueryOf, ResponseOf } from '#kit/api/operation.ts'
import type { auditRoutes } from '#kit/management/audit-routes.ts'
import type { systemRoutes } from '#kit/system/routes.ts'
import type { connectRoutes } from '#optional/domain-connect/open.ts'
import type { domainWebhookRoutes } from '#optional/domain-webhooks/open.ts'
import type { providerRoutes } from '#optional/oidc/open.ts'
import type { visitRoutes } from '#optional/visits/open.ts'
import type { webhookRoutes } from '#optional/webhooks/open.ts'
import type { publishingRoutes } from '#publishing/publishing.ts'
import type { storeRoutes } from '#store/store.ts'
import type { systemCheckRoutes } from '#system-checks/open-system-checks.ts'
import { parseExactJson, writeExactJson } from './exact-json.ts'

type AnyOperation = (
  | typeof accountRoutes
  | typeof providerRoutes
  | typeof auditRoutes
  | typeof publishingRoutes
  | typeof visitRoutes
  | typeof domainRoutes
  | typeof domainEventRoutes
  | typeof domainWebhookRoutes
  | typeof connectRoutes
  | typeof storeRoutes
  | typeof webhookRoutes
  | typeof systemRoutes
  | typeof systemCheckRoutes
)[number]['operation']

/** Operations that a browser opens by their address: event streams and downloads. */
type Opened = { events: object } | { download: object }
type OpenedRoute = Extract<AnyOperation, Opened>['route']
/** Operations that are called, and respond with JSON. */
export type RouteName = Exclude<AnyOperation, Opened>['route']
type At<R extends AnyOperation['route']> = Extract<AnyOperation, { route: R }>

/** The body of an operation's response; undefined for a 204. */
export type Answer<R extends RouteName> = ResponseOf<At<R>>
/** The body that an operation takes. */
export type Body<R extends RouteName> = BodyOf<At<R>>
/** The query parameters of an operation: all are optional. */
type Loose<T> = { [K in keyof T]?: T[K] | undefined }
export type Query<R extends AnyOperation['route']> = Loose<NonNullable<QueryOf<At<R>>>>
/** The data of an event of a stream. */
export type EventOf<R extends OpenedRoute> =
  At<R> extends { events: infer Schema extends TSchema } ? Static<Schema> : never

type Upload = NonNullable<RequestInit['body']>

type AddressInput<R extends AnyOperation['route']> = (keyof ParamsOf<At<R>> extends never
  ? unknown
  : { params: ParamsOf<At<R>> }) &
  (QueryOf<At<R>> extends undefined ? unknown : { query?: Query<R> })

/** What a call needs: only the parts that its operation has. */
export type CallInput<R extends RouteName> = AddressInput<R> &
  (BodyOf<At<R>> extends undefined ? unknown : { body: BodyOf<At<R>> }) &
  (At<R> extends { upload: object } ? { upload: Upload; type: string } : unknown) & {
    /** The request is refused when the record has another version by then. */
    ifMatch?: string | undefined
    signal?: AbortSignal
  }

export interface ManagementClient {
  /**
   * Returns the body of the response; undefined for a 204. Throws a ManagementError, or the reason of `signal`
   * once that is aborted.
   */
  call<R extends RouteName>(
    route: R,
    ...input: object extends CallInput<R> ? [CallInput<R>?] : [CallInput<R>]
  ): Promise<Answer<R>>
}

interface ClientOptions {
  /** Of the dashboard, such as http://localhost:8080. */
  address: string
  /** A personal access token; without it the browser's session. */
  token?: string
  fetch?: typeof fetch
  /** For a response to begin and end; null for no limit. */
  timeoutMs?: number | null
}

/** A problem with one part of a request, such as `redirects[1].to`. */
interface Problem {
  path: string
  message: string
}

/** An error that the API has responded with, or `unreachable` when there was no response of the API. */
export class ManagementError extends Error {
  override readonly name = 'ManagementError'
  readonly code: string
  /** 0 when there was no response. */
  readonly status: number
  readonly details: Problem[]
  /** Of the header Retry-After. */
  readonly retryInSeconds: number | undefined

  constructor(answer: {
    code: string
    message: string
    status: number
    details?: Problem[]
    retryInSeconds?: number | undefined
    cause?: unknown
  }) {
    super(answer.message, { cause: answer.cause })
    this.code = answer.code
    this.status = answer.status
    this.details = answer.details ?? []
    this.retryInSeconds = answer.retryInSeconds
  }

  /** Whether the same request may succeed later. */
  get isOutage(): boolean {
    return this.code === 'unreachable' || this.status >= 500
  }
}

/** Of any operation. */
export interface LooseInput {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  upload?: Upload
  type?: string
  ifMatch?: string
  signal?: AbortSignal
}

export function createManagementClient(options: ClientOptions): ManagementClient {
  const { timeoutMs = 60_000, token } = options
  const send = options.fetch ?? fetch
  const address = options.address.replace(/\/$/, '')

  async function call(route: string, input: LooseInput = {}): Promise<unknown> {
    const { body, ifMatch, signal, type, upload } = input
    const signals = signal ? [signal] : []
    if (timeoutMs !== null) signals.push(AbortSignal.timeout(timeoutMs))
    const headers: Record<string, string> = { accept: 'application/json' }
    if (token !== undefined) headers.authorization = `Bearer ${token}`
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (type !== undefined) headers['content-type'] = type
    if (ifMatch !== undefined) headers['if-match'] = `"${ifMatch}"`
    let response: Response
    let text: string
    try {
      response = await send(address + pathOf(route, input), {
        method: route.split(' ')[0] ?? '',
        headers,
        body: upload ?? (body === undefined ? null : writeExactJson(body)),
        cache: 'no-store',
        redirect: 'error',
        signal: AbortSignal.any(signals),
      })
      text = await response.text()
    } catch (cause) {
      signal?.throwIfAborted()
      const message = `${address} does not answer: check the address and that the server runs.`
      throw new ManagementError({ code: 'unreachable', message, status: 0, cause })
    }
    const { ok, status } = response
    if (ok && text === '') return undefined
    const answer = readAnswer(text)
    if (ok && answer !== undefined) return answer
    if (isError(answer)) {
      const retryInSeconds = Number(response.headers.get('retry-after') ?? Number.NaN)
      throw new ManagementError({
        ...answer,
        status,
        retryInSeconds: Number.isFinite(retryInSeconds) ? retryInSeconds : undefined,
      })
    }
    const message = `${address} answered ${status} with something that is not this API: check the address.`
    throw new ManagementError({ code: 'unreachable', message, status })
  }

  return { call: call as ManagementClient['call'] }
}

/** The path that a browser opens, for an event stream or a download. */
export function addressOf<R extends AnyOperation['route']>(
  route: R,
  input: AddressInput<R>,
): string {
  return pathOf(route, input as LooseInput)
}

function pathOf(route: string, { params = {}, query = {} }: LooseInput): string {
  const path = route
    .replace(/^\w+ /, '/api')
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = searchOf(query)
  return search === '' ? path : `${path}?${search}`
}

/** Without the parameters that are undefined. */
export function searchOf(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined)
  return new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
}

function readAnswer(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}

function isError(
  answer: unknown,
): answer is { code: string; message: string; details?: Problem[] } {
  const { code, message } = (answer ?? {}) as { code?: unknown; message?: unknown }
  return typeof code === 'string' && typeof message === 'string'
}
