// Categories: names for the numbers that animals carry. Removing one leaves its animals as they are.
import type { Session } from '../../platform/database/database.ts'
import type { Value } from '../../platform/database/query.ts'
import { AppError } from '../../platform/errors.ts'
import { entityTag, matchesStrongly } from '../../platform/http/response/ready-response.ts'
import { changeState } from '../database/state.ts'
import { prepareInsert, prepareQuery } from '../database/tables.ts'
import { type Guarded, guarded } from '../idempotency/guarded-write.ts'
import type { RecordedAnswer } from '../idempotency/idempotency.ts'
import { type Params, pageQueries } from '../pages/keyset.ts'

interface Target extends Guarded {
  id: bigint | undefined
  ifMatch: string | undefined
}

const columns = ['id', 'name'] as const

const byId = prepareQuery<{ id: bigint }>()((db, param) =>
  db.selectFrom('categories').select(columns).where('id', '=', param('id')),
)
const insert = prepareInsert('categories', columns)
const rename = prepareQuery<{ id: bigint; name: string }>()((db, param) =>
  db
    .updateTable('categories')
    .set({ name: param('name') })
    .where('id', '=', param('id')),
)
const remove = prepareQuery<{ id: bigint }>()((db, param) =>
  db.deleteFrom('categories').where('id', '=', param('id')),
)

/** The statements of the list. */
export const categoryPages = pageQueries(({ compare, order }) =>
  prepareQuery<Params>()((db, param) =>
    db
      .selectFrom('categories')
      .select(columns)
      .where('id', compare, param('id') as bigint)
      .orderBy('id', order)
      .limit(param('limit') as bigint),
  ),
)

export function categoryJson(id: Value, name: Value): string {
  return `{"id":${id},"name":${JSON.stringify(name)}}`
}

/** The JSON of a category, or undefined. */
export async function findCategory(session: Session, id: bigint): Promise<string | undefined> {
  const [row] = await session.all(byId, { id })
  return row && categoryJson(row.id, row.name)
}

/** Inserts a category with the next id, which it gives. To be called inside a write. */
export async function insertCategory(session: Session, name: string): Promise<bigint> {
  const state = await changeState(session, { last_category_id: 1, categories: 1 })
  const id = state.last_category_id
  await session.all(insert, { id, name })
  return id
}

export const createCategory = guarded(async (session, { name }: Guarded & { name: string }) => {
  const id = await insertCategory(session, name)
  return { status: 201, location: `/categories/${id}`, body: categoryJson(id, name) }
})

export const renameCategory = guarded(
  async (session, input: Target & { name: string }): Promise<RecordedAnswer | AppError> => {
    const before = await findTarget(session, input)
    if (before instanceof AppError) return before
    const { id } = before
    const { name } = input
    if (name !== before.name) {
      await session.all(rename, { id, name })
      await changeState(session, {})
    }
    return { status: 200, location: '', body: categoryJson(id, name) }
  },
)

export const removeCategory = guarded(
  async (session, input: Target): Promise<RecordedAnswer | AppError> => {
    const found = await findTarget(session, input)
    if (found instanceof AppError) return found
    await session.all(remove, { id: found.id })
    await changeState(session, { categories: -1 })
    return { status: 204, location: '', body: '' }
  },
)

async function findTarget(
  session: Session,
  { id, ifMatch }: Target,
): Promise<{ id: bigint; name: string } | AppError> {
  const [row] = id === undefined ? [] : await session.all(byId, { id })
  if (!row) return new AppError('category_not_found', 'No category has this id.')
  if (
    ifMatch !== undefined &&
    !matchesStrongly(ifMatch, entityTag(categoryJson(row.id, row.name)))
  ) {
    return new AppError(
      'precondition_failed',
      'The category has changed since the ETag of If-Match. Fetch it again.',
    )
  }
  return row
}
