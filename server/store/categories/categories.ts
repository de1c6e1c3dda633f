// Categories: names for the numbers that animals carry. Removing one leaves its animals as they are.
import {
  type Awaitable,
  type Session,
  type WriteSession,
  withValue,
} from '#kit/database/database.ts'
import { queryOfText, type Value } from '#kit/database/query.ts'
import { AppError } from '#kit/errors.ts'
import { type CategoryRow, openRecords, type Records } from '../changes/records.ts'
import { type RecordTarget, type StoreWrite, writeToRecord } from '../changes/store-write.ts'
import { byNameKey, rangesOf } from '../database/name-key.ts'
import type { Use } from '../idempotency/idempotency.ts'
import { listOf } from '../operations/pages.ts'

export const categories = listOf('categories', ['id', 'name'])

const byName = queryOfText<{ from: string; to: string; limit: number }, never>(
  byNameKey(
    (key) => `select id, name from categories where ${key} >= :from and ${key} < :to
      order by ${key}, id limit :limit`,
  ),
)

/** The first `limit` categories whose name begins with a text, in upper or lower case: id and name. */
export async function findCategoriesByName(
  session: Session,
  prefix: string,
  limit: number,
): Promise<Value[][]> {
  const rows: Value[][] = []
  for (const range of rangesOf(prefix)) {
    if (rows.length < limit)
      rows.push(...(await session.tuples(byName, { ...range, limit: limit - rows.length })))
  }
  return rows
}

export function categoryJson(id: Value, name: Value): string {
  return `{"id":${id},"name":${JSON.stringify(name)}}`
}

/** The JSON of a category, or undefined. */
export function findCategory(session: Session, id: bigint): Awaitable<string | undefined> {
  return withValue(
    categories.find(session, id),
    (row) => row && categoryJson(...(row as [Value, Value])),
  )
}

/** Inserts categories with the next ids. To be called inside a write. */
export async function insertCategories(session: WriteSession, names: string[]): Promise<void> {
  const { records, save } = await openRecords(session)
  for (const name of names) records.categories.insert({ name })
  save()
}

export function createCategory({ name, use }: { name: string; use: Use | undefined }): StoreWrite {
  return {
    use,
    reads: {},
    change(records) {
      const { id } = records.categories.insert({ name })
      return { status: 201, location: `/categories/${id}`, body: categoryJson(id, name) }
    },
  }
}

export function renameCategory({ name, ...target }: RecordTarget & { name: string }): StoreWrite {
  return writeToRecord(kind, target, (records, category) => {
    const { id } = category
    if (name !== category.name) records.categories.set(id, { id, name })
    return { status: 200, location: '', body: categoryJson(id, name) }
  })
}

export function removeCategory(target: RecordTarget): StoreWrite {
  return writeToRecord(kind, target, (records, category) => {
    records.categories.set(category.id, undefined)
    return { status: 204, location: '', body: '' }
  })
}

const kind = {
  name: 'category',
  reads: (id: bigint) => ({ categories: [id] }),
  find: ({ categories }: Records, id: bigint) => categories.get(id),
  missing: categoryNotFound,
  toJson: ({ id, name }: CategoryRow) => categoryJson(id, name),
}

export function categoryNotFound(): AppError {
  return new AppError('category_not_found', 'No category has this id.')
}
