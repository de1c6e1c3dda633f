// A backup that is taken while clients write: what was acknowledged before it began is in it, every write is in it
// whole or not at all, and records refer to records that are in it, in other databases, too.
// In npm test: test/backups/restore.test.ts.
import { describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import { serveForTest } from '../faults/processes.ts'
import { emptyPlace, placeForTest } from '../place-for-test.ts'
import { expectJson, type People, password, peopleAt } from '../publishing/publishing-in-test.ts'
import { query } from '../query.ts'
import { repeatUntilFinished } from '../repeat-until-finished.ts'
import type { Answer } from '../running-store.ts'
import type { ServedProcess } from '../served-process.ts'
import { backUp, restore } from './backups-in-test.ts'

describe.each(engines)('a backup under load on %s', (engine) => {
  it('has every write that was acknowledged before, nothing half, and no reference to nothing', async () => {
    const place = await placeForTest(engine)
    const served = await serveForTest(place, { WORKERS: '2' })
    const people = await peopleAt(served.port, served.setUpToken)
    /** The ids of what was acknowledged so far. */
    const done: Ids = { pets: [], orders: [], accounts: [], keys: [] }
    const writers = repeatUntilFinished([
      ...Array.from(
        { length: 6 },
        (_, i) => (n: number) => writeToShop(served, `w${i}-${n}`, done),
      ),
      ...Array.from(
        { length: 2 },
        (_, i) => (n: number) => addOperator(people, `w${i}-${n}`, done),
      ),
    ])
    const acknowledged = async (pets: number, keys: number): Promise<void> => {
      const all = { pets: done.pets.length + pets, keys: done.keys.length + keys }
      const isMet = () => done.pets.length >= all.pets && done.keys.length >= all.keys
      await Promise.race([writers.ended, expect.poll(isMet).toBe(true)])
    }
    await acknowledged(200, 4)
    const before = structuredClone(done)
    const backup = await backUp(place)
    await acknowledged(50, 2)
    await writers.finish()
    expect(await served.end()).toBe(0)

    const restored = await emptyPlace(engine)
    await restore(restored, backup.file)
    const column = async (schema: string, statement: string): Promise<string[]> =>
      (await query(restored, schema, statement)).map((row) => String(Object.values(row)[0]))

    const tables = [
      ['pets', 'production', 'pets'],
      ['orders', 'production', 'orders'],
      ['accounts', 'publishing', 'accounts'],
      ['keys', 'production', 'api_keys'],
    ] as const
    const found: Ids = { pets: [], orders: [], accounts: [], keys: [] }
    for (const [kind, schema, table] of tables) {
      found[kind] = await column(schema, `select id from ${table}`)
      expect(before[kind].filter((id) => !found[kind].includes(id))).toEqual([])
    }
    // It was taken in between: later writes are missing.
    expect(found.pets.length).toBeLessThan(done.pets.length)

    // An order, the status of its animal and the counters are written together.
    expect(
      await column(
        'production',
        `select o.id from orders o left join pets p on p.id = o.pet_id
         where o.status = 'placed' and (p.status is null or p.status <> 'pending')`,
      ),
    ).toEqual([])
    expect(
      await column(
        'production',
        `select case when (select count(*) from pets where status = 'pending') = s.pending
           and (select count(*) from pets where status = 'available') = s.available
           and (select count(*) from orders where status = 'placed') = s.placed
           and (select max(id) from pets) = s.last_pet_id then 'equal' else 'different' end
         from store_state s`,
      ),
    ).toEqual(['equal'])

    // Keys are created by accounts that were created just before, in another database.
    const actors = await column(
      'production',
      'select distinct actor_id from audit_log where actor_id is not null',
    )
    expect(actors.length).toBeGreaterThan(3)
    expect(actors.filter((id) => !found.accounts.includes(id))).toEqual([])
  })
})

type Ids = Record<'pets' | 'orders' | 'accounts' | 'keys', string[]>

const idOf = (created: Answer): string => String((expectJson(created, 201) as { id: unknown }).id)

/** Adds an animal and orders it. Every response has to be a success. */
async function writeToShop({ ask }: ServedProcess, name: string, done: Ids): Promise<void> {
  const petId = idOf(await ask('/pets', { body: { name, categoryId: 1 } }))
  done.pets.push(petId)
  done.orders.push(idOf(await ask('/store/orders', { body: { petId: Number(petId) } })))
}

/** Adds an operator, who creates an API key at once. */
async function addOperator(people: People, name: string, done: Ids): Promise<void> {
  const { anonymous, operator } = people
  const email = `${name}@example.com`
  const invited = await operator.ask('/invitations', { body: { email, role: 'operator' } })
  const token = new URL((expectJson(invited, 201) as { link: string }).link).hash.slice(1)
  const body = { token, email, name, password }
  const accepted = await anonymous('/invitations/accept', { body })
  done.accounts.push(idOf(accepted))
  const headers = { cookie: accepted.headers['set-cookie']?.split(';')[0] ?? '' }
  const key = { body: { label: name }, headers }
  done.keys.push(idOf(await anonymous('/store/production/keys', key)))
}
