// Lists the audit log, newest first. Each database has the entries of its own changes, so the lists of all are merged.
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

/** The columns that one text may be in. Each is a query of its own, so that each uses its index. */
const actorColumns = ['actor_id', 'actor_name'] as const
const targetColumns = ['target_id', 'target_name'] as const
const viewerColumns = ['actor_id', 'target_id', 'owner_id'] as const

interface Bounds {
  from: string
  before: string
  area: string
  actor: string
  target: string
  viewer: string
  max: number
}
type Shape = {
  hasArea: boolean
  actor: (typeof actorColumns)[number] | undefined
  target: (typeof targetColumns)[number] | undefined
  viewer: (typeof viewerColumns)[number] | undefined
}

const prepareList = ({ actor, hasArea, target, viewer }: Shape) =>
  prepareQuery<Bounds>()((db, param) =>
    db
      .selectFrom('audit_log')
      .selectAll()
      .where('id', '>=', param('from'))
      .where('id', '<', param('before'))
      .$if(hasArea, (query) => query.where('area', '=', param('area') as AuditArea))
      .$if(actor !== undefined, (query) => query.where(actor ?? 'actor_id', '=', param('actor')))
      .$if(target !== undefined, (query) =>
        query.where(target ?? 'target_id', '=', param('target')),
      )
      .$if(viewer !== undefined, (query) => query.where(viewer ?? 'owner_id', '=', param('viewer')))
      .orderBy('id', 'desc')
      .limit(param('max')),
  )
const prepared = new Map<string, ReturnType<typeof prepareList>>()

function listQuery(shape: Shape): ReturnType<typeof prepareList> {
  const name = `${shape.hasArea} ${shape.actor} ${shape.target} ${shape.viewer}`
  let query = prepared.get(name)
  if (!query) {
    query = prepareList(shape)
    prepared.set(name, query)
  }
  return query
}

/** At most `max` entries of all databases. */
export async function listAudit(
  databases: readonly Pick<Database, 'read'>[],
  { actor, area, before, since, target, until, viewer }: AuditFilter,
  max: number,
): Promise<AuditEntry[]> {
  const end = until === undefined ? idAfterAll : idAt(until)
  const bounds: Bounds = {
    from: since === undefined ? '' : idAt(since),
    before: before !== undefined && before < end ? before : end,
    area: area ?? '',
    actor: actor ?? '',
    target: target ?? '',
    viewer: viewer ?? '',
    max,
  }
  const found = new Map<string, AuditTables['audit_log']>()
  const shapes = (actor === undefined ? [undefined] : actorColumns).flatMap((actorColumn) =>
    (target === undefined ? [undefined] : targetColumns).flatMap((targetColumn) =>
      (viewer === undefined ? [undefined] : viewerColumns).map((viewerColumn) => ({
        hasArea: area !== undefined,
        actor: actorColumn,
        target: targetColumn,
        viewer: viewerColumn,
      })),
    ),
  )
  for (const shape of shapes) {
    for (const { read } of databases) {
      for (const row of await read.all(listQuery(shape), bounds)) found.set(row.id, row)
    }
  }
  const rows = [...found.values()].sort((a, b) => (a.id < b.id ? 1 : -1))
  return rows.slice(0, max).map(entryOf)
}

/** The lowest id of a millisecond: ids begin with their time, see record-id.ts. */
function idAt(milliseconds: number): string {
  const time = Math.min(Math.max(0, milliseconds), maxTime)
  return `aud_${time.toString(36).padStart(9, '0')}`
}

const maxTime = 36 ** 9 - 1
const idAfterAll = 'aud_zzzzzzzzzzzzzzzzzzzzzz'

function entryOf(row: AuditTables['audit_log']) {
  return { ...storedRow(row), detail: JSON.parse(row.detail) as Record<string, unknown> }
}
