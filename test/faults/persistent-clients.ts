// Clients that add animals, each under an idempotency key of its own, and send a create again with the
// same key until they hold a 201, whatever happens to the server meanwhile.
import { expect } from 'vitest'
import type { Answer } from '../running-store.ts'
import type { Pet, Shop } from './shop.ts'

export interface PersistentClients {
  /** Resolves when so many creates in all have been acknowledged. */
  acknowledged(count: number): Promise<void>
  /** Lets every client finish the create it is at. Gives the 201's text by idempotency key. */
  finish(): Promise<Map<string, string>>
  /** Times an attempt had no answer, or a 503. */
  readonly failures: () => number
}

export function startClients(shop: Shop, count: number): PersistentClients {
  const acknowledged = new Map<string, string>()
  const waiting: { count: number; resolve: () => void }[] = []
  let failures = 0
  let finishing = false

  async function add(key: string, agent: ReturnType<Shop['connection']>): Promise<Answer> {
    for (;;) {
      const answer = await shop.create(key, key, { agent }).catch(() => undefined)
      if (answer?.status === 201) return answer
      if (answer && answer.status !== 503) throw new Error(`${answer.status} ${answer.text}`)
      failures++
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  async function client(number: number): Promise<void> {
    const agent = shop.connection()
    let last = 0
    for (let n = 0; !finishing; n++) {
      const key = `client-${number}-${n}`
      const answer = await add(key, agent)
      const { id } = answer.json as Pet
      // What was begun after another was acknowledged has the greater id.
      if (id <= last) throw new Error(`id ${id} was given after ${last}`)
      last = id
      acknowledged.set(key, answer.text)
      for (const waiter of waiting) if (acknowledged.size >= waiter.count) waiter.resolve()
    }
  }

  const done = Promise.all(Array.from({ length: count }, (_, number) => client(number)))
  done.catch(() => {})
  return {
    failures: () => failures,
    acknowledged: (wanted) =>
      Promise.race([
        new Promise<void>((resolve) => {
          const more = acknowledged.size + wanted
          waiting.push({ count: more, resolve })
        }),
        done.then(() => {}),
      ]),
    async finish() {
      finishing = true
      await done
      return acknowledged
    },
  }
}

/** Nothing that was acknowledged is lost or there twice, nothing else is there, and a replay says the same. */
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
