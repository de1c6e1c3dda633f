// The plan that bounds a project.

import { findOne, type Session } from '../../platform/database/database.ts'
import type { Plan } from '../../platform/management/caller.ts'
import { prepareQuery } from '../database/tables.ts'
import type { FoundProject } from './find-project.ts'

const planOfOwner = prepareQuery<{ id: string }>()((db, param) =>
  db.selectFrom('accounts').select('plan').where('id', '=', param('id')),
)

/** Its owner's. What the operators have in common is paid. */
export async function planOf(session: Session, project: FoundProject): Promise<Plan> {
  if (project.ownerId === null) return 'paid'
  const owner = await findOne(session, planOfOwner, { id: project.ownerId })
  return owner?.plan === 'paid' ? 'paid' : 'free'
}
