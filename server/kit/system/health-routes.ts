// Endpoints for monitoring: /healthz (the process is running), /readyz (it can serve) and /metrics.
import type { ServerResponse } from 'node:http'
import { AppError } from '../errors.ts'
import type { Handler } from '../http/listener/intake.ts'
import type { ApiRequest } from '../http/request/request-head.ts'
import { sendError, sendOnce } from '../http/response/send-response.ts'
import type { AddressList } from '../network/addresses.ts'
import type { ClientAddresses } from '../network/client-addresses.ts'

interface Operations {
  /** Why this process cannot serve, in words for everybody; empty if it can. */
  findObstacles(): Promise<string[]>
  /** In Prometheus' text format. */
  metrics(): Promise<string>
  metricsAllow: AddressList
  clients: ClientAddresses
}

/** The handlers by path. */
export function operationsRoutes(operations: Operations): Map<string, Handler> {
  const { clients, findObstacles, metrics, metricsAllow } = operations
  const json = (value: object): string => JSON.stringify(value)

  async function health(): Promise<string> {
    return json({ status: 'ok' })
  }

  async function readiness(): Promise<string> {
    const obstacles = await findObstacles()
    if (obstacles.length === 0) return json({ status: 'ready' })
    throw new AppError('unavailable', `Not ready: ${obstacles.join('; ')}.`, {
      headers: { 'Retry-After': '1' },
    })
  }

  async function sendMetrics(
    request: ApiRequest,
    response: ServerResponse,
  ): Promise<string | undefined> {
    const text = await metrics()
    response.writeHead(200, {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': request.head.requestId,
    })
    response.end(request.method === 'HEAD' ? undefined : text)
    return undefined
  }

  const mayReadMetrics = (request: ApiRequest) => clients.isLocalOr(metricsAllow, request)

  const getHandler =
    (
      answer: (request: ApiRequest, response: ServerResponse) => Promise<string | undefined>,
      isAllowed: (request: ApiRequest) => boolean = () => true,
    ): Handler =>
    (request, response) => {
      const done = async (): Promise<void> => {
        // Unauthorized clients must not learn that the endpoint exists.
        if (!isAllowed(request))
          throw new AppError('route_not_found', 'Nothing is served at this address.')
        const headers = { Allow: 'GET, HEAD, OPTIONS' }
        if (request.method === 'OPTIONS')
          return sendOnce(request, response, 204, Object.entries(headers).flat(), undefined)
        if (request.method !== 'GET' && request.method !== 'HEAD') {
          const message = `${request.method} is not possible here; ${headers.Allow} are.`
          throw new AppError('method_not_allowed', message, { headers })
        }
        const body = await answer(request, response)
        if (body !== undefined)
          sendOnce(request, response, 200, ['Cache-Control', 'no-store'], body)
      }
      return done().catch((error) => {
        if (!(error instanceof AppError)) throw error
        sendError(request, response, error)
      })
    }

  return new Map([
    ['/healthz', getHandler(health)],
    ['/readyz', getHandler(readiness)],
    ['/metrics', getHandler(sendMetrics, mayReadMetrics)],
  ])
}
