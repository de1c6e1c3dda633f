// The domains of a project that gets another owner: the new owner holds them, with what has been proven. Without the paid
// plan they are suspended at once.
import type { Session } from '#kit/database/database.ts'
import type { Plan } from '#kit/management/caller.ts'
import { prepareQuery } from '#publishing/database/tables.ts'
import { applyEvent } from '../database/apply-event.ts'
import { findDomainOfHolder, listDomains } from '../database/find-domains.ts'
import { isAsPlanned } from './suspend-unpaid.ts'

const setHolder = prepareQuery<{ project: string; holder: string }>()((db, param) =>
  db
    .updateTable('domains')
    .set({ holder: param('holder'), turn_owner: param('holder') })
    .where('project_id', '=', param('project')),
)
/** What the transfer of a project to another account does to its domains. */
interface DomainsInTransfer {
  /** Hosts that are suspended because the account has no paid plan. */
  suspended: string[]
  /** Hosts that another project of the account has, too. */
  taken: string[]
}

export async function findDomainsInTransfer(
  session: Session,
  projectId: string,
  to: { id: string; plan: Plan },
): Promise<DomainsInTransfer> {
  const suspended: string[] = []
  const taken: string[] = []
  for (const { host, state } of await listDomains(session, projectId)) {
    const own = await findDomainOfHolder(session, host, to.id)
    if (own && own.projectId !== projectId) taken.push(host)
    const isSuspended = to.plan !== 'paid' && state.ownership === 'proven'
    if (isSuspended && state.serving !== 'suspended') suspended.push(host)
  }
  return { suspended, taken }
}

/** Inside the transaction that gives the project to the account. */
export async function transferDomains(
  session: Session,
  projectId: string,
  to: { id: string; plan: Plan },
  now: number,
): Promise<void> {
  await session.all(setHolder, { project: projectId, holder: to.id })
  const isPaid = to.plan === 'paid'
  for (const domain of await listDomains(session, projectId)) {
    const { ownership, serving } = domain.state
    if (ownership !== 'proven' || isAsPlanned(serving, isPaid)) continue
    await applyEvent(session, domain, { type: 'plan', at: now, isPaid })
  }
}
