// Generates requests from the OpenAPI document, valid and invalid ones, each with its expected response. An invalid
// request has one or more faults in any of its parts. The expected response to a valid request depends on the records
// that exist when it is sent.
import fc, { type Arbitrary } from 'fast-check'
import type { ApiDocument, Operation } from './api-document.ts'
import { type BodyPart, bodyPart, insertPetId } from './bodies.ts'
import { findOrCreateRecord, type Lane } from './choices.ts'
import { type Condition, conditionHeaders, conditions } from './conditions.ts'
import type { Credentials } from './credentials.ts'
import { parseExact } from './exact-json.ts'
import { expectedOutcome, type OperationInput, type Outcome } from './expected-outcomes.ts'
import type { Model } from './model.ts'
import { type Part, weighted } from './part.ts'
import { type EnvironmentName, type FuzzRequest, firstFault } from './request.ts'
import { acceptPart, headersPart, keyPart } from './request-headers.ts'
import type { FuzzResponse } from './send.ts'
import { kindOf, type Pages, type TargetPart, targetPart } from './targets.ts'
import { optionsRequests, unmatchedRequests } from './unmatched-requests.ts'

/** A request, and the update of the lane's model after its response. */
export interface PreparedRequest {
  request: FuzzRequest
  updateModel?: (response: FuzzResponse) => void
}

/** A request whose records are selected when it is sent. */
export type Draft = (lane: Lane) => Promise<PreparedRequest>

/** Requests for all operations of the document, and requests that match none. */
export function fuzzRequests(
  document: ApiDocument,
  credentials: Credentials,
  pages: Pages,
): Arbitrary<Draft> {
  const inEnvironment = (environment: EnvironmentName): Arbitrary<Draft> => {
    const requests = document.operations.map((operation) =>
      weighted(
        operationRequests(document, operation, credentials, pages, environment),
        // Changes seldom succeed, because they need a valid body and an existing record.
        ['PATCH', 'PUT'].includes(operation.method) ? 12 : 5,
      ),
    )
    const unmatched = fc
      .oneof(
        weighted(unmatchedRequests(document, credentials, environment), 3),
        weighted(optionsRequests(document, environment), 1),
      )
      .map(
        (request): Draft =>
          async () => ({ request }),
      )
    return fc.oneof(...requests, weighted(unmatched, 8), weighted(replays(), 4))
  }
  return fc.oneof(inEnvironment('production'), inEnvironment('staging'))
}

/** A retry of an earlier acknowledged write with an Idempotency-Key: it must return the same response. */
function replays(): Arbitrary<Draft> {
  return fc.nat().map(
    (turn): Draft =>
      async (lane) => {
        const found = lane.replayable[turn % lane.replayable.length]
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
  /** Parts that do not depend on records. */
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
    headersPart(operation),
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
          prepareRequest(operation, parts, lane, lane.models[environment]),
    )
}

async function prepareRequest(
  operation: Operation,
  { target: found, content, condition, others, method }: Parts,
  lane: Lane,
  model: Model,
): Promise<PreparedRequest> {
  const kind = kindOf(operation)
  const record = kind && found.choice && (await findOrCreateRecord(lane, model, kind, found.choice))
  const pet =
    content.petChoice && (await findOrCreateRecord(lane, model, 'pets', content.petChoice))
  const body = content.body && pet ? insertPetId(content.body, pet.text) : content.body
  const conditional =
    condition && kind && (await conditionHeaders(condition, lane, model, kind, record?.id))
  const { ids, listed } = await findKnownRecords(operation, found, lane, model)
  const target = found.target
    .replace(/\{listed\}/, ids)
    .replace(/\{\w+\}/, () => record?.text ?? '')

  const parts = [found, content, ...others]
  const headers = [...parts.flatMap((part) => part.headers ?? []), ...(conditional?.headers ?? [])]
  const first = firstFault(parts.flatMap(({ faults = [] }) => faults))
  const request = { environment: model.environment, method, target, headers }
  const framed = { ...request, ...(body && { body }), isChunked: content.isChunked ?? false }
  if (first) return { request: { ...framed, expected: { operation: operation.id, ...first } } }

  const outcome = expectedOutcome(operation.id, model, {
    id: record?.id,
    body:
      body && operation.id !== 'importPets' ? parseExact(Buffer.from(body).toString()) : undefined,
    isStale: conditional?.isStale ?? false,
    listed,
    ...(content.load && { load: { ...content.load, isDry: /dryRun=(true|%74)/.test(target) } }),
  } satisfies OperationInput)
  // The only If-None-Match that is sent is `*`.
  const isNotModified = outcome.status === 200 && headers.includes('If-None-Match')
  return withExpectation(framed, operation.id, isNotModified ? { status: 304 } : outcome)
}

function withExpectation(
  request: Omit<FuzzRequest, 'expected'>,
  operation: string,
  { status, code, names, check, updateModel }: Outcome,
): PreparedRequest {
  const expected = { operation, status, codes: code ? [code] : [] }
  return {
    request: {
      ...request,
      expected: { ...expected, ...(names && { names }), ...(check && { check }) },
    },
    ...(updateModel && { updateModel }),
  }
}

/** The known animals to be listed, or the known orders of one animal. */
async function findKnownRecords(
  { id: operation }: Operation,
  { listed }: TargetPart,
  lane: Lane,
  model: Model,
): Promise<{ ids: string; listed: unknown[] | undefined }> {
  if (!listed) return { ids: '', listed: undefined }
  const ids: bigint[] = []
  // One after the other, because creating a record may change another one.
  for (const choice of listed)
    ids.push((await findOrCreateRecord(lane, model, 'pets', choice)).id as bigint)
  const pets = [...model.pets.values()].filter(({ id }) => ids.includes(id))
  const orders = [...model.orders.values()].filter(({ petId }) => ids.includes(petId))
  const records: { id: bigint }[] = operation === 'listPets' ? pets : orders
  const sorted = records.sort((a, b) => (a.id < b.id ? -1 : 1))
  return { ids: ids.join(), listed: sorted.slice(0, 20) }
}
