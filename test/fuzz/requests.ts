// Makes requests from the OpenAPI document: what it allows, and what it forbids, each with what the
// service owes it. A right request has no fault; a wrong one has one or several, anywhere.
import fc, { type Arbitrary } from 'fast-check'
import type { ApiDocument, Operation } from './api-document.ts'
import { bodyPart } from './bodies.ts'
import type { Credentials } from './credentials.ts'
import { misplaced, options } from './misplaced.ts'
import { right } from './part.ts'
import { type EnvironmentName, type FuzzRequest, firstFault } from './request.ts'
import { acceptPart, fieldsPart, keyPart } from './request-fields.ts'
import { type Stock, targetPart } from './targets.ts'

/** Any operation of the document, any way to ask for it. */
export function fuzzRequests(
  document: ApiDocument,
  credentials: Credentials,
  stock: Stock,
): Arbitrary<FuzzRequest> {
  const inEnvironment = (environment: EnvironmentName): Arbitrary<FuzzRequest> => {
    const requests = document.operations.map((operation) =>
      operationRequests(document, operation, credentials, stock, environment),
    )
    return fc.oneof(
      ...requests.map((found) => right(found, 10)),
      right(misplaced(document, credentials, environment), 3),
      right(options(document, environment), 1),
    )
  }
  return fc.oneof(inEnvironment('production'), inEnvironment('staging'))
}

function operationRequests(
  document: ApiDocument,
  operation: Operation,
  credentials: Credentials,
  stock: Stock,
  environment: EnvironmentName,
): Arbitrary<FuzzRequest> {
  const isGet = operation.method === 'GET'
  return fc
    .tuple(
      targetPart(document, operation, stock, environment),
      bodyPart(document, operation),
      keyPart(credentials, environment, operation),
      acceptPart(),
      fieldsPart(operation),
      isGet ? fc.constantFrom('GET', 'GET', 'GET', 'HEAD') : fc.constant(operation.method),
    )
    .map(([target, { body, isChunked = false, ...content }, key, accept, fields, method]) => {
      const all = [target, content, key, accept, fields]
      const first = firstFault(all.flatMap(({ faults = [] }) => faults))
      const headers = all.flatMap((part) => part.headers ?? [])
      // The one If-None-Match that is sent is a star.
      const success = headers.includes('If-None-Match') ? 304 : isGet ? 200 : 201
      return {
        environment,
        method,
        target: target.target,
        headers,
        ...(body && { body }),
        isChunked,
        expected: {
          operation: operation.id,
          status: first?.status ?? success,
          codes: first?.codes ?? [],
        },
      }
    })
}
