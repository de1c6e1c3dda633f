// Requests at once, on two processes. Fifty with one idempotency key: one animal, fifty equal responses. Twenty orders
// of one animal: one client gets it, in every round.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { placeForTest } from '../place-for-test.ts'
import type { Answer } from '../running-store.ts'
import { serveForTest } from './processes.ts'
import { type Pet, Shop } from './shop.ts'

const requests = 50
const keyRounds = 5
const clients = 20
const orderRounds = 25

describe.each(cases(engines))('requests at once on %s', { timeout: 120_000 }, (engine) => {
  it('with one key create one animal; of orders of one animal, one is placed', async () => {
    const place = await placeForTest(engine)
    const served = await serveForTest(place, { WORKERS: '2' })
    const shop = new Shop(served.port, served.keys.production)
    for (let round = 1; round <= keyRounds; round++) {
      const answers = await Promise.all(
        Array.from({ length: requests }, () => shop.create(`Rex ${round}`, `key-${round}`)),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(requests).fill(201))
      const texts = new Set(answers.map(({ text }) => text))
      expect(texts.size).toBe(1)
      expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(1)
      const replays = answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')
      expect(replays).toHaveLength(requests - 1)
      expect(processesOf(answers).size).toBe(2)
      const pets = await shop.walk('/pets')
      expect(pets).toHaveLength(round)
      expect(JSON.stringify(pets.at(-1))).toBe([...texts][0])
    }

    // Two bodies at once with one key: the first one succeeds, and the other is refused each time.
    const answers = await Promise.all(
      Array.from({ length: requests }, (_, i) => shop.create(`Max ${i % 2}`, 'key')),
    )
    const winner = (await shop.walk('/pets'))[keyRounds]
    for (const [i, response] of answers.entries()) {
      const isWinner = winner?.name === `Max ${i % 2}`
      expect(response.status).toBe(isWinner ? 201 : 422)
      if (isWinner) expect(response.json).toEqual(winner)
      else expect(response.json).toMatchObject({ code: 'idempotency_key_reused', status: 422 })
    }
    expect(await shop.walk('/pets')).toHaveLength(keyRounds + 1)

    const added = await shop.ask('/pets', { body: { name: 'Rex', categoryId: 7 } })
    const { id: petId } = added.json as Pet
    const processes = new Set<string | undefined>()
    for (let round = 1; round <= orderRounds; round++) {
      // One connection each, so that both processes handle requests.
      const answers = await Promise.all(
        Array.from({ length: clients }, () => shop.ask('/store/orders', { body: { petId } })),
      )
      const winners = answers.filter(({ status }) => status === 201)
      const refused = answers.filter(({ status }) => status === 409)
      expect([winners.length, refused.length]).toEqual([1, clients - 1])
      for (const { json } of refused) {
        expect(json).toMatchObject({ code: 'pet_not_available', status: 409 })
      }
      for (const process of processesOf(answers)) processes.add(process)
      const [{ id }] = winners.map(({ json }) => json) as [{ id: number }]
      // Refused orders take no ids.
      expect(id).toBe(round)
      const cancelled = await shop.ask(`/store/orders/${id}/cancel`, { method: 'POST' })
      expect(cancelled.status).toBe(200)
    }
    expect(processes.size).toBe(2)
    const orders = await shop.ask(`/store/orders?petId=${petId}&limit=100`, {
      headers: { prefer: 'count=exact' },
    })
    expect(orders.json).toHaveLength(orderRounds)
    expect(orders.headers['x-total-count']).toBe(`${orderRounds}`)
    const { json } = await shop.ask(`/pets/${petId}`)
    expect(json).toMatchObject({ id: petId, status: 'available' })
  })
})

/** The request IDs of each process have their own prefix. */
const processesOf = (answers: Answer[]): Set<string | undefined> =>
  new Set(answers.map(({ headers }) => headers['x-request-id']?.split('-')[0]))
