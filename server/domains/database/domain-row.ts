// A domain as a row of the database. The fields of its state are the columns of the same names: a new one is
// added to the table's type, to a migration, and to stateWhenAdded.

import type { CertificateFacts, FormerChallenge } from '#doctor/evidence.ts'
import type { Session } from '#kit/database/database.ts'
import { type StoredRow, snakeCase, storedRow } from '#kit/database/plain-row.ts'
import { insertRow, type PublishingTables } from '#publishing/database/tables.ts'
import type { LastNotified } from '../state/diff-to-events.ts'
import { type DomainState, dueAt, stateWhenAdded } from '../state/domain-state.ts'

/** Holds the domains of projects that belong to all operators. */
export const operators = 'operators'
/** Holds the hosts of the platform itself (edge/platform-hosts.ts). They belong to no project. */
export const platformHolder = 'platform'

type Table = PublishingTables['domains']
type OwnFields =
  | 'id'
  | 'host'
  | 'projectId'
  | 'holder'
  | 'turnOwner'
  | 'verificationToken'
  | 'addedAt'

/** `holder`: the account that owns the project, or `operators`. */
export interface FoundDomain extends Pick<StoredRow<Table>, OwnFields | 'version'> {
  state: DomainState
  /** What visitors get. */
  role: 'primary' | 'alias' | 'redirect'
  redirect: { to: string; status: RedirectStatus } | undefined
  /** Why the authority did not issue, at the last attempt that failed. */
  problem: CertificateFacts['problem']
  lastNotified: LastNotified
  /** The last value of the challenge's TXT record that is no longer valid. */
  formerChallenge: FormerChallenge | undefined
}

export const redirectStatuses = [301, 302, 307, 308] as const
export type RedirectStatus = (typeof redirectStatuses)[number]

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : ''

/** The state as parameters of a statement. */
export type StateParams = Record<keyof DomainState, string | number | null>

const stateFields = Object.keys(stateWhenAdded(0)) as (keyof DomainState)[]
export const stateColumns = stateFields.map(snakeCase) as SnakeCase<keyof DomainState>[]

export function stateParams(state: DomainState): StateParams {
  const params: Record<string, string | number | null> = {}
  for (const [field, value] of Object.entries(state)) {
    if (typeof value === 'boolean') params[field] = Number(value)
    else params[field] = typeof value === 'object' && value ? JSON.stringify(value) : value
  }
  return params as StateParams
}

export function domainOf(row: Table): FoundDomain {
  const {
    attempt,
    formerChallenge,
    pointedWhenAdded,
    problem,
    redirectStatus,
    redirectTo,
    ...plain
  } = storedRow(row)
  const fields = {
    ...plain,
    attempt: attempt === null ? null : JSON.parse(attempt),
    pointedWhenAdded: pointedWhenAdded === null ? null : pointedWhenAdded === 1,
  }
  const state: Record<string, unknown> = {}
  for (const field of stateFields) state[field] = fields[field]
  const { addedAt, holder, host, id, projectId, turnOwner, verificationToken, version } = plain
  return {
    ...{ id, host, projectId, holder, turnOwner, verificationToken, addedAt, version },
    state: state as unknown as DomainState,
    role: plain.role as FoundDomain['role'],
    redirect:
      redirectTo === null
        ? undefined
        : { to: redirectTo, status: redirectStatus as RedirectStatus },
    problem: problem === null ? undefined : JSON.parse(problem),
    lastNotified: plain.lastNotified as LastNotified,
    // Absent in a row of the release before.
    formerChallenge: formerChallenge ? JSON.parse(formerChallenge) : undefined,
  }
}

/** `turnOwner`: the holder without it. */
type NewDomain = Omit<Pick<FoundDomain, OwnFields | 'state'>, 'turnOwner'> & {
  turnOwner?: string
}

/** Inside a write that has the lock. The holder must not have the host yet. */
export async function insertDomain(
  session: Session,
  { state, turnOwner, ...domain }: NewDomain,
): Promise<FoundDomain> {
  const own = {
    ...domain,
    turnOwner: turnOwner ?? domain.holder,
    version: 0,
    role: 'alias' as const,
  }
  const row = { ...own, dueAt: dueAt(state), ...stateParams(state) }
  await insertRow(session, 'domains', row as never)
  const none = { redirect: undefined, problem: undefined, formerChallenge: undefined }
  return { ...own, ...none, state, lastNotified: null }
}
