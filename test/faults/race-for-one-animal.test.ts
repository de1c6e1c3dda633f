// Twenty clients order one animal at once, on two processes: one gets it, in every round.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { useTestDatabase } from '../use-test-database.ts'
import { serveForTest } from './processes.ts'
import { type Pet, Shop } from './shop.ts'

const clients = 20
const rounds = 25

describe.each(cases(engines))(
  'twenty clients that order one animal on %s',
  { timeout: 120_000 },
  (engine) => {
    it('get one 201 and nineteen 409, on two workers', async () => {
      const place = await useTestDatabase(engine)
      const served = await serveForTest(place, { WORKERS: '2' })
      const shop = new Shop(served.port, served.keys.production)
      const added = await shop.ask('/pets', { body: { name: 'Rex', categoryId: 7 } })
      const { id: petId } = added.json as Pet
      const processes = new Set<string | undefined>()
      for (let round = 1; round <= rounds; round++) {
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
        for (const { headers } of answers) processes.add(headers['x-request-id']?.split('-')[0])
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
      expect(orders.json).toHaveLength(rounds)
      expect(orders.headers['x-total-count']).toBe(`${rounds}`)
      expect((await shop.ask('/pets')).json).toMatchObject([{ id: petId, status: 'available' }])
    })
  },
)
