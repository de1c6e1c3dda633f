// Lists the audit log, newest first. Each database has the entries of its own changes, so that all lists are merged.
import type { Database } from '../database/database.ts'
import { storedRow } from '../database/plain-row.ts'
import type { AuditArea } from './actions.ts'
import { type AuditTables, prepareQuery } from './tables.ts'

export type AuditEntry = ReturnType<typeof entryOf>

export interface AuditFilter {
  area?: AuditArea | undefined
  /** The e-mail address of an account, or its id. */
  actor?: string | undefined
  /** The id or name of what was changed. */
  target?: string | undefined
  /** Milliseconds since the epoch, inclusive. */
  since?: number | undefined
  /** Exclusive. */
  until?: number | undefined
  /** Only what this account did, and what was done to it and to what it owns. */
  viewer?: string | undefined
  /** The id of an entry: only older ones. */
  before?: string | undefined
}

/** The columns that the text of a filter may be in. Each is a query of its own, so that each uses its index. */
const columnsOf = {
  area: ['area'],
  actor: ['actor_id', 'actor_name'],
  target: ['target_id', 'target_name'],
  viewer: ['actor_id', 'target_id', 'owner_id'],
} as const
type TextFilter = keyof typeof columnsOf
type Equality = readonly [name: TextFilter, column: (typeof columnsOf)[TextFilter][number]]

type Params = Record<TextFilter | 'from' | 'before', string> & { max: number }

const prepareList = (equalities: readonly Equality[]) =>
  prepareQuery<Params>()((db, param) =>
    equalities
      .reduce(
        (query, [name, column]) => query.where(column, '=', param(name) as never),
        db.selectFrom('audit_log').selectAll().where('id', '>=', param('from')),
      )
      .where('id', '<', param('before'))
      .orderBy('id', 'desc')
      .limit(param('max')),
  )
const prepared = new Map<string, ReturnType<typeof prepareList>>()

/** At most `max` entries of all databases. */
export async function listAudit(
  databases: readonly Pick<Database, 'read'>[],
  { before, since, until, ...texts }: AuditFilter,
  max: number,
): Promise<AuditEntry[]> {
  const end = until === undefined ? idAfterAll : idAt(until)
  const params = {
    ...texts,
    from: since === undefined ? '' : idAt(since),
    before: before !== undefined && before < end ? before : end,
    max,
  } as Params
  let shapes: Equality[][] = [[]]
  for (const name of Object.keys(columnsOf) as TextFilter[]) {
    if (texts[name] === undefined) continue
    shapes = shapes.flatMap((shape) =>
      columnsOf[name].map((column): Equality[] => [...shape, [name, column]]),
    )
  }
  const entries = new Map<string, AuditTables['audit_log']>()
  for (const shape of shapes) {
    const query = prepared.getOrInsertComputed(shape.join(), () => prepareList(shape))
    for (const { read } of databases) {
      for (const row of await read.all(query, params)) entries.set(row.id, row)
    }
  }
  const rows = [...entries.values()].sort((a, b) => (a.id < b.id ? 1 : -1))
  return rows.slice(0, max).map(entryOf)
}

/** The lowest id of a millisecond: ids begin with their time, see identifiers.ts. */
function idAt(milliseconds: number): string {
  const time = Math.min(Math.max(0, milliseconds), maxTime)
  return `aud_${time.toString(36).padStart(9, '0')}`
}

const maxTime = 36 ** 9 - 1
const idAfterAll = 'aud_zzzzzzzzzzzzzzzzzzzzzz'

function entryOf(row: AuditTables['audit_log']) {
  return { ...storedRow(row), detail: JSON.parse(row.detail) as Record<string, unknown> }
}
