// A span for each request, from its head to the end of its response. It has no path, query, address or key of the client.
import type { Handler, Route } from '../http/listener/intake.ts'
import { readTraceparent } from '../trace-context.ts'
import type { Tracer } from '../tracer.ts'

/** The same route, whose handlers run in spans. */
export function traceRequests(tracer: Tracer, route: Route): Route {
  const traced =
    (handler: Handler): Handler =>
    (request, response) => {
      const method = request.method ?? ''
      const { traceparent } = request.headers
      const span = tracer.begin({
        name: method,
        kind: 'server',
        parent: readTraceparent(typeof traceparent === 'string' ? traceparent : undefined),
      })
      response.once('close', () => {
        const { environment, head, isSecure, operation } = request
        const { statusCode } = response
        span.end({
          name: operation === 'none' ? method : `${method} ${operation}`,
          attributes: {
            'http.request.method': method,
            'http.response.status_code': statusCode,
            'network.protocol.version': request.httpVersion,
            'server.address': head.host,
            'url.scheme': isSecure ? 'https' : 'http',
            'animal_store.environment': environment,
            'animal_store.operation': operation,
            'animal_store.request_id': head.requestId,
          },
          failure: statusCode >= 500 ? `status ${statusCode}` : undefined,
        })
      })
      return span.within(() => handler(request, response))
    }
  return (host, target, request) => {
    const handler = route(host, target, request)
    return handler && traced(handler)
  }
}
