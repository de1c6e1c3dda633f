// Endpoints for monitoring: /healthz (the process is running), /readyz (it can serve) and /metrics.
import { AppError, retryLater } from '../errors.ts'
import type { Handler } from '../http/listener/intake.ts'
import type { ApiRequest } from '../http/request/request-head.ts'
import { isRead, sendError, sendOnce } from '../http/response/send-response.ts'
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

  async function readiness(): Promise<string> {
    const obstacles = await findObstacles()
    if (obstacles.length === 0) return JSON.stringify({ status: 'ready' })
    throw retryLater(`Not ready: ${obstacles.join('; ')}.`)
  }

  const mayReadMetrics = (request: ApiRequest) => clients.isLocalOr(metricsAllow, request)

  return new Map([
    ['/healthz', handlerOf(async () => JSON.stringify({ status: 'ok' }))],
    ['/readyz', handlerOf(readiness)],
    ['/metrics', handlerOf(metrics, 'text/plain; version=0.0.4; charset=utf-8', mayReadMetrics)],
  ])
}

function handlerOf(
  read: () => Promise<string>,
  type?: string,
  isAllowed: (request: ApiRequest) => boolean = () => true,
): Handler {
  return async (request, response) => {
    try {
      // Unauthorized clients must not learn that the endpoint exists.
      if (!isAllowed(request))
        throw new AppError('route_not_found', 'Nothing is served at this address.')
      if (!isRead(request, response)) return
      sendOnce(request, response, 200, ['Cache-Control', 'no-store'], await read(), type)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      sendError(request, response, error)
    }
  }
}
