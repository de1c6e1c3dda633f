// Rules of the hand-written store: query parameters of a list, fields of an animal, formats of cursors and keys.
// The functions throw a RuleError with the status and code of the response.

import { createHash } from 'node:crypto'
import { type NewPet, type Pet, type PetStatus, statuses } from './pets-database.ts'

type RuleStatus = 400 | 401 | 404 | 409

export class RuleError extends Error {
  readonly status: RuleStatus
  readonly code: string

  constructor(status: RuleStatus, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export interface ListQuery {
  limit: number
  status: PetStatus | undefined
  after: number
}

/** Parses `limit`, `status` and `cursor`. A repeated parameter is an array, which is invalid. */
export function parseListQuery(query: Record<string, unknown>): ListQuery {
  const limit = query.limit === undefined ? 20 : parseLimit(query.limit)
  const status = query.status === undefined ? undefined : parseStatus(query.status)
  const after = query.cursor === undefined ? 0 : parseCursor(query.cursor, status)
  return { limit, status, after }
}

function parseLimit(value: unknown): number {
  const limit = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : 0
  if (limit < 1 || limit > 100) {
    throw new RuleError(400, 'invalid_parameter', 'limit must be an integer from 1 to 100')
  }
  return limit
}

function parseStatus(value: unknown): PetStatus {
  if (!isStatus(value)) {
    throw new RuleError(400, 'invalid_parameter', `status must be one of ${statuses.join(', ')}`)
  }
  return value
}

function parseCursor(value: unknown, status: PetStatus | undefined): number {
  const text = typeof value === 'string' ? Buffer.from(value, 'base64url').toString() : ''
  const match = /^(\w*):(\d{1,15})$/.exec(text)
  if (!match || match[1] !== (status ?? '')) {
    throw new RuleError(400, 'invalid_cursor', 'cursor was not issued for this list')
  }
  return Number(match[2])
}

function isStatus(value: unknown): value is PetStatus {
  return statuses.includes(value as PetStatus)
}

/** The `Link` header of a page; it has `next` only if the page is full. */
export function createPageLinks(base: string, query: ListQuery, pets: Pet[]): string {
  const filter = query.status ? `&status=${query.status}` : ''
  const first = `${base}/v1/pets?limit=${query.limit}${filter}`
  const last = pets.at(-1)
  if (!last || pets.length < query.limit) return `<${first}>; rel="first"`
  const cursor = Buffer.from(`${query.status ?? ''}:${last.id}`).toString('base64url')
  return `<${first}>; rel="first", <${first}&cursor=${cursor}>; rel="next"`
}

export function parseNewPet(body: unknown): NewPet {
  const { name, categoryId, status = 'available' } = parseObject(body)
  if (typeof name !== 'string' || name.trim() === '' || [...name].length > 255) {
    throw new RuleError(400, 'invalid_body', 'name must have 1 to 255 characters')
  }
  if (!Number.isSafeInteger(categoryId)) {
    throw new RuleError(400, 'invalid_body', 'categoryId must be an integer')
  }
  if (!isStatus(status)) {
    throw new RuleError(400, 'invalid_body', `status must be one of ${statuses.join(', ')}`)
  }
  return { name, categoryId: categoryId as number, status }
}

/** Applies a JSON merge patch (RFC 7396): null resets the status to available. */
export function applyPatch(pet: Pet, patch: Record<string, unknown>): Pet {
  const { name = pet.name, categoryId = pet.categoryId, status = pet.status } = patch
  return { id: pet.id, ...parseNewPet({ name, categoryId, status: status ?? undefined }) }
}

/** The `petId` of an order. */
export function parseOrderedPetId(body: unknown): number {
  const { petId } = parseObject(body)
  if (!Number.isSafeInteger(petId)) {
    throw new RuleError(400, 'invalid_body', 'petId must be an integer')
  }
  return petId as number
}

export function parseObject(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new RuleError(400, 'invalid_body', 'the body must be a JSON object')
  }
  return body as Record<string, unknown>
}

/** Parses an identifier in a path. Returns 0, which no row has, if it is invalid. */
export function parseId(value: string): number {
  return /^[1-9]\d{0,15}$/.test(value) ? Number(value) : 0
}

export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
