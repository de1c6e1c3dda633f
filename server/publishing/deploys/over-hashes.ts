// Statements over a list of hashes, of whatever length: in pieces, and of few sizes, so that few are compiled.
import type { CompiledQuery, Kysely } from 'kysely'
import type { Session } from '../../platform/database/database.ts'
import type { Query } from '../../platform/database/query.ts'
import { type PublishingTables, prepareQuery } from '../database/tables.ts'

/** Hashes for each statement; a piece in between is filled up with its last one. */
const sizes = [1, 16, 256]
const most = 256

type Params = Record<string, string>

type Build<Row> = (
  db: Kysely<PublishingTables>,
  hashes: string[],
  param: (name: string) => string,
) => { compile(): CompiledQuery<Row> }

/** Gives what runs the statement over hashes, with text parameters by name, and gives all its rows. */
export function overHashes<Row>(
  build: Build<Row>,
): (session: Session, hashes: readonly string[], params?: Params) => Promise<Row[]> {
  const queries = new Map<number, Query<Params, Row>>()

  function queryOf(size: number): Query<Params, Row> {
    let query = queries.get(size)
    if (!query) {
      query = prepareQuery<Params>()((db, param) => {
        const hashes = Array.from({ length: size }, (_, i) => param(`hash${i}`))
        return build(db, hashes, param)
      })
      queries.set(size, query)
    }
    return query
  }

  return async (session, hashes, params = {}) => {
    const rows: Row[] = []
    for (let start = 0; start < hashes.length; start += most) {
      const piece = hashes.slice(start, start + most)
      const size = sizes.find((one) => one >= piece.length) ?? most
      const given: Params = { ...params }
      for (let i = 0; i < size; i++) given[`hash${i}`] = (piece[i] ?? piece.at(-1)) as string
      for (const row of await session.all(queryOf(size), given)) rows.push(row)
    }
    return rows
  }
}
