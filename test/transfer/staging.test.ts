// Staged rows of an import are invisible, are deleted soon after a crash, and their ids stay in order with concurrent
// writes.

import { once } from 'node:events'
import { readdirSync, watch } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, each, type Staging } from '#kit/database/database.ts'
import { openDatabase } from '#kit/database/engines/open.ts'
import { insertPets } from '#store/animals/change-pets.ts'
import { countPets } from '#store/animals/list-pets.ts'
import { changeState } from '#store/database/state.ts'
import { exportPets } from '#store/transfer/export-pets.ts'
import { moveStaged, openPetStaging, stagePets } from '#store/transfer/import-pets.ts'
import type { NewPetRow } from '#store/transfer/read-pets.ts'
import { cases } from '../cases.ts'
import { createTestDatabase, engines, type TestDatabase } from '../database.ts'
import { runCommand, startCommand } from '../served-process.ts'

const rows = (count: number): NewPetRow[] =>
  Array.from({ length: count }, (_, i) => [`staged ${i + 1}`, i, i % 2 ? 'sold' : 'available'])
const addOne = each((session, name: string) =>
  insertPets(session, [{ name, categoryId: 1, status: 'available' }]),
)
const takeIds = each(async (session, count: number) => {
  await changeState(session, { last_pet_id: count })
})

let place: TestDatabase
afterEach(() => place.release())

describe.each(cases(engines))('on %s', (engine) => {
  let database: Database
  let staging: Staging
  beforeEach(async () => {
    place = await createTestDatabase(engine)
    database = openDatabase(place, 'production', { onError: () => {} })
    staging = await openPetStaging(database)
  })
  afterEach(async () => {
    await staging.close()
    await database.close()
  })

  const stored = async (): Promise<{ ids: bigint[]; names: string[] }> => {
    let text = ''
    for await (const part of exportPets(database, 'ndjson', undefined)) text += part.text
    const lines = (text.match(/[^\n]+/g) ?? []).map((line) => JSON.parse(line))
    return { ids: lines.map(({ id }) => BigInt(id)), names: lines.map(({ name }) => name) }
  }
  const total = () => countPets(database.read, {})

  it('is invisible, blocks no other writer and is moved in order', async () => {
    await database.write(addOne, 'before')
    await stagePets(staging, rows(3))
    await database.write(addOne, 'concurrent')
    expect((await stored()).names).toEqual(['before', 'concurrent'])
    await moveStaged(database, staging, { from: 0n, to: 3n })
    await database.write(addOne, 'after')
    const { ids, names } = await stored()
    expect(names).toEqual(['before', 'concurrent', 'staged 1', 'staged 2', 'staged 3', 'after'])
    expect(ids).toEqual([1n, 2n, 3n, 4n, 5n, 6n])
    expect(await total()).toBe(6n)
    const sold = await countPets(database.read, { status: 'sold' })
    expect(sold).toBe(1n)
  })

  it('is moved in slices, each once', async () => {
    await stagePets(staging, rows(5))
    await moveStaged(database, staging, { from: 0n, to: 2n })
    await database.write(addOne, 'between')
    await moveStaged(database, staging, { from: 2n, to: 5n })
    const { ids, names } = await stored()
    expect(names).toEqual(['staged 1', 'staged 2', 'between', 'staged 3', 'staged 4', 'staged 5'])
    expect(ids).toEqual([1n, 2n, 3n, 4n, 5n, 6n])
  })

  it('leaves nothing if it fails', async () => {
    await stagePets(staging, [...rows(2), ['gone', 1, 'gone' as never]])
    await expect(moveStaged(database, staging, { from: 0n, to: 3n })).rejects.toThrow()
    expect(await total()).toBe(0n)
    await database.write(addOne, 'after')
    expect((await stored()).ids).toEqual([1n])
  })

  if (engine === 'postgres')
    it('lets others create while many rows go in', async () => {
      await stagePets(staging, rows(12_000))
      let waited = false
      const slow = beforeCommit(staging, async () => {
        await database.write(addOne, 'concurrent')
        waited = true
      })
      await moveStaged(database, slow, { from: 0n, to: 12_000n })
      expect(waited).toBe(true)
      const { ids, names } = await stored()
      expect(names.slice(0, 2)).toEqual(['concurrent', 'staged 1'])
      expect(ids).toEqual([...ids].sort((a, b) => Number(a - b)))
      expect(ids).toHaveLength(12_001)
      await database.write(addOne, 'after')
      expect((await stored()).names.at(-1)).toBe('after')
    })

  if (engine === 'postgres')
    it('starts again if other writers took more ids than it reserved', async () => {
      await stagePets(staging, rows(12_000))
      const slow = beforeCommit(staging, () => database.write(takeIds, 5000))
      await moveStaged(database, slow, { from: 0n, to: 12_000n })
      const { ids } = await stored()
      expect(ids).toHaveLength(12_000)
      expect(ids[0]).toBe(5001n)
      expect(ids.at(-1)).toBe(17_000n)
    })

  it('of two imports at once has consecutive ids for each', async () => {
    const other = await openPetStaging(database)
    await Promise.all(
      [staging, other].map(async (one, i) => {
        const size = 12_000 + i * 4000
        await stagePets(one, rows(size))
        await moveStaged(database, one, { from: 0n, to: BigInt(size) })
      }),
    )
    await other.close()
    const { names } = await stored()
    expect(names).toHaveLength(28_000)
    expect(names.filter((name) => name === 'staged 1')).toHaveLength(2)
    const breaks = names.filter((name, i) => {
      const before = names[i - 1]
      return before && name !== 'staged 1' && Number(name.slice(7)) !== Number(before.slice(7)) + 1
    })
    expect(breaks).toEqual([])
  })
})

/** The same staging; its first transaction runs `act` after inserting the rows and before taking the lock. */
function beforeCommit(staging: Staging, act: () => Promise<unknown>): Staging {
  let isFirst = true
  return {
    ...staging,
    transaction: (body) =>
      staging.transaction((session) =>
        body({
          ...session,
          all: async (query, params) => {
            const isRows = /^insert into "pets"/.test(query.on('postgres').sql)
            const response = await session.all(query, params)
            if (isRows && isFirst) {
              isFirst = false
              await act()
            }
            return response
          },
        }),
      ),
  }
}

describe('after a crash', () => {
  beforeEach(async () => {
    place = await createTestDatabase('sqlite')
  })

  const left = () => readdirSync(place.dataDir).filter((name) => name.includes('.staging-'))
  const command = (...words: string[]) =>
    runCommand(place, ['animals', ...words, '--environment', 'production'])

  it('the next command deletes what an import has left, and not what another import uses', async () => {
    const seen = once(watch(place.dataDir), 'change')
    const words = ['animals', 'import', '-', '--format', 'csv', '--environment', 'production']
    const child = startCommand(place, words)
    child.stdin.on('error', () => {})
    const closed = once(child, 'close')
    // Once it has read more than a pipe holds, it has staged rows.
    const rows = Buffer.from(`name,categoryId\n${'Rex,1\n'.repeat(200_000)}`)
    await new Promise((resolve) => child.stdin.write(rows, resolve))
    await seen
    expect(left()).toHaveLength(1)
    expect((await command('export')).status).toBe(0)
    expect(left()).toHaveLength(1)
    child.kill('SIGKILL')
    await closed
    expect(left()).toHaveLength(1)
    expect(await command('export')).toMatchObject({
      status: 0,
      stdout: 'id,name,categoryId,status\r\n',
    })
    expect(left()).toEqual([])
  })

  it('an import that completes leaves nothing', async () => {
    const words = ['animals', 'import', '-', '--environment', 'production']
    expect((await runCommand(place, words, {}, 'name,categoryId\nRex,1\n')).status).toBe(0)
    expect(left()).toEqual([])
  })
})
