// Imports animals from an input of any size in constant memory: validates and stages them first, which locks nothing, then
// moves them into the animals in one transaction, with ids, counters and version. Only where not all of them must be
// imported or none, SQLite moves them in slices. No event is recorded for an imported animal.
import type { Database, Staging, WriteSession } from '#kit/database/database.ts'
import { queriesFor } from '#kit/database/query.ts'
import { AppError, type Problem } from '#kit/errors.ts'
import type { PetStatus } from '../animals/schema.ts'
import { changeState, lockState, readState } from '../database/state.ts'
import type { StoreTables } from '../database/tables.ts'
import type { Form } from './forms.ts'
import { createPetReader, type NewPetRow, type PetBatch, type Reject } from './read-pets.ts'

interface ImportOptions {
  /** Undefined: as the input's beginning shows. */
  form: Form | undefined
  /** Takes what is good when something is not; without it all or nothing. */
  keepGoing: boolean
  /** Maximum number of problems in the result. */
  maxProblems: number
  /** Called after each chunk with what was read so far and the rejected records, in the order of the input. */
  onRead?: (read: { bytes: number; records: number }, rejects: Reject[]) => void
  /** Is given the animals of each chunk, in the order of the input. */
  onPets?: (pets: NewPetRow[]) => void
  /** Called with how many of how many animals have been moved. */
  onMove?: (moved: number, all: number) => void
}

interface LineProblem extends Problem {
  /** Of the record's first line, from 1. */
  line: number
}

export interface ImportResult {
  /** Records that were read. Input that cannot be split into records counts as one. */
  checked: number
  imported: number
  rejected: number
  /** The first ones. */
  problems: LineProblem[]
  problemCount: number
  /** False when the input could not be read to its end; then nothing is imported. */
  isWhole: boolean
}

/** Without a database all is checked and nothing is written. */
export async function importPets(
  database: Database | undefined,
  chunks: AsyncIterable<Buffer>,
  options: ImportOptions,
): Promise<ImportResult> {
  const staging = database && (await openPetStaging(database))
  try {
    const result = await readAll(staging, chunks, options)
    const isWanted = result.rejected === 0 || (options.keepGoing && result.isWhole)
    if (database && staging && isWanted) await moveAll(database, staging, result, options)
    return result
  } finally {
    await staging?.close()
  }
}

async function readAll(
  staging: Staging | undefined,
  chunks: AsyncIterable<Buffer>,
  options: ImportOptions,
): Promise<ImportResult> {
  const { keepGoing, maxProblems, onPets, onRead } = options
  const reader = createPetReader(options.form)
  const result = emptyResult()
  let bytes = 0
  const take = async (batch: PetBatch): Promise<void> => {
    addBatch(result, batch, maxProblems)
    onPets?.(batch.pets)
    if (staging && (keepGoing || result.rejected === 0)) await stagePets(staging, batch.pets)
    onRead?.({ bytes, records: result.checked }, batch.rejects)
  }
  for await (const chunk of chunks) {
    bytes += chunk.length
    await take(reader.push(chunk))
    if (!result.isWhole) break
  }
  await take(reader.end())
  return result
}

/** A result before anything was read. */
export function emptyResult(): ImportResult {
  return { checked: 0, imported: 0, rejected: 0, problems: [], problemCount: 0, isWhole: true }
}

/** Counts what was read, and keeps the first problems. */
export function addBatch(result: ImportResult, batch: PetBatch, maxProblems: number): void {
  result.checked += batch.pets.length + batch.rejects.length
  result.rejected += batch.rejects.length
  for (const { line, problems, isLast } of batch.rejects) {
    result.problemCount += problems.length
    const room = Math.max(0, maxProblems - result.problems.length)
    result.problems.push(...problems.slice(0, room).map((problem) => ({ line, ...problem })))
    if (isLast) result.isWhole = false
  }
}

/**
 * Where it need not be all or nothing, SQLite's lock is held for a slice at a time. PostgreSQL's is held
 * for a moment however many there are.
 */
const sliceOnSqlite = 20_000

async function moveAll(
  database: Database,
  staging: Staging,
  result: ImportResult,
  { keepGoing, onMove }: ImportOptions,
): Promise<void> {
  const all = result.checked - result.rejected
  const slice = keepGoing && database.engine === 'sqlite' ? sliceOnSqlite : all
  while (result.imported < all) {
    onMove?.(result.imported, all)
    const to = Math.min(all, result.imported + slice)
    await moveStaged(database, staging, { from: BigInt(result.imported), to: BigInt(to) })
    result.imported = to
  }
}

/** The path names the line and, where it is of one, the field: `line 17: status`. */
export function importRefusal({ checked, problems, rejected }: ImportResult): AppError {
  const details = problems.map(({ line, path: field, message }) => ({
    path: `line ${line}${field && `: ${field}`}`,
    message,
  }))
  const [first] = details
  const message = `${rejected} of ${checked} records cannot be imported; nothing was. The first: ${first?.path}: ${first?.message}`
  return new AppError('invalid_body', message, { details })
}

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
