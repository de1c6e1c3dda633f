// The deploys of a project, newest first.
import type { Session } from '../../platform/database/database.ts'
import { prepareQuery } from '../database/tables.ts'
import { deployColumns, deployOf } from './records/deploy-row.ts'
import type { Deploy } from './records/schema.ts'

const page = prepareQuery<{ project: string; before: number; most: number }>()((db, param) =>
  db
    .selectFrom('deploys')
    .select(deployColumns)
    .where('project_id', '=', param('project'))
    .where('number', '<', param('before'))
    .where('state', 'not in', ['receiving', 'removed'])
    .orderBy('number', 'desc')
    .limit(param('most')),
)

/** At most `most` deploys whose number is smaller than `before`. */
export async function listDeploys(
  session: Session,
  projectId: string,
  before: number,
  most: number,
): Promise<Deploy[]> {
  return (await session.all(page, { project: projectId, before, most })).map(deployOf)
}
