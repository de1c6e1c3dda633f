// Asks the management API of this origin. A refusal is thrown with all that the Error body says. Integers
// keep every digit, both ways: what a number would round is a bigint.
import { parseExactJson, writeExactJson } from '../../client/exact-json.ts'

export interface Problem {
  /** Where in the request: `host`, `redirects[1].to`. */
  path: string
  message: string
}

/** What the API refused, or `unreachable` when nothing sensible came back. */
export class Refusal extends Error {
  /** 0 without an answer. */
  readonly status: number
  readonly code: string
  readonly details: Problem[]
  readonly retryInSeconds: number | undefined

  constructor(
    status: number,
    { code, details = [], message }: { code: string; message: string; details?: Problem[] },
    retryInSeconds?: number,
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.retryInSeconds = retryInSeconds
  }

  /** Whether the same may go well in a while. */
  get isOutage(): boolean {
    return this.code === 'unreachable' || this.status >= 500
  }
}

export interface AskOptions {
  /** Written as JSON, unless it is a Blob. */
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

const withinMs = 30_000

/** Gives the answer's body, undefined for a 204: `ask<Project>('GET /projects/x')`. Throws a Refusal. */
export async function ask<Answer = unknown>(
  route: string,
  { body, headers = {}, signal }: AskOptions = {},
): Promise<Answer> {
  const [method = '', path = ''] = route.split(' ')
  const isBytes = body instanceof Blob
  const limit = isBytes ? [] : [AbortSignal.timeout(withinMs)]
  let response: Response
  let answer: unknown
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers: {
        Accept: 'application/json',
        ...(body === undefined || isBytes ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : isBytes ? body : writeExactJson(body),
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.any(signal ? [...limit, signal] : limit),
    })
    answer = response.status === 204 ? undefined : parseExactJson(await response.text())
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Refusal(0, { code: 'unreachable', message: 'The server does not answer.' })
  }
  if (response.ok) return answer as Answer
  throw refusalOf(response.status, response.headers.get('Retry-After'), answer)
}

/** A path with its parts made safe: path`/projects/${slug}/domains/${host}`. */
export function path(parts: TemplateStringsArray, ...values: string[]): string {
  return String.raw({ raw: parts }, ...values.map(encodeURIComponent))
}

/** Of an answer that is no success. `retryAfter` is its header. */
export function refusalOf(status: number, retryAfter: string | null, answer: unknown): Refusal {
  if (typeof answer !== 'object' || answer === null || !('code' in answer)) {
    const message = 'The server answers with something that is not understood.'
    return new Refusal(status, { code: 'unreachable', message })
  }
  const retry = Number(retryAfter ?? Number.NaN)
  return new Refusal(
    status,
    answer as unknown as { code: string; message: string },
    Number.isFinite(retry) ? retry : undefined,
  )
}

/** Why it did not go, for people. */
export function explain(thrown: unknown): string {
  if (!(thrown instanceof Refusal)) return 'Something went wrong on this page. Reload it.'
  const { code, message, retryInSeconds, status } = thrown
  if (code === 'rate_limited' && retryInSeconds !== undefined) {
    return `That was asked too often. Try again in ${retryInSeconds} seconds.`
  }
  if (code === 'unreachable') return 'The server does not answer. Try again in a moment.'
  if (status >= 500) return 'The server cannot do this just now. Try again in a moment.'
  return message
}
