// The headers of a request except those of its body: credentials, Accept, the document's header parameters, and other
// headers that any client may send.
import fc, { type Arbitrary } from 'fast-check'
import type { Operation, Parameter } from './api-document.ts'
import { type Credentials, invalidKeys, validKeys } from './credentials.ts'
import { fault, headerPart, noPart, type Part, weighted } from './part.ts'
import type { EnvironmentName } from './request.ts'

export function keyPart(
  credentials: Credentials,
  environment: EnvironmentName,
  operation?: Operation,
): Arbitrary<Part> {
  const { fullAccess, ofScope } = credentials[environment]
  const singleScope = fc.constantFrom(...Object.entries(ofScope)).map(([scope, key]): Part => {
    const isEnough = operation === undefined || scope === scopeOf(operation)
    return {
      headers: ['Authorization', `Bearer ${key}`],
      faults: isEnough ? [] : [fault(403, 'insufficient_scope')],
    }
  })
  return fc.oneof(
    weighted(validKeys(fullAccess), 12),
    weighted(singleScope, 2),
    weighted(invalidKeys(credentials, environment), 3),
  )
}

/** Orders have their own scopes. */
function scopeOf({ method, tag }: Operation): string {
  return `${tag === 'orders' ? 'orders' : 'pets'}:${method === 'GET' ? 'read' : 'write'}`
}

export function acceptPart(): Arbitrary<Part> {
  const fitting = ['*/*', 'application/json', 'application/*;q=0.5', 'text/html, */*;q=0.1']
  const others = ['text/html', 'image/*', 'application/xml', 'application/json;q=0', 'text/json']
  return fc.oneof(
    weighted(noPart, 6),
    weighted(headerPart('Accept', fitting), 3),
    weighted(headerPart('Accept', others, [fault(406, 'not_acceptable')]), 1),
  )
}

/** The document's header parameters, and headers that any request may have. */
export function headersPart(operation: Operation): Arbitrary<Part> {
  const generators: Record<string, () => Arbitrary<Part>> = {
    'X-Request-Id': () =>
      headerPart('X-Request-Id', [
        'a',
        'x'.repeat(128),
        'q.1:2-_',
        'two words',
        'é',
        'x'.repeat(129),
      ]),
    Prefer: () =>
      headerPart('Prefer', [
        'count=exact',
        'respond-async, COUNT=exact',
        'wait=10',
        'count=some',
        ',;=',
      ]),
    'If-None-Match': () => headerPart('If-None-Match', ['*']),
    // conditions.ts adds it.
    'If-Match': () => noPart,
    'Idempotency-Key': () => idempotencyKeys(operation),
  }
  const known = operation.parameters.filter((one) => one.in === 'header')
  const documented = known.map(({ name }) => {
    const generate = generators[name]
    if (!generate) throw new Error(`the fuzzer does not know the header ${name}`)
    return fc.oneof(weighted(noPart, 4), weighted(generate(), 1))
  })
  const general = [
    headerPart('Accept-Encoding', [
      'gzip',
      'br',
      'gzip, br;q=0.1',
      'identity',
      '*',
      '*;q=0',
      'zstd',
    ]),
    headerPart('Origin', ['https://shop.example.com', 'https://other.example.com', 'null']),
    headerPart('X-Forwarded-For', ['10.0.0.1']),
    headerPart('Range', ['bytes=0-1']),
    ...(operation.bodies.size > 0
      ? []
      : [
          headerPart('Content-Encoding', ['gzip']),
          headerPart('Content-Type', ['text/plain', 'application/json', 'x']),
        ]),
  ].map((made) => fc.oneof(weighted(noPart, 6), weighted(made, 1)))
  return fc.tuple(...documented, ...general).map((parts) => ({
    headers: parts.flatMap(({ headers = [] }) => headers),
    faults: parts.flatMap(({ faults = [] }) => faults),
  }))
}

let serial = 0

/** A valid key is used only once, so that no request depends on another. */
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
    weighted(
      once.map((key): Part => ({ headers: ['Idempotency-Key', key] })),
      3,
    ),
    weighted(
      headerPart(
        'Idempotency-Key',
        wrong.filter((key) => !form.test(key)),
        refused,
      ),
      1,
    ),
    weighted(
      fc.constant<Part>({
        headers: ['Idempotency-Key', 'a', 'Idempotency-Key', 'b'],
        faults: refused,
      }),
      1,
    ),
  )
}
