// Whether an account owns projects. Such an account cannot be deleted.
import { findOne, type Session } from '../../platform/database/database.ts'
import { prepareQuery } from '../database/tables.ts'

const oneOfOwner = prepareQuery<{ owner: string }>()((db, param) =>
  db.selectFrom('projects').select('id').where('owner_id', '=', param('owner')).limit(1),
)

export async function ownsProjects(session: Session, accountId: string): Promise<boolean> {
  return (await findOne(session, oneOfOwner, { owner: accountId })) !== undefined
}
