// What operators have to do about the account at an authority: kept in the event log, as that of a host of no project, whose
// name is the address of the directory. The last event says whether the authority has accepted the account since.
import type { Problem } from '#doctor/rules/certificate-rules.ts'
import { programOrigin } from '#kit/audit/record-audit.ts'
import type { Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import type { Change } from '../state/diff-to-events.ts'
import { operators } from './domain-row.ts'
import { listEvents } from './list-events.ts'
import { recordEvent } from './record-event.ts'

/** `host`: whose request was refused. */
export type AccountProblem = Problem & Record<'directory' | 'host', string>

const dayMs = 86_400_000
/** More than of any event. */
const end = 2n ** 62n

/** Whether the authority refuses the account itself, so that no order is placed until that is solved. */
export function isRefusal({ operation, type }: AccountProblem): boolean {
  return type === 'unauthorized' && operation !== 'new account'
}

/** Undefined once it is solved. Others than refusals, if they last, are seen again within a day: hosts are retried. */
export async function findAccountProblem(session: Session, directory: string, now: number) {
  const [last] = await listEvents(session, { project: '', before: end, max: 1 }, directory)
  if (last?.detail.problem === undefined) return undefined
  const problem: AccountProblem = JSON.parse(last.detail.problem)
  return isRefusal(problem) || now - problem.at < 2 * dayMs ? problem : undefined
}

/** Mails the operators, unless they know it. Within the lock. */
export async function recordAccountProblem(session: Session, problem: AccountProblem) {
  const { at, directory, type } = problem
  const before = await findAccountProblem(session, directory, at)
  const isNotice = before?.type !== type
  const detail = { problem: JSON.stringify(problem) }
  if (isNotice || at - before.at > dayMs)
    await record(session, directory, { type: 'failed', isNotice, detail }, at)
}

/** The authority has accepted the account. A pause ends only with an order of its own host. Within the lock. */
export async function recordAccepted(
  session: Session,
  { directory, host }: { directory: string; host?: string },
  now: number,
) {
  const problem = await findAccountProblem(session, directory, now)
  if (problem && (problem.type !== 'rateLimited' || problem.host === host))
    await record(session, directory, { type: 'active', isNotice: false, detail: {} }, now)
}

export const acceptAccount = locked((session, directory: string, now: number) =>
  recordAccepted(session, { directory }, now),
)

async function record(session: Session, directory: string, change: Change, at: number) {
  const subject = { id: directory, host: directory, projectId: '', holder: operators }
  await recordEvent(session, subject, { ...change, origin: programOrigin(at) })
}
