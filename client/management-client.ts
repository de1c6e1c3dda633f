// The typed client of the management API, for the dashboard and the command line: an operation is called by
// its route, as in call('GET /projects/{slug}', { params: { slug } }). The types come from the operations'
// own declarations; none of their code is loaded.
import type * as accounts from '../server/platform/accounts/operations.ts'
import type {
  AnswerOf,
  BodyOf,
  Operation,
  ParamsOf,
  QueryOf,
} from '../server/platform/api/operation.ts'
import type * as system from '../server/platform/system/operations.ts'
import type * as deploys from '../server/publishing/deploys/operations.ts'
import type * as domainEvents from '../server/publishing/domains/api/event-operations.ts'
import type * as domains from '../server/publishing/domains/api/operations.ts'
import type * as projects from '../server/publishing/projects/operations.ts'
import type * as environments from '../server/store/environments/operations.ts'
import type * as keys from '../server/store/keys/operations.ts'
import type * as operators from '../server/store/operators/operations.ts'
import type * as webhooks from '../server/store/webhooks/operations.ts'
import { parseExactJson, writeExactJson } from './exact-json.ts'

/** What streams is not called; it is followed. A file is linked to. */
type Declared<Module> = Exclude<
  Extract<Module[keyof Module], Operation>,
  { events: object } | { download: object }
>
type AnyOperation =
  | Declared<typeof accounts>
  | Declared<typeof projects>
  | Declared<typeof deploys>
  | Declared<typeof domains>
  | Declared<typeof domainEvents>
  | Declared<typeof keys>
  | Declared<typeof operators>
  | Declared<typeof environments>
  | Declared<typeof webhooks>
  | Declared<typeof system>

export type RouteName = AnyOperation['route']
type At<R extends RouteName> = Extract<AnyOperation, { route: R }>

type Upload = NonNullable<RequestInit['body']>

/** What a call needs: only the parts that its operation has. */
export type CallInput<R extends RouteName> = (keyof ParamsOf<At<R>> extends never
  ? unknown
  : { params: ParamsOf<At<R>> }) &
  (QueryOf<At<R>> extends undefined ? unknown : { query?: Partial<QueryOf<At<R>>> }) &
  (BodyOf<At<R>> extends undefined ? unknown : { body: BodyOf<At<R>> }) &
  (At<R> extends { upload: object } ? { upload: Upload; type: string } : unknown) & {
    /** Refused when the record's version is another one by then. */
    ifMatch?: string
    signal?: AbortSignal
  }

export interface ManagementClient {
  /** Gives the answer's body; undefined for a 204. Throws a ManagementError. */
  call<R extends RouteName>(
    route: R,
    ...input: object extends CallInput<R> ? [CallInput<R>?] : [CallInput<R>]
  ): Promise<AnswerOf<At<R>>>
}

export interface ClientOptions {
  /** Of the dashboard, such as http://localhost:8080. */
  address: string
  /** A personal access token; without it the browser's session. */
  token?: string
  fetch?: typeof fetch
  /** For an answer to begin and end. */
  timeoutMs?: number
}

/** What the API answered with an error, or `unreachable` when nothing sensible came back. */
export class ManagementError extends Error {
  override readonly name = 'ManagementError'
  readonly code: string
  /** 0 when there was no answer. */
  readonly status: number
  readonly details: { path: string; message: string }[]

  constructor(answer: {
    code: string
    message: string
    status: number
    details?: { path: string; message: string }[]
    cause?: unknown
  }) {
    super(answer.message, { cause: answer.cause })
    this.code = answer.code
    this.status = answer.status
    this.details = answer.details ?? []
  }
}

interface LooseInput {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  upload?: Upload
  type?: string
  ifMatch?: string
  signal?: AbortSignal
}

export function createManagementClient(options: ClientOptions): ManagementClient {
  const { address, timeoutMs = 60_000, token } = options
  const send = options.fetch ?? fetch
  const base = `${address.replace(/\/$/, '')}/api`

  async function call(route: string, input: LooseInput = {}): Promise<unknown> {
    const [method = '', pattern = ''] = route.split(' ')
    const { body, ifMatch, params = {}, query = {}, signal, type, upload } = input
    const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    )
    const pairs = Object.entries(query).filter(([, value]) => value !== undefined)
    const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))
    const late = AbortSignal.timeout(timeoutMs)
    const headers: Record<string, string> = { accept: 'application/json' }
    if (token !== undefined) headers.authorization = `Bearer ${token}`
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (type !== undefined) headers['content-type'] = type
    if (ifMatch !== undefined) headers['if-match'] = `"${ifMatch}"`
    let response: Response
    let text: string
    try {
      response = await send(`${base}${path}${pairs.length > 0 ? `?${search}` : ''}`, {
        method,
        headers,
        body: upload ?? (body === undefined ? null : writeExactJson(body)),
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, late]) : late,
      })
      text = await response.text()
    } catch (cause) {
      const message = `${address} does not answer: check the address and that the server runs.`
      throw new ManagementError({ code: 'unreachable', message, status: 0, cause })
    }
    if (response.ok && text === '') return undefined
    const answer = readAnswer(text)
    if (response.ok && answer !== undefined) return answer
    if (isError(answer)) throw new ManagementError(answer)
    const message = `${address} answered ${response.status} with something that is not this API: check the address.`
    throw new ManagementError({ code: 'unreachable', message, status: response.status })
  }

  return { call: call as ManagementClient['call'] }
}

function readAnswer(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}

function isError(answer: unknown): answer is { code: string; message: string; status: number } {
  const { code, message } = (answer ?? {}) as { code?: unknown; message?: unknown }
  return typeof code === 'string' && typeof message === 'string'
}
