// A page of animals for operators. All animals of a category, whatever their status, are put together from
// a page of each status, so that none costs more than its length.
import type { Session } from '../../../platform/database/database.ts'
import { countPets, type Filter, listPets } from '../../animals/list-pets.ts'
import { PetStatus } from '../../animals/schema.ts'
import type { Position } from '../../pages/cursor.ts'
import { type Page, pageOfRows } from '../../pages/keyset.ts'
import { define } from '../../tables.ts'
import { mostCounted } from './schema.ts'

/** At most `limit` animals, from the start or from a cursor's position. */
export async function listAnimals(
  session: Session,
  filter: Filter,
  limit: number,
  position: Position | undefined,
): Promise<Page> {
  if (filter.categoryId === undefined || filter.status || filter.ids)
    return await listPets(session, filter, limit, position)
  const pages: Page[] = []
  for (const status of PetStatus.enum) {
    pages.push(await listPets(session, { ...filter, status }, limit + 1, position))
  }
  const rows = pages
    .flatMap((page) => page.rows)
    .sort(([a], [b]) => Number((a as bigint) - (b as bigint)))
  const isBackwards = position?.direction === 'before'
  return pageOfRows(
    isBackwards ? rows.slice(-limit - 1) : rows.slice(0, limit + 1),
    limit,
    position,
  )
}

const inCategory = define<{ category: bigint; most: number }>()((db, param) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('pets')
        .select('id')
        .where('category_id', '=', param('category'))
        .limit(param('most') as never)
        .as('found'),
    )
    .select((eb) => eb.fn.countAll<bigint>().as('count')),
)
const inCategoryByStatus = define<{ category: bigint; status: string; most: number }>()(
  (db, param) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom('pets')
          .select('id')
          .where('category_id', '=', param('category'))
          .where('status', '=', param('status'))
          .limit(param('most') as never)
          .as('found'),
      )
      .select((eb) => eb.fn.countAll<bigint>().as('count')),
)

/** How many a filter has; undefined for more than `mostCounted` of a category. */
export async function countAnimals(session: Session, filter: Filter): Promise<bigint | undefined> {
  const { categoryId: category, ids, status } = filter
  if (category === undefined || ids) return await countPets(session, filter)
  const most = mostCounted + 1
  const [row] = status
    ? await session.all(inCategoryByStatus, { category, status, most })
    : await session.all(inCategory, { category, most })
  const count = BigInt(row?.count ?? 0)
  return count > mostCounted ? undefined : count
}
