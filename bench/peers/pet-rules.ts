// The rules both hand-written stores follow: what a list may ask, what a new animal must have,
// how a cursor and a key look. Throws RuleBroken with the status and the code of the answer.

import { createHash, randomBytes } from 'node:crypto'
import { type NewPet, type Pet, type PetStatus, statuses } from './pets-database.ts'

type RuleStatus = 400 | 401 | 404 | 409 | 412

export class RuleBroken extends Error {
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

/** Reads `limit`, `status` and `cursor`; a repeated one arrives as an array and is refused. */
export function readListQuery(query: Record<string, unknown>): ListQuery {
  const limit = query.limit === undefined ? 20 : readLimit(query.limit)
  const status = query.status === undefined ? undefined : readStatus(query.status)
  const after = query.cursor === undefined ? 0 : readCursor(query.cursor, status)
  return { limit, status, after }
}

function readLimit(value: unknown): number {
  const limit = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : 0
  if (limit < 1 || limit > 100) {
    throw new RuleBroken(400, 'invalid_parameter', 'limit must be an integer from 1 to 100')
  }
  return limit
}

function readStatus(value: unknown): PetStatus {
  if (!isStatus(value)) {
    throw new RuleBroken(400, 'invalid_parameter', `status must be one of ${statuses.join(', ')}`)
  }
  return value
}

function readCursor(value: unknown, status: PetStatus | undefined): number {
  const text = typeof value === 'string' ? Buffer.from(value, 'base64url').toString() : ''
  const match = /^(\w*):(\d{1,15})$/.exec(text)
  if (!match || match[1] !== (status ?? '')) {
    throw new RuleBroken(400, 'invalid_cursor', 'cursor is not one this list has handed out')
  }
  return Number(match[2])
}

function isStatus(value: unknown): value is PetStatus {
  return statuses.includes(value as PetStatus)
}

/** The `Link` header of a page; `next` only where the page is full. */
export function pageLinks(base: string, query: ListQuery, pets: Pet[]): string {
  const filter = query.status ? `&status=${query.status}` : ''
  const first = `${base}/v1/pets?limit=${query.limit}${filter}`
  const last = pets.at(-1)
  if (!last || pets.length < query.limit) return `<${first}>; rel="first"`
  const cursor = Buffer.from(`${query.status ?? ''}:${last.id}`).toString('base64url')
  return `<${first}>; rel="first", <${first}&cursor=${cursor}>; rel="next"`
}

export function readNewPet(body: unknown): NewPet {
  const { name, categoryId, status = 'available' } = readObject(body)
  if (typeof name !== 'string' || name.trim() === '' || [...name].length > 255) {
    throw new RuleBroken(400, 'invalid_body', 'name must have 1 to 255 characters')
  }
  if (!Number.isSafeInteger(categoryId)) {
    throw new RuleBroken(400, 'invalid_body', 'categoryId must be an integer')
  }
  if (!isStatus(status)) {
    throw new RuleBroken(400, 'invalid_body', `status must be one of ${statuses.join(', ')}`)
  }
  return { name, categoryId: categoryId as number, status }
}

/** The animal after a JSON merge patch (RFC 7396): null takes the status back to available. */
export function applyPatch(pet: Pet, patch: Record<string, unknown>): Pet {
  const { name = pet.name, categoryId = pet.categoryId, status = pet.status } = patch
  return { id: pet.id, ...readNewPet({ name, categoryId, status: status ?? undefined }) }
}

/** The `petId` of an order; what cannot be one is nobody's. */
export function readOrderedPet(body: unknown): number {
  const { petId } = readObject(body)
  if (!Number.isSafeInteger(petId)) {
    throw new RuleBroken(400, 'invalid_body', 'petId must be an integer')
  }
  return petId as number
}

export function readObject(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new RuleBroken(400, 'invalid_body', 'the body must be a JSON object')
  }
  return body as Record<string, unknown>
}

/** An identifier as it stands in a path; 0 for what cannot be one. */
export function readId(value: string): number {
  return /^[1-9]\d{0,15}$/.test(value) ? Number(value) : 0
}

export function newKey(): string {
  return `as_live_${randomBytes(32).toString('base64url')}`
}

export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
