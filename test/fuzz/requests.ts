// Generates requests for the operations of the OpenAPI document, each with its expected response: the document says which
// requests are valid, the model what the store must do with them. A request may have faults in any of its parts.
import type { Random } from '../random.ts'
import type { ApiDocument, Operation } from './api-document.ts'
import {
  type Choice,
  fetchCurrentEtag,
  findOrCreateRecord,
  type Lane,
  statesOf,
} from './choices.ts'
import { parseExact } from './exact-json.ts'
import { expectedOutcome } from './expected-outcomes.ts'
import { findEtags, type Kind, type Model } from './model.ts'
import { type EnvironmentName, type Fault, type FuzzRequest, firstFault } from './request.ts'
import type { FuzzResponse } from './send.ts'
import { jsonFor, textFor } from './values.ts'

/** A request, and the update of the lane's model after its response. */
export interface PreparedRequest {
  request: FuzzRequest
  updateModel?: ((response: FuzzResponse) => void) | undefined
}

/** A part of a request, with its faults. */
interface Part {
  /** Name, value, name, value. */
  headers: string[]
  faults: Fault[]
}

const fault = (status: number, ...codes: string[]): Fault => ({ status, codes })
const oddIds = ['0', '-1', '01', '1.0', 'x', '%20', '1;2', '9007199254740993', `${2n ** 70n}`]

export async function prepareRequest(
  document: ApiDocument,
  lane: Lane,
  environment: EnvironmentName,
  random: Random,
): Promise<PreparedRequest> {
  const operation = random.pick(document.operations)
  const { id, path } = operation
  const model = lane.models[environment]
  const kind = kindOf(path)
  const record = kind && (await findOrCreateRecord(lane, model, kind, choose(kind, random)))
  const query = await queryOf(document, operation, lane, model, random)
  const content = await bodyOf(document, operation, lane, model, random)
  const condition = await conditionOf(operation, lane, model, record?.id, random)
  const key = keyOf(lane.keys[environment], random)
  const parts = [key, query, content, headersOf(operation, random)]

  const headers = [...parts.flatMap((part) => part.headers), ...condition.headers]
  const method = operation.method === 'GET' && random.chance(0.1) ? 'HEAD' : operation.method
  const target = path.replace(/\{\w+\}/, () => record?.text ?? '') + query.text
  const request = {
    ...{ environment, method, target, headers, isChunked: random.chance(0.1) },
    ...(content.body && { body: Buffer.from(content.body) }),
  }
  const first = firstFault(parts.flatMap(({ faults }) => faults))
  if (first) return { request: { ...request, expected: { operation: id, ...first } } }
  const { check, code, names, status, updateModel } = expectedOutcome(id, model, {
    id: record?.id,
    body: content.body === undefined ? undefined : parseExact(content.body),
    isStale: condition.isStale,
    listed: query.listed,
  })
  // The only If-None-Match that is sent is `*`.
  if (status === 200 && headers.includes('If-None-Match'))
    return { request: { ...request, expected: { operation: id, status: 304, codes: [] } } }
  const expected = { operation: id, status, codes: code ? [code] : [] }
  return {
    request: {
      ...request,
      expected: { ...expected, ...(names && { names }), ...(check && { check }) },
    },
    updateModel,
  }
}

/** The kind of record whose id is in the path; undefined if there is none. */
function kindOf(path: string): Kind | undefined {
  const parameter = /\{(\w+)\}/.exec(path)?.[1] ?? ''
  const kinds: Record<string, Kind> = { petId: 'pets', categoryId: 'categories', orderId: 'orders' }
  return kinds[parameter]
}

/** A record of the lane in any state, or a text that is not the id of one. */
function choose(kind: Kind, random: Random): Choice {
  if (random.chance(0.1)) return { literal: random.pick(oddIds) }
  return { state: random.pick(statesOf[kind]), turn: random.below(1000) }
}

interface Query extends Part {
  /** With the question mark. */
  text: string
  /** The response must list exactly these animals, or their orders. */
  listed?: unknown[]
}

async function queryOf(
  document: ApiDocument,
  operation: Operation,
  lane: Lane,
  model: Model,
  random: Random,
): Promise<Query> {
  const none = { headers: [], faults: [] }
  if (['listPets', 'listOrders'].includes(operation.id) && random.chance(0.3))
    return { ...none, ...(await knownList(operation, lane, model, random)) }
  const faults: Fault[] = []
  const given = operation.parameters.filter((one) => one.in === 'query' && random.chance(0.4))
  const pairs = given.flatMap(({ name, schema }) => {
    const isCursor = name === 'cursor'
    if (isCursor && random.chance(0.9)) return []
    const { isValid, text } = textFor(document, schema, random)
    const codes = isCursor ? ['invalid_cursor', 'invalid_parameter'] : ['invalid_parameter']
    if (!isValid) faults.push(fault(400, ...codes))
    return [`${name}=${encodeURIComponent(text).replaceAll('%2C', ',')}`]
  })
  // Of the parameters that are not in the document, the server ignores those of other programs.
  if (random.chance(0.03)) pairs.push('utm_x=1')
  if (random.chance(0.02)) {
    pairs.push(random.pick(['Limit=1', 'offset=1', '__proto__x=1']))
    if (!pairs.at(-1)?.startsWith('_')) faults.push(fault(400, 'invalid_parameter'))
  }
  return { headers: [], faults, text: pairs.length > 0 ? `?${pairs.join('&')}` : '' }
}

/** A filter that matches only records that the lane created. */
async function knownList({ id }: Operation, lane: Lane, model: Model, random: Random) {
  const ids: bigint[] = []
  const count = id === 'listPets' ? 1 + random.below(4) : 1
  // One after the other, because creating a record may change another one.
  for (let i = 0; i < count; i++) {
    const choice = { state: random.pick(statesOf.pets), turn: random.below(1000) }
    ids.push((await findOrCreateRecord(lane, model, 'pets', choice)).id as bigint)
  }
  const pets = [...model.pets.values()].filter((pet) => ids.includes(pet.id))
  const orders = [...model.orders.values()].filter(({ petId }) => ids.includes(petId))
  const records: { id: bigint }[] = id === 'listPets' ? pets : orders
  const listed = records.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, 20)
  return { text: `?${id === 'listPets' ? 'id' : 'petId'}=${ids}`, listed }
}

async function bodyOf(
  document: ApiDocument,
  { bodies }: Operation,
  lane: Lane,
  model: Model,
  random: Random,
): Promise<Part & { body?: string }> {
  const [type, schema] = random.pick([...bodies]) ?? []
  if (type === undefined || schema === undefined) return { headers: [], faults: [] }
  const { required = [] } = document.resolve(schema)
  const isAvailable = random.chance(0.5)
  const choice = isAvailable ? { state: 'available', turn: 0 } : choose('pets', random)
  const known: Record<string, string> = {}
  if (required.includes('petId')) {
    const { text } = await findOrCreateRecord(lane, model, 'pets', choice)
    known.petId = /^-?(0|[1-9]\d{0,17})$/.test(text) ? text : '0'
  }
  const { isValid, text } = jsonFor(document, schema, random, known)
  const isCut = text.trim().startsWith('{') && random.chance(0.02)
  const isWrongType = random.chance(0.02)
  const faults = isValid ? [] : [fault(400, 'invalid_body')]
  if (isWrongType) faults.push(fault(415, 'unsupported_media_type'))
  if (isCut) faults.splice(0, isValid ? 0 : 1, fault(400, 'malformed_json'))
  return {
    body: isCut ? text.trimEnd().slice(0, -1) : text,
    headers: [
      'Content-Type',
      isWrongType ? 'text/plain' : random.pick([type, `${type}; charset=utf-8`]),
    ],
    faults,
  }
}

/** If-Match: values that match the record, and values that do not. No condition in half of the requests. */
async function conditionOf(
  { parameters, path }: Operation,
  lane: Lane,
  model: Model,
  id: bigint | undefined,
  random: Random,
): Promise<{ headers: string[]; isStale: boolean }> {
  const isConditional = parameters.some(({ name }) => name === 'If-Match')
  if (!isConditional || random.chance(0.5)) return { headers: [], isStale: false }
  const kind = kindOf(path) as Kind
  const exists = id !== undefined && model[kind].has(id)
  const tag = exists ? await fetchCurrentEtag(lane, model, kind, id) : '"x"'
  const stale = exists ? findEtags(model, kind, id).stale : []
  if (random.chance(0.5))
    return { headers: ['If-Match', random.pick([tag, `"x", ${tag} ,"y"`, '*'])], isStale: false }
  const others = [`W/${tag}`, `${tag.slice(0, -2)}"`, '"stale"', '""', ...stale]
  return { headers: ['If-Match', random.pick(others)], isStale: true }
}

function keyOf(key: string, random: Random): Part {
  if (random.chance(0.01)) return { headers: [], faults: [fault(401, 'missing_api_key')] }
  if (random.chance(0.01))
    return { headers: ['Authorization', `Bearer ${key}x`], faults: [fault(401, 'invalid_api_key')] }
  return { headers: ['Authorization', `Bearer ${key}`], faults: [] }
}

let serial = 0

/** The document's header parameters, and headers that any request may have. */
function headersOf({ method, parameters }: Operation, random: Random): Part {
  const part: Part = { headers: [], faults: [] }
  const has = (name: string): boolean => parameters.some((one) => one.name === name)
  const add = (share: number, name: string, ...values: string[]): boolean => {
    const isAdded = random.chance(share)
    if (isAdded) part.headers.push(name, random.pick(values))
    return isAdded
  }
  if (add(0.02, 'Accept', 'text/html', 'application/json;q=0'))
    part.faults.push(fault(406, 'not_acceptable'))
  add(0.1, 'X-Request-Id', 'a', 'q.1:2-_', 'two words', 'x'.repeat(129))
  add(0.2, 'Accept-Encoding', 'gzip', 'br', '*;q=0')
  add(0.1, 'Origin', 'https://shop.example.com', 'https://other.example.com')
  if (has('Prefer')) add(0.3, 'Prefer', 'count=exact', 'respond-async, COUNT=exact', 'wait=10')
  if (method === 'GET' && has('If-None-Match')) add(0.1, 'If-None-Match', '*')
  // A valid key is used only once, so that no request depends on another.
  if (has('Idempotency-Key') && !add(0.4, 'Idempotency-Key', `k-${++serial}`, `"k-${serial}"`)) {
    if (add(0.03, 'Idempotency-Key', 'a b', '"', 'x'.repeat(256)))
      part.faults.push(fault(400, 'invalid_idempotency_key'))
  }
  return part
}
