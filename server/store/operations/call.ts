// What requests for lists and writes carry, in either API.
import { methodOf, type Operation, pathOf } from '#kit/api/operation.ts'
import type { ApiCall } from '#kit/api/route.ts'
import { identityOf } from '#kit/schema/schema-rules.ts'
import { fingerprint, readIdempotencyKey, type Use } from '../idempotency/idempotency.ts'
import type { ListQuery } from './schema.ts'
import type { ListRoute, WriteCall } from './store-route.ts'

/** The call of a write. `operation` is as it is mounted; Idempotency-Keys belong to `owner`. */
export function writeCallOf(
  { body, bytes, params, query, request }: Omit<ApiCall<unknown>, 'caller'>,
  operation: Operation,
  owner: string,
  now: number,
): WriteCall {
  const { idempotencyKeys, ifMatch, ifNoneMatch } = request.head
  const key = readIdempotencyKey(idempotencyKeys)
  const path = pathOf(operation).replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const readUse = (named: string): Use => {
    const what = operation.body ? identityOf(body) : (bytes ?? '')
    const print = fingerprint(methodOf(operation), path, what)
    return { scope: owner, key: named, fingerprint: print, now }
  }
  const use = key === undefined ? undefined : readUse(key)
  return {
    body,
    bytes,
    params,
    query,
    request,
    conditions: { ifMatch, ifNoneMatch },
    use,
    now,
  } as WriteCall
}

/** Text that is equal for equal lists and filters alone: a cursor of one is refused by all others. */
export function filterFingerprint(
  environment: string,
  { filters, operation, operatorFilters = [] }: ListRoute,
  query: ListQuery,
): string {
  const values = query as unknown as Record<string, unknown>
  let text = `${environment} ${pathOf(operation)}`
  for (const filter of filters) text += ` ${values[filter] ?? ''}`
  for (const filter of operatorFilters) {
    if (values[filter] !== undefined) text += ` ${filter}=${values[filter]}`
  }
  return text
}
