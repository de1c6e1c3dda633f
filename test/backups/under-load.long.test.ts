// A backup that is taken while clients write: what was acknowledged before it began is in it, every write is in it
// whole or not at all, and records refer to records that are in it, in other databases, too.
// In npm test: test/backups/restore.test.ts.
import { describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import { serveForTest } from '../faults/processes.ts'
import { emptyPlace, placeForTest } from '../place-for-test.ts'
import { expectJson, type People, password, peopleAt } from '../publishing/publishing-in-test.ts'
import { query } from '../query.ts'
import type { ServedProcess } from '../served-process.ts'
import { backUp, restore } from './backups-in-test.ts'

/** What was acknowledged so far, by kind. */
class Acknowledged {
  readonly pets: number[] = []
  readonly orders: number[] = []
  readonly accounts: string[] = []
  readonly keys: string[] = []
  #waiting: { isMet: () => boolean; resolve: () => void } | undefined

  add<Kind extends 'pets' | 'orders' | 'accounts' | 'keys'>(
    kind: Kind,
    record: { id: Acknowledged[Kind][number] },
  ): void {
    const ids: unknown[] = this[kind]
    ids.push(record.id)
    if (this.#waiting?.isMet()) this.#waiting.resolve()
  }

  copy() {
    const { accounts, keys, orders, pets } = this
    return structuredClone({ accounts, keys, orders, pets })
  }

  /** Resolves when so many more animals and keys are acknowledged. */
  more(pets: number, keys: number): Promise<void> {
    const [allPets, allKeys] = [this.pets.length + pets, this.keys.length + keys]
    return new Promise((resolve) => {
      const isMet = (): boolean => this.pets.length >= allPets && this.keys.length >= allKeys
      this.#waiting = { isMet, resolve }
    })
  }
}

describe.each(engines)('a backup under load on %s', (engine) => {
  it('has every write that was acknowledged before, nothing half, and no reference to nothing', async () => {
    const place = await placeForTest(engine)
    const served = await serveForTest(place, { WORKERS: '2' })
    const people = await peopleAt(served.port, served.setUpToken)
    const done = new Acknowledged()
    const stopping = new AbortController()
    const writers = [
      ...Array.from({ length: 6 }, (_, i) => writeToShop(served, `w${i}`, done, stopping.signal)),
      ...Array.from({ length: 2 }, (_, i) => addOperators(people, `w${i}`, done, stopping.signal)),
    ]
    const underWay = Promise.all(writers)
    await Promise.race([underWay, done.more(200, 4)])
    const before = done.copy()
    const backup = await backUp(place)
    await Promise.race([underWay, done.more(50, 2)])
    stopping.abort()
    await underWay
    expect(await served.end()).toBe(0)

    const restored = await emptyPlace(engine)
    await restore(restored, backup.file)
    const column = async (schema: string, statement: string): Promise<string[]> =>
      (await query(restored, schema, statement)).map((row) => String(Object.values(row)[0]))

    const pets = new Set(await column('production', 'select id from pets'))
    expect(before.pets.filter((id) => !pets.has(String(id)))).toEqual([])
    const orders = new Set(await column('production', 'select id from orders'))
    expect(before.orders.filter((id) => !orders.has(String(id)))).toEqual([])
    const accounts = new Set(await column('publishing', 'select id from accounts'))
    expect(before.accounts.filter((id) => !accounts.has(id))).toEqual([])
    const keys = new Set(await column('production', 'select id from api_keys'))
    expect(before.keys.filter((id) => !keys.has(id))).toEqual([])
    // It was taken in between: later writes are missing.
    expect(pets.size).toBeLessThan(done.pets.length)

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
    expect(actors.filter((id) => !accounts.has(id))).toEqual([])
  })
})

/** Adds animals and orders them, until it is stopped. Every response has to be a success. */
async function writeToShop(
  { ask }: ServedProcess,
  name: string,
  done: Acknowledged,
  signal: AbortSignal,
): Promise<void> {
  for (let i = 0; !signal.aborted; i++) {
    const pet = await ask('/pets', { body: { name: `${name}-${i}`, categoryId: 1 } })
    const added = expectJson(pet, 201) as { id: number }
    done.add('pets', added)
    const order = await ask('/store/orders', { body: { petId: added.id } })
    done.add('orders', expectJson(order, 201) as { id: number })
  }
}

/** Adds operators, each of whom creates an API key at once, until it is stopped. */
async function addOperators(
  { anonymous, operator }: People,
  name: string,
  done: Acknowledged,
  signal: AbortSignal,
): Promise<void> {
  for (let i = 0; !signal.aborted; i++) {
    const email = `${name}-${i}@example.com`
    const invited = await operator.ask('/invitations', { body: { email, role: 'operator' } })
    const token = new URL((expectJson(invited, 201) as { link: string }).link).hash.slice(1)
    const body = { token, email, name, password }
    const accepted = await anonymous('/invitations/accept', { body })
    done.add('accounts', expectJson(accepted, 201) as { id: string })
    const cookie = accepted.headers['set-cookie']?.split(';')[0] ?? ''
    const created = await anonymous('/store/production/keys', {
      body: { label: name },
      headers: { cookie },
    })
    done.add('keys', expectJson(created, 201) as { id: string })
  }
}
