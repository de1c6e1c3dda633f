// @ts-check
// Asks the management API of this origin. A refusal is thrown with all that the Error body says.

/** What the API refused, or `unreachable` when nothing sensible came back. */
export class Refusal extends Error {
  /**
   * @param {number} status 0 without an answer.
   * @param {{ code: string, message: string, details?: { path: string, message: string }[] }} body
   * @param {number} [retryInSeconds]
   */
  constructor(status, { code, details = [], message }, retryInSeconds) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.retryInSeconds = retryInSeconds
  }

  /** Whether the same may go well in a while. */
  get isOutage() {
    return this.code === 'unreachable' || this.status >= 500
  }
}

const withinMs = 30_000

/**
 * Gives the answer's body, undefined for a 204. Throws a Refusal.
 * @param {string} route Such as `POST /session`.
 * @param {object} [body]
 * @returns {Promise<unknown>}
 */
export async function ask(route, body) {
  const [method = '', path = ''] = route.split(' ')
  /** @type {Response} */
  let response
  /** @type {unknown} */
  let answer
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers: {
        Accept: 'application/json',
        ...(body ? { 'Content-Type': 'application/json' } : {}),
      },
      body: body ? JSON.stringify(body) : null,
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.timeout(withinMs),
    })
    answer = response.status === 204 ? undefined : await response.json()
  } catch {
    throw new Refusal(0, { code: 'unreachable', message: 'The server does not answer.' })
  }
  if (response.ok) return answer
  const { status } = response
  if (!isErrorBody(answer)) {
    const message = 'The server answers with something that is not understood.'
    throw new Refusal(status, { code: 'unreachable', message })
  }
  const retry = Number(response.headers.get('Retry-After') ?? Number.NaN)
  throw new Refusal(status, answer, Number.isFinite(retry) ? retry : undefined)
}

/**
 * @param {unknown} body
 * @returns {body is { code: string, message: string, details?: { path: string, message: string }[] }}
 */
function isErrorBody(body) {
  return typeof body === 'object' && body !== null && 'code' in body && 'message' in body
}

/** Why it did not go, for people. @param {unknown} thrown @param {Date} [now] */
export function explain(thrown, now = new Date()) {
  // A fault of the page's own belongs on the console, not in front of people.
  if (!(thrown instanceof Refusal)) throw thrown
  const { code, message, retryInSeconds, status } = thrown
  if (code === 'rate_limited' && retryInSeconds !== undefined) {
    const at = new Date(now.getTime() + retryInSeconds * 1000)
    const clock = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
    return `Too many attempts have failed. Try again in ${retryInSeconds} seconds, at ${clock}.`
  }
  if (code === 'unreachable') return 'The server does not answer. Try again in a moment.'
  if (status >= 500) return 'The server cannot do this just now. Try again in a moment.'
  return message
}
