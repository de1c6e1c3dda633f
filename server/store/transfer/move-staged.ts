// Moves what is staged into the animals, in one transaction: ids, counters and the content's version with
// it. No event is recorded for an imported animal.
import type { Database, Staging, WriteSession } from '#kit/database/database.ts'
import { queriesFor } from '#kit/database/query.ts'
import type { PetStatus } from '../animals/schema.ts'
import { changeState, lockState, readState } from '../database/state.ts'
import type { StoreTables } from '../database/tables.ts'
import type { NewPetRow } from './read-pets.ts'

const columns = { name: 'text', category_id: 'int64', status: 'text' } as const

interface Tables extends StoreTables {
  staged: { position: bigint; name: string; category_id: bigint; status: string }
}

/** Positions after `from`, up to and with `to`. */
interface Range {
  from: bigint
  to: bigint
}

const prepareQuery = queriesFor<Tables>()
const countByStatus = prepareQuery<Range>()((db, param) =>
  db
    .selectFrom('staged')
    .select((eb) => ['status', eb.fn.countAll<bigint>().as('count')])
    .where('position', '>', param('from'))
    .where('position', '<=', param('to'))
    .groupBy('status'),
)
const insert = prepareQuery<Range & { before: bigint }>()((db, param) =>
  db
    .insertInto('pets')
    .columns(['id', 'name', 'category_id', 'status'])
    .expression(
      db
        .selectFrom('staged')
        .select((eb) => [
          eb('position', '+', param('before')).as('id'),
          'name',
          'category_id',
          'status',
        ])
        .where('position', '>', param('from'))
        .where('position', '<=', param('to')),
    ),
)

export function openPetStaging(database: Database): Promise<Staging> {
  return database.openStaging(columns)
}

export async function stagePets(staging: Staging, pets: NewPetRow[]): Promise<void> {
  if (pets.length > 0) await staging.add(pets)
}

/** Up to so many rows, the lock is held for an acceptable time. */
const fewRows = 10_000n

/**
 * Adds the animals at the positions of a range, all or none. They get ascending ids in the order of
 * their positions, and become visible together, after every animal with a smaller id.
 */
export async function moveStaged(
  database: Database,
  staging: Staging,
  range: Range,
): Promise<void> {
  const size = range.to - range.from
  if (size === 0n) return
  const counts = await staging.read.all(countByStatus, range)
  const added = Object.fromEntries(counts.map(({ status, count }) => [status, Number(count)]))
  // PostgreSQL lets others insert meanwhile. So the rows go in first, with ids that leave room for those
  // which others take until then, and the lock is taken only when they are in: for milliseconds, not for
  // seconds. SQLite's lock is held from the start in any case.
  const room = database.engine === 'postgres' && size > fewRows ? size / 4n : 0n
  if (room > 0n && (await tryMove(staging, range, added, room))) return
  await staging.transaction(async (session) => {
    lockState(session)
    await move(session, range, added, 0n)
  })
}

type Added = Partial<Record<PetStatus, number>>

/** False when others took more ids than there was room for; nothing is added then. */
async function tryMove(
  staging: Staging,
  range: Range,
  added: Added,
  room: bigint,
): Promise<boolean> {
  try {
    await staging.transaction((session) => move(session, range, added, room))
    return true
  } catch (error) {
    if (error instanceof NoRoom || isCollision(error)) return false
    throw error
  }
}

class NoRoom extends Error {
  override readonly name = 'NoRoom'
}

/** Unique violation or deadlock: another process has just taken one of these ids. */
function isCollision(error: unknown): boolean {
  const codes = [error, (error as Error).cause].map(
    (e) => (e as { code?: unknown } | undefined)?.code,
  )
  return codes.includes('23505') || codes.includes('40P01')
}

async function move(
  session: WriteSession,
  range: Range,
  added: Added,
  room: bigint,
): Promise<void> {
  const { last_pet_id: last } = await readState(session)
  const size = range.to - range.from
  const before = last + room
  await session.all(insert, { ...range, before: before - range.from })
  changeState(session, { last_pet_id: Number(room + size), ...added })
  const state = await readState(session)
  const lastOfOthers = state.last_pet_id - room - size
  if (lastOfOthers > before) throw new NoRoom('others took more ids than there was room for')
}
