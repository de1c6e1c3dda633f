// Makes requests from the OpenAPI document: what it allows, and what it forbids, each with what the
// service owes it. A right request has no fault; a wrong one has one or several, anywhere. What is right
// in form meets the rules of the store only when it is sent: by then it is known what is there.
import fc, { type Arbitrary } from 'fast-check'
import type { ApiDocument, Operation } from './api-document.ts'
import { type BodyPart, bodyPart, withSubject } from './bodies.ts'
import { choose, type Lane } from './choices.ts'
import { type Condition, conditionFields, conditions } from './conditions.ts'
import type { Credentials } from './credentials.ts'
import { parseExact } from './exact-json.ts'
import { misplaced, options } from './misplaced.ts'
import { type Asked, type Outcome, outcomeOf } from './outcomes.ts'
import { type Part, right } from './part.ts'
import { type EnvironmentName, type FuzzRequest, firstFault } from './request.ts'
import { acceptPart, fieldsPart, keyPart } from './request-fields.ts'
import type { FuzzAnswer } from './send.ts'
import { kindOf, type Pages, type TargetPart, targetPart } from './targets.ts'
import type { World } from './world.ts'

/** A request, and what its answer teaches the lane. */
export interface Settled {
  request: FuzzRequest
  learn?: (answer: FuzzAnswer) => void
}

/** A request that still has to find its records. */
export type Draft = (lane: Lane) => Promise<Settled>

/** Any operation of the document, any way to ask for it. */
export function fuzzRequests(
  document: ApiDocument,
  credentials: Credentials,
  pages: Pages,
): Arbitrary<Draft> {
  const inEnvironment = (environment: EnvironmentName): Arbitrary<Draft> => {
    const requests = document.operations.map((operation) =>
      operationRequests(document, operation, credentials, pages, environment),
    )
    const ready = fc
      .oneof(
        right(misplaced(document, credentials, environment), 3),
        right(options(document, environment), 1),
      )
      .map(
        (request): Draft =>
          async () => ({ request }),
      )
    return fc.oneof(
      ...requests.map((found) => right(found, 5)),
      right(ready, 8),
      right(replays(), 4),
    )
  }
  return fc.oneof(inEnvironment('production'), inEnvironment('staging'))
}

/** A write that was acknowledged under an Idempotency-Key, long after: the same answer, and nothing else. */
function replays(): Arbitrary<Draft> {
  return fc.nat().map(
    (turn): Draft =>
      async (lane) => {
        const found = lane.kept[turn % lane.kept.length]
        if (found) {
          const { request, text } = found
          const { operation, status } = request.expected
          const expected = { operation, status, codes: [], replayed: text }
          return { request: { ...request, expected } }
        }
        const headers = ['Authorization', `Bearer ${lane.keys.production}`]
        const expected = { operation: 'listPets', status: 200, codes: [] }
        const request = { method: 'GET', target: '/pets', headers, isChunked: false, expected }
        return { request: { ...request, environment: 'production' } }
      },
  )
}

/** The parts of a request for an operation. */
interface Parts {
  target: TargetPart
  content: BodyPart
  condition: Condition | undefined
  /** Those that need nothing else. */
  others: Part[]
  method: string
}

function operationRequests(
  document: ApiDocument,
  operation: Operation,
  credentials: Credentials,
  pages: Pages,
  environment: EnvironmentName,
): Arbitrary<Draft> {
  const isConditional = operation.parameters.some(({ name }) => name === 'If-Match')
  const others = fc.tuple(
    keyPart(credentials, environment, operation),
    acceptPart(),
    fieldsPart(operation),
  )
  const methods = operation.method === 'GET' ? ['GET', 'GET', 'GET', 'HEAD'] : [operation.method]
  return fc
    .record({
      target: targetPart(document, operation, pages, environment),
      content: bodyPart(document, operation),
      condition: isConditional ? conditions() : fc.constant(undefined),
      others,
      method: fc.constantFrom(...methods),
    })
    .map(
      (parts): Draft =>
        (lane) =>
          settle(operation, parts, lane, lane.worlds[environment]),
    )
}

async function settle(
  operation: Operation,
  { target: found, content, condition, others, method }: Parts,
  lane: Lane,
  world: World,
): Promise<Settled> {
  const kind = kindOf(operation)
  const chosen = kind && found.choice && (await choose(lane, world, kind, found.choice))
  const subject = content.subject && (await choose(lane, world, 'pets', content.subject))
  const body = content.body && subject ? withSubject(content.body, subject.text) : content.body
  const held =
    condition && kind && (await conditionFields(condition, lane, world, kind, chosen?.id))
  const { ids, listed } = await ownList(operation, found, lane, world)
  const target = found.target
    .replace(/\{listed\}/, ids)
    .replace(/\{\w+\}/, () => chosen?.text ?? '')

  const parts = [found, content, ...others]
  const headers = [...parts.flatMap((part) => part.headers ?? []), ...(held?.headers ?? [])]
  const first = firstFault(parts.flatMap(({ faults = [] }) => faults))
  const request = { environment: world.environment, method, target, headers }
  const framed = { ...request, ...(body && { body }), isChunked: content.isChunked ?? false }
  if (first) return { request: { ...framed, expected: { operation: operation.id, ...first } } }

  const outcome = outcomeOf(operation.id, world, {
    id: chosen?.id,
    body:
      body && operation.id !== 'importPets' ? parseExact(Buffer.from(body).toString()) : undefined,
    isStale: held?.isStale ?? false,
    listed,
    ...(content.load && { load: { ...content.load, isDry: /dryRun=(true|%74)/.test(target) } }),
  } satisfies Asked)
  // The one If-None-Match that is sent is a star.
  const isKnown = outcome.status === 200 && headers.includes('If-None-Match')
  return expect(framed, operation.id, isKnown ? { status: 304 } : outcome)
}

function expect(
  request: Omit<FuzzRequest, 'expected'>,
  operation: string,
  { status, code, names, check, learn }: Outcome,
): Settled {
  const expected = { operation, status, codes: code ? [code] : [] }
  return {
    request: {
      ...request,
      expected: { ...expected, ...(names && { names }), ...(check && { check }) },
    },
    ...(learn && { learn }),
  }
}

/** What the lane knows of the animals to be listed, or of the orders of the one. */
async function ownList(
  { id: operation }: Operation,
  { listed }: TargetPart,
  lane: Lane,
  world: World,
): Promise<{ ids: string; listed: unknown[] | undefined }> {
  if (!listed) return { ids: '', listed: undefined }
  const ids: bigint[] = []
  // One after the other: making one may change what another is.
  for (const choice of listed) ids.push((await choose(lane, world, 'pets', choice)).id as bigint)
  const pets = [...world.pets.values()].filter(({ id }) => ids.includes(id))
  const orders = [...world.orders.values()].filter(({ petId }) => ids.includes(petId))
  const records: { id: bigint }[] = operation === 'listPets' ? pets : orders
  const sorted = records.sort((a, b) => (a.id < b.id ? -1 : 1))
  return { ids: ids.join(), listed: sorted.slice(0, 20) }
}
