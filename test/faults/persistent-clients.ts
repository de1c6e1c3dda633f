// Clients that add animals, and the expected animals at the end.
import { expect } from 'vitest'
import { type RetryingClients, startRetryingClients } from './retrying-clients.ts'
import type { Pet, Shop } from './shop.ts'

export interface PersistentClients extends Omit<RetryingClients, 'finish'> {
  /** Stops the clients after their current create. Resolves with the text of each 201 by idempotency key. */
  finish(): Promise<Map<string, string>>
}

export function startClients(shop: Shop, count: number): PersistentClients {
  const acknowledged = new Map<string, string>()
  const last = new Map<number, number>()
  const crowd = startRetryingClients(shop, count, async (persist, client, n) => {
    const key = `client-${client}-${n}`
    const body = shop.petNamed(key)
    const answer = await persist({ key, method: 'POST', path: '/pets', body })
    const { id } = answer.json as Pet
    // A create that starts after another one was acknowledged has a higher id.
    const before = last.get(client) ?? 0
    if (id <= before) throw new Error(`id ${id} was assigned after ${before}`)
    last.set(client, id)
    acknowledged.set(key, answer.text)
  })
  return {
    ...crowd,
    async finish() {
      await crowd.finish()
      return acknowledged
    },
  }
}

/** Checks that all acknowledged animals are stored once, no others are, and replays return the same. */
export async function expectExactly(shop: Shop, acknowledged: Map<string, string>): Promise<void> {
  const pets = await shop.walk('/pets?limit=100')
  const texts = pets.map((pet) => JSON.stringify(pet))
  expect(new Set(texts)).toEqual(new Set(acknowledged.values()))
  expect(texts).toHaveLength(acknowledged.size)
  const ids = pets.map(({ id }) => id)
  expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] as number))).toBe(true)

  const count = async (filter: string): Promise<number> => {
    const answer = await shop.ask(`/pets${filter}`, { headers: { prefer: 'count=exact' } })
    return Number(answer.headers['x-total-count'])
  }
  expect(await count('')).toBe(pets.length)
  for (const status of ['available', 'pending', 'sold']) {
    const rows = pets.filter((pet) => pet.status === status)
    expect(await count(`?status=${status}`)).toBe(rows.length)
  }

  const agents = Array.from({ length: 16 }, () => shop.connection())
  const every = Math.ceil(acknowledged.size / 300)
  const keys = [...acknowledged.keys()].filter((_, i) => i % every === 0)
  await Promise.all(
    agents.map(async (agent, n) => {
      for (let i = n; i < keys.length; i += agents.length) {
        const key = keys[i] as string
        const replay = await shop.create(key, key, { agent })
        expect(replay.headers['idempotent-replayed']).toBe('true')
        expect(replay.text).toBe(acknowledged.get(key))
      }
    }),
  )
  expect(await count('')).toBe(pets.length)
}
