// A domain as a row of the database. The fields of its state are the columns of the same names: a new one is
// added to the table's type, to a migration, and to stateWhenAdded.
import type { Insertable, Selectable } from 'kysely'
import type { Session } from '../../../platform/database/database.ts'
import { type PublishingTables, prepareQuery } from '../../database/tables.ts'
import type { LastNotified } from '../events/diff-to-events.ts'
import type { CertificateFacts } from '../evidence/evidence.ts'
import { type DomainState, dueAt, stateWhenAdded } from '../state/domain-state.ts'

/** Holds the domains of projects that belong to all operators. */
export const operators = 'operators'
/** Holds the hosts of the platform itself (edge/platform-hosts.ts). They belong to no project. */
export const platformHolder = 'platform'

export interface FoundDomain {
  id: string
  host: string
  projectId: string
  /** The account that owns the project, or `operators`. */
  holder: string
  verificationToken: string
  addedAt: number
  version: number
  state: DomainState
  /** What visitors get. */
  role: 'primary' | 'alias' | 'redirect'
  redirect: { to: string; status: RedirectStatus } | undefined
  /** Why the authority did not issue, at the last attempt that failed. */
  problem: CertificateFacts['problem']
  lastNotified: LastNotified
}

export const redirectStatuses = [301, 302, 307, 308] as const
export type RedirectStatus = (typeof redirectStatuses)[number]

type Table = PublishingTables['domains']
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : ''
type StateColumns = Pick<Insertable<Table>, SnakeCase<keyof DomainState>>

/** The state as parameters of a statement. */
export type StateParams = Record<keyof DomainState, string | number | null>

const stateColumns = (Object.keys(stateWhenAdded(0)) as (keyof DomainState)[]).map((field) => ({
  field,
  column: field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as keyof StateColumns,
}))

/** For `values` and `set`: each column of the state with its parameter. */
export function stateAssignments(param: (field: keyof DomainState) => unknown): StateColumns {
  const assignments = stateColumns.map(({ column, field }) => [column, param(field)])
  return Object.fromEntries(assignments) as StateColumns
}

export function stateParams(state: DomainState): StateParams {
  const params = Object.entries(state).map(([field, value]) => {
    if (typeof value === 'boolean') return [field, Number(value)]
    return [field, value !== null && typeof value === 'object' ? JSON.stringify(value) : value]
  })
  return Object.fromEntries(params)
}

function stateOf(row: Selectable<Table>): DomainState {
  const fields = stateColumns.map(({ column, field }) => {
    const value = row[column]
    if (field === 'pointedWhenAdded') return [field, value === null ? null : value === 1n]
    if (field === 'attempt') return [field, value === null ? null : JSON.parse(String(value))]
    return [field, typeof value === 'bigint' ? Number(value) : value]
  })
  return Object.fromEntries(fields)
}

export function domainOf(row: Selectable<Table>): FoundDomain {
  return {
    id: row.id,
    host: row.host,
    projectId: row.project_id,
    holder: row.holder,
    verificationToken: row.verification_token,
    addedAt: Number(row.added_at),
    version: Number(row.version),
    state: stateOf(row),
    role: row.role as FoundDomain['role'],
    redirect:
      row.redirect_to === null
        ? undefined
        : { to: row.redirect_to, status: Number(row.redirect_status) as RedirectStatus },
    problem: row.problem === null ? undefined : JSON.parse(row.problem),
    lastNotified: row.last_notified as LastNotified,
  }
}

export type NewDomain = Pick<
  FoundDomain,
  'id' | 'host' | 'projectId' | 'holder' | 'verificationToken' | 'addedAt' | 'state'
>

const insert = prepareQuery<StateParams & Omit<NewDomain, 'state'> & { dueAt: number | null }>()(
  (db, param) =>
    db.insertInto('domains').values({
      ...stateAssignments(param),
      id: param('id'),
      host: param('host'),
      project_id: param('projectId'),
      holder: param('holder'),
      verification_token: param('verificationToken'),
      added_at: param('addedAt'),
      version: 0n,
      role: 'alias',
      due_at: param('dueAt'),
    }),
)

/** Inside a write that has the lock. The holder must not have the host yet. */
export async function insertDomain(
  session: Session,
  { state, ...domain }: NewDomain,
): Promise<void> {
  await session.all(insert, { ...domain, ...stateParams(state), dueAt: dueAt(state) })
}
