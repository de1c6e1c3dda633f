// Domains follow the owner of their project and the owner's plan. A project's new owner holds its domains, with what has
// been proven. Domains are suspended without the paid plan and resumed with it: at a transfer at once, otherwise
// regularly for all domains, because plans change elsewhere without notice.

import type { Plan } from '#kit/caller.ts'
import { type Database, findOne, type Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { prepare, prepareQuery } from '#publishing/database/tables.ts'
import { applyEvent } from '../database/apply-event.ts'
import { operators, platformHolder } from '../database/domain-row.ts'
import { findDomainById, findDomainOfHolder, listDomains } from '../database/find-domains.ts'

const setHolder = prepare.update(
  'domains',
  { holder: 'holder', turn_owner: 'holder' },
  { project_id: 'project' },
)

/**
 * What the transfer of a project to another account does to its domains. `suspended`: hosts for which the account has no
 * paid plan. `taken`: hosts that another project of the account has, too.
 */
export async function findDomainsInTransfer(
  session: Session,
  projectId: string,
  to: { id: string; plan: Plan },
): Promise<{ suspended: string[]; taken: string[] }> {
  const suspended: string[] = []
  const conflicts: string[] = []
  for (const { host, state } of await listDomains(session, projectId)) {
    const own = await findDomainOfHolder(session, host, to.id)
    if (own && own.projectId !== projectId) conflicts.push(host)
    const isSuspended = to.plan !== 'paid' && state.ownership === 'proven'
    if (isSuspended && state.serving !== 'suspended') suspended.push(host)
  }
  return { suspended, taken: conflicts }
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

/** A batch small enough not to delay other queries. */
const atOnce = 500

const provenDomains = prepareQuery<{
  after: string
  operators: string
  platform: string
  max: number
}>()((db, param) =>
  db
    .selectFrom('domains')
    .leftJoin('accounts', 'accounts.id', 'domains.holder')
    .select(['domains.id as id', 'domains.serving as serving', 'accounts.plan as plan'])
    .where('domains.id', '>', param('after'))
    .where('domains.ownership', '=', 'proven')
    .where('domains.holder', '!=', param('operators'))
    .where('domains.holder', '!=', param('platform'))
    .orderBy('domains.id')
    .limit(param('max')),
)
const planOfHolder = prepare.select('accounts', ['plan'], { id: 'holder' })

/** Suspends or resumes domains whose state does not match the holder's plan. */
export async function suspendUnpaidDomains(database: Database, now: number): Promise<void> {
  let after = ''
  for (;;) {
    const query = { after, operators, platform: platformHolder, max: atOnce }
    const rows = await database.read.all(provenDomains, query)
    const wrong = rows.filter(({ plan, serving }) => !isAsPlanned(serving, plan === 'paid'))
    await Promise.all(wrong.map(({ id }) => applyPlan(database, { id, now })))
    if (rows.length < atOnce) return
    after = rows.at(-1)?.id ?? ''
  }
}

const applyPlan = locked(
  async (session, { id, now }: { id: string; now: number }): Promise<void> => {
    const domain = await findDomainById(session, id)
    if (!domain) return
    const account = await findOne(session, planOfHolder, { holder: domain.holder })
    const isPaid = account?.plan === 'paid'
    if (isAsPlanned(domain.state.serving, isPaid)) return
    await applyEvent(session, domain, { type: 'plan', at: now, isPaid })
  },
)

/** Whether a proven domain is served as the plan of its holder says. */
function isAsPlanned(serving: string, isPaid: boolean): boolean {
  return isPaid === (serving !== 'suspended')
}
