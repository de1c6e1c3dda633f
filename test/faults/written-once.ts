// Creates whose transactions fail, and what their answers must be.
import { expect } from 'vitest'
import type { TestDatabase } from '../database.ts'
import type { Answer, RunningStore } from '../running-store.ts'
import { storeForTest } from '../store-for-test.ts'

/** DATABASE_TIMEOUT_MS where a test waits until it is over. */
export const shortTimeout = '5000'
/** Of tests that wait for it, on a busy machine. */
export const slow = { timeout: 120_000 }

const unavailable = { code: 'unavailable', status: 503, message: expect.any(String) }
export const unknown = {
  code: 'outcome_unknown',
  status: 504,
  message: expect.stringMatching(/Idempotency-Key/),
}

export function expectNothingChanged(response: Answer): void {
  expect(response.json).toEqual(unavailable)
  const headers = { 'content-type': 'application/json', 'retry-after': '1' }
  expect(response).toMatchObject({ status: 503, headers })
}

export function expectUnknown(response: Answer): void {
  expect(response.json).toEqual(unknown)
  expect(response.status).toBe(504)
  expect(response.headers).not.toHaveProperty('retry-after')
}

export const create = (store: RunningStore, name: string, key?: string): Promise<Answer> =>
  store.ask('/pets', {
    body: { name, categoryId: 1 },
    ...(key ? { headers: { 'idempotency-key': key } } : {}),
  })

/** How many animals have the name. */
export async function count(store: RunningStore, name: string): Promise<number> {
  const { json, status } = await store.ask('/pets?limit=100')
  expect(status).toBe(200)
  return (json as { name: string }[]).filter((pet) => pet.name === name).length
}

/** Repeats a create with its key: it was executed once, then or now. */
export async function expectOnce(
  store: RunningStore,
  name: string,
  wasCommitted: boolean,
): Promise<void> {
  const again = await create(store, name, name)
  expect(again.status).toBe(201)
  expect(again.headers['idempotent-replayed']).toBe(wasCommitted ? 'true' : undefined)
  expect(await count(store, name)).toBe(1)
  expect((await create(store, name, name)).text).toBe(again.text)
}

export const startOn = (place: TestDatabase, env: Record<string, string> = {}) =>
  storeForTest(place.engine, { place, env })
