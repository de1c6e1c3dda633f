// Requests that match no operation.
import fc, { type Arbitrary } from 'fast-check'
import type { ApiDocument } from './api-document.ts'
import type { Credentials } from './credentials.ts'
import { fault, headerPart, noPart } from './part.ts'
import { type EnvironmentName, type FuzzRequest, firstFault } from './request.ts'
import { acceptPart, keyPart } from './request-headers.ts'

/** Wrong methods, unknown paths and unknown methods. */
export function unmatchedRequests(
  document: ApiDocument,
  credentials: Credentials,
  environment: EnvironmentName,
): Arbitrary<FuzzRequest> {
  const methods = ['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY', 'POST', 'GET', 'MKCOL']
  const targets = [...new Set(document.operations.map(({ path }) => path.replace(/\{\w+\}/, '1')))]
  const wrongMethod = fc
    .tuple(fc.constantFrom(...targets), fc.constantFrom(...methods))
    .filter(
      ([target, method]) => !document.operationsAt(target).some((one) => one.method === method),
    )
    .map(([target, method]) => ({
      method,
      target,
      faults: [fault(405, 'method_not_allowed')],
    }))
  const unknownPaths = [
    '',
    '/',
    '/pet',
    '/Pets',
    '/pets/1/2',
    '/pets/1/',
    '//pets',
    '/categories/1/2',
    '/store',
    '/store/orders/1/refuse',
    '/store/orders/1/approve/2',
    '/pets/import/1',
    '/%',
    '/pets%2F1',
    '/.',
    '/*',
  ]
  const wrongPath = fc
    .tuple(fc.constantFrom(...unknownPaths), fc.constantFrom(...methods, 'HEAD'))
    .map(([target, method]) => ({ method, target, faults: [fault(404, 'route_not_found')] }))
  const unknownMethod = fc.constantFrom('JUMP', 'GETS', 'X-Y').map((method) => {
    return { method, target: '/pets', faults: [fault(400, 'invalid_request')] }
  })
  return fc
    .tuple(
      fc.oneof(
        { weight: 10, arbitrary: wrongMethod },
        { weight: 10, arbitrary: wrongPath },
        { weight: 1, arbitrary: unknownMethod },
      ),
      keyPart(credentials, environment),
      acceptPart(),
      fc.oneof(noPart, headerPart('Content-Type', ['application/json', 'text/plain', 'x'])),
      fc.oneof(fc.constant(undefined), fc.constantFrom('', '{}', '{', 'x'.repeat(100_000))),
    )
    .map(([{ method, target, faults }, key, accept, type, text]) => {
      const parts = [key, accept, type]
      const body = method === 'GET' || method === 'HEAD' ? undefined : text
      const first = firstFault([...faults, ...parts.flatMap((part) => part.faults ?? [])])
      const { status = 0, codes = [] } = first ?? {}
      const headers = parts.flatMap((part) => part.headers ?? [])
      const expected = { operation: undefined, status, codes }
      return {
        environment,
        method,
        target,
        headers,
        ...(body !== undefined && { body: new TextEncoder().encode(body) }),
        isChunked: false,
        expected,
      }
    })
}

/** OPTIONS requests, which need no API key. */
export function optionsRequests(
  document: ApiDocument,
  environment: EnvironmentName,
): Arbitrary<FuzzRequest> {
  const targets = document.operations.map(({ path }) => path.replace(/\{\w+\}/, '1'))
  const preflight = headerPart('Access-Control-Request-Method', ['GET', 'POST', 'PATCH', 'DELETE'])
  const origin = headerPart('Origin', ['https://shop.example.com', 'https://other.example.com'])
  return fc
    .tuple(fc.constantFrom(...targets), fc.oneof(noPart, preflight), fc.oneof(noPart, origin))
    .map(([target, ...parts]) => ({
      environment,
      method: 'OPTIONS',
      target,
      headers: parts.flatMap((part) => part.headers ?? []),
      isChunked: false,
      expected: { operation: undefined, status: 204, codes: [] },
    }))
}
