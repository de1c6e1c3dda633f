// Answers a GET from ready bytes, before any router: for a key that is known, a page that is ready, and
// versions that say both still hold. Whatever is out of the ordinary goes the long way (app.ts).
import type { ServerResponse } from 'node:http'
import { accepts } from '../platform/http/negotiate.ts'
import { sendReady } from '../platform/http/ready-answer.ts'
import type { ApiRequest } from '../platform/http/request-head.ts'
import type { Environment } from './environment.ts'
import type { Versions } from './versions.ts'

type Handle = (request: ApiRequest, response: ServerResponse) => void

/** `long` answers what is not ready. */
export function createHotPath(environment: Environment, long: Handle): Handle {
  const { authenticator, clock, limiter, log, metrics, name, pages, versions } = environment
  const logsReads = log.isLevelEnabled('debug')

  function answer(request: ApiRequest, response: ServerResponse, current: Versions): boolean {
    const now = clock()
    const page = pages.find(request.url as string, current.content)
    const key = page && authenticator.remembered(request.head, current, now)
    if (!page || !key?.scopes.has(page.scope) || now >= page.until) return false
    if (limiter.limitOf(key) || !accepts(request.head.accept, 'application/json')) return false
    const status = sendReady(request, response, page.answer)
    noteUse(environment, key.id, now)
    metrics.countCache('pages', 'hit')
    if (page.deprecated) metrics.countDeprecatedCall(name, page.operation, key.id)
    const labels = { environment: name, operation: page.operation, status }
    const milliseconds = performance.now() - request.startedAt
    metrics.observeRequest(labels, milliseconds / 1000)
    if (logsReads) {
      const { requestId } = request.head
      const line = { requestId, ...labels, method: 'GET', keyId: key.id, milliseconds }
      log.debug(line, 'request')
    }
    return true
  }

  return (request, response) => {
    const { head } = request
    if (request.method !== 'GET' || head.prefer !== undefined || head.origin !== undefined) {
      long(request, response)
      return
    }
    const current = versions()
    if (!(current instanceof Promise)) {
      if (!answer(request, response, current)) long(request, response)
      return
    }
    current.then(
      (known) => {
        if (!answer(request, response, known)) long(request, response)
      },
      // The long way knows how to say so, and need not wait a second time.
      (error) => {
        request.failure = error
        long(request, response)
      },
    )
  }
}

/** Remembers that a key was used, until the next time uses are written down. */
export function noteUse({ keyUses }: Environment, keyId: string, now: number): void {
  keyUses.set(keyId, now)
}
