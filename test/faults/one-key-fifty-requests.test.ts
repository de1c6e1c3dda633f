// Fifty requests at once with one idempotency key, on two processes: one animal, fifty equal responses.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { useTestDatabase } from '../use-test-database.ts'
import { serveForTest } from './processes.ts'
import { Shop } from './shop.ts'

const requests = 50
const rounds = 5

describe.each(cases(engines))(
  'fifty parallel requests with one idempotency key on %s',
  (engine) => {
    it('create one animal and get the same response; a different body is refused', async () => {
      const place = await useTestDatabase(engine)
      const served = await serveForTest(place, { WORKERS: '2' })
      const shop = new Shop(served.port, served.keys.production)
      for (let round = 1; round <= rounds; round++) {
        const answers = await Promise.all(
          Array.from({ length: requests }, () => shop.create(`Rex ${round}`, `key-${round}`)),
        )
        expect(answers.map(({ status }) => status)).toEqual(Array(requests).fill(201))
        const texts = new Set(answers.map(({ text }) => text))
        expect(texts.size).toBe(1)
        expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(1)
        const replays = answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')
        expect(replays).toHaveLength(requests - 1)
        // Both processes handled requests: the request IDs of each have their own prefix.
        const ids = answers.map(({ headers }) => headers['x-request-id']?.split('-')[0])
        expect(new Set(ids).size).toBe(2)
        const pets = await shop.walk('/pets')
        expect(pets).toHaveLength(round)
        expect(JSON.stringify(pets.at(-1))).toBe([...texts][0])
      }

      // Two bodies at once with one key: the first one succeeds, and the other is refused each time.
      const answers = await Promise.all(
        Array.from({ length: requests }, (_, i) => shop.create(`Max ${i % 2}`, 'key')),
      )
      const winner = (await shop.walk('/pets'))[rounds]
      for (const [i, answer] of answers.entries()) {
        const isWinner = winner?.name === `Max ${i % 2}`
        expect(answer.status).toBe(isWinner ? 201 : 422)
        if (isWinner) expect(answer.json).toEqual(winner)
        else expect(answer.json).toMatchObject({ code: 'idempotency_key_reused', status: 422 })
      }
      expect(await shop.walk('/pets')).toHaveLength(rounds + 1)
    })
  },
)
