// The fields of a request but for those of its body: credentials, Accept, what the document lists, and
// what any client may send along.
import fc, { type Arbitrary } from 'fast-check'
import type { Operation, Parameter } from './api-document.ts'
import { badKeys, type Credentials, goodKeys } from './credentials.ts'
import { fault, field, none, type Part, right } from './part.ts'
import type { EnvironmentName } from './request.ts'

export function keyPart(
  credentials: Credentials,
  environment: EnvironmentName,
  operation?: Operation,
): Arbitrary<Part> {
  const { whole, ofScope } = credentials[environment]
  const narrow = fc.constantFrom(...Object.entries(ofScope)).map(([scope, key]): Part => {
    const isEnough = operation === undefined || scope === scopeOf(operation)
    return {
      headers: ['Authorization', `Bearer ${key}`],
      faults: isEnough ? [] : [fault(403, 'insufficient_scope')],
    }
  })
  return fc.oneof(
    right(goodKeys(whole), 12),
    right(narrow, 2),
    right(badKeys(credentials, environment), 3),
  )
}

/** Orders have scopes of their own. */
function scopeOf({ method, tag }: Operation): string {
  return `${tag === 'orders' ? 'orders' : 'pets'}:${method === 'GET' ? 'read' : 'write'}`
}

export function acceptPart(): Arbitrary<Part> {
  const fitting = ['*/*', 'application/json', 'application/*;q=0.5', 'text/html, */*;q=0.1']
  const others = ['text/html', 'image/*', 'application/xml', 'application/json;q=0', 'text/json']
  return fc.oneof(
    right(none, 6),
    right(field('Accept', fitting), 3),
    right(field('Accept', others, [fault(406, 'not_acceptable')]), 1),
  )
}

/** The request fields of the document, and those that any request may have. */
export function fieldsPart(operation: Operation): Arbitrary<Part> {
  const own: Record<string, () => Arbitrary<Part>> = {
    'X-Request-Id': () =>
      field('X-Request-Id', ['a', 'x'.repeat(128), 'q.1:2-_', 'two words', 'é', 'x'.repeat(129)]),
    Prefer: () =>
      field('Prefer', [
        'count=exact',
        'respond-async, COUNT=exact',
        'wait=10',
        'count=some',
        ',;=',
      ]),
    'If-None-Match': () => field('If-None-Match', ['*']),
    // See conditions.ts.
    'If-Match': () => none,
    'Idempotency-Key': () => idempotencyKeys(operation),
  }
  const known = operation.parameters.filter((one) => one.in === 'header')
  const documented = known.map(({ name }) => {
    const make = own[name]
    if (!make) throw new Error(`the fuzzer does not know the field ${name}`)
    return fc.oneof(right(none, 4), right(make(), 1))
  })
  const general = [
    field('Accept-Encoding', ['gzip', 'br', 'gzip, br;q=0.1', 'identity', '*', '*;q=0', 'zstd']),
    field('Origin', ['https://shop.example.com', 'https://other.example.com', 'null']),
    field('X-Forwarded-For', ['10.0.0.1']),
    field('Range', ['bytes=0-1']),
    ...(operation.bodies.size > 0
      ? []
      : [
          field('Content-Encoding', ['gzip']),
          field('Content-Type', ['text/plain', 'application/json', 'x']),
        ]),
  ].map((made) => fc.oneof(right(none, 6), right(made, 1)))
  return fc.tuple(...documented, ...general).map((parts) => ({
    headers: parts.flatMap(({ headers = [] }) => headers),
    faults: parts.flatMap(({ faults = [] }) => faults),
  }))
}

let serial = 0

/** Right ones are used once, so that no request depends on another. */
function idempotencyKeys(operation: Operation): Arbitrary<Part> {
  const { schema } = operation.parameters.find(
    ({ name }) => name === 'Idempotency-Key',
  ) as Parameter
  const form = new RegExp(schema.pattern ?? '')
  const once = fc
    .tuple(fc.stringMatching(/^[!-~]{0,230}$/), fc.boolean())
    .map(([start, isQuoted]) => {
      const key = `${start}-${++serial}`
      return isQuoted ? `"${key}"` : key
    })
    .filter((key) => form.test(key))
  const wrong = [
    '',
    'a b',
    '"',
    '""',
    '"a',
    '"a b"',
    '"a\\b"',
    'é',
    'x'.repeat(256),
    `"${'x'.repeat(256)}"`,
  ]
  const refused = [fault(400, 'invalid_idempotency_key')]
  return fc.oneof(
    right(
      once.map((key): Part => ({ headers: ['Idempotency-Key', key] })),
      3,
    ),
    right(
      field(
        'Idempotency-Key',
        wrong.filter((key) => !form.test(key)),
        refused,
      ),
      1,
    ),
    right(
      fc.constant<Part>({
        headers: ['Idempotency-Key', 'a', 'Idempotency-Key', 'b'],
        faults: refused,
      }),
      1,
    ),
  )
}
