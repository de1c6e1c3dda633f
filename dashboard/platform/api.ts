// The client of the management API at this origin, and the messages of its errors for users. A failed request asks for the
// health of the server; during an outage this is repeated until it responds.

import { createManagementClient, ManagementError } from '../../client/management-client.ts'
import { atClock } from './formats.ts'
import { createShared } from './shared-value.ts'

export const { call } = createManagementClient({
  address: location.origin,
  timeoutMs: 30_000,
  fetch: watchedFetch,
})

/** A client for files, without a time limit. `onProgress` receives the share that is sent, from 0 to 1. */
export function createUploadClient(onProgress?: (share: number) => void) {
  const transport = onProgress ? { fetch: fetchWithProgress(onProgress) } : {}
  return createManagementClient({ address: location.origin, timeoutMs: null, ...transport })
}

/** `fetch` for a file, which reports progress. */
function fetchWithProgress(onProgress: (share: number) => void): typeof fetch {
  return (url, { body, headers, method = 'GET', signal } = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(method, String(url))
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
      request.upload.addEventListener('progress', ({ loaded, total }) =>
        onProgress(total === 0 ? 1 : loaded / total),
      )
      request.addEventListener('load', () => {
        const retryAfter = request.getResponseHeader('Retry-After')
        const answer = {
          status: request.status,
          headers: retryAfter ? { 'Retry-After': retryAfter } : {},
        }
        resolve(new Response(request.responseText || null, answer))
      })
      request.addEventListener('error', () => reject(new TypeError('The upload failed.')))
      request.addEventListener('abort', () => reject(signal?.reason))
      signal?.addEventListener('abort', () => request.abort())
      if (signal?.aborted) reject(signal.reason)
      else request.send(body as XMLHttpRequestBodyInit)
    })
}

export const isCode = (error: unknown, code: string): boolean =>
  error instanceof ManagementError && error.code === code

/** What went wrong, and what to do. */
export function explain(thrown: unknown): string {
  if (!(thrown instanceof ManagementError)) return 'Something went wrong on this page. Reload it.'
  const { code, message, retryInSeconds, status } = thrown
  if (code === 'rate_limited' && retryInSeconds !== undefined) {
    const time = atClock(Date.now() + retryInSeconds * 1000)
    return `Too many attempts. Try again in ${retryInSeconds} seconds, at ${time}.`
  }
  if (code === 'unreachable') return 'The server does not respond. Try again in a moment.'
  if (code === 'outcome_unknown')
    return 'The server could not confirm whether this was saved. Check the current state before you try again.'
  // That of an identity provider has its name.
  if (status >= 500 && code !== 'provider_unavailable')
    return 'The server cannot handle this request right now. Try again in a moment.'
  return message
}

const repeatAfterMs = 3000
const timeoutMs = 5000

const outage = createShared(false)
let isAsking = false

/** Whether the server does not respond. */
export const useOutage = outage.useValue
/** Calls a listener when an outage begins or ends. */
export const subscribeToOutage = outage.subscribe

/** After a request without a response, or a response of a proxy that cannot reach the server. */
export function suspectOutage(): void {
  if (!isAsking) void askUntilHealthy()
}

/** `fetch` that suspects an outage when there is no response of the program. */
async function watchedFetch(...[url, init]: Parameters<typeof fetch>): Promise<Response> {
  try {
    const response = await fetch(url, init)
    if (response.status === 502 || response.status === 504) suspectOutage()
    return response
  } catch (error) {
    if (init?.signal?.aborted !== true) suspectOutage()
    throw error
  }
}

async function askUntilHealthy(): Promise<void> {
  isAsking = true
  while (!(await isHealthy())) {
    outage.set(true)
    await new Promise((resolve) => setTimeout(resolve, repeatAfterMs))
  }
  isAsking = false
  outage.set(false)
}

/** Whether the server responds now. Never rejects. */
export async function isHealthy(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    return (await fetch('/healthz', { cache: 'no-store', signal })).ok
  } catch {
    return false
  }
}

addEventListener('offline', suspectOutage)
