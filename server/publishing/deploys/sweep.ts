// What was removed goes bit by bit, in short transactions, and can be gone on with after a crash: first the
// files of a removed deploy, then its row.
import { type Database, each } from '../../platform/database/database.ts'
import { lockPublishing } from '../database/publishing-state.ts'
import { prepareQuery } from '../database/tables.ts'
import { removeFiles } from './site-files.ts'

const nextRemoved = prepareQuery()((db) =>
  db.selectFrom('deploys').select(['project_id', 'number']).where('state', '=', 'removed').limit(1),
)
const deleteDeploy = prepareQuery<{ project: string; number: number }>()((db, param) =>
  db
    .deleteFrom('deploys')
    .where('project_id', '=', param('project'))
    .where('number', '=', param('number'))
    .where('state', '=', 'removed'),
)
const deletion = each(async (session, place: { project: string; number: number }) => {
  await lockPublishing(session)
  await session.all(deleteDeploy, place)
})

/** Sweeps all removed deploys away. */
export async function sweepRemoved(database: Database): Promise<void> {
  for (;;) {
    const [removed] = await database.read.all(nextRemoved, {})
    if (!removed) return
    const { number, project_id: project } = removed
    await removeFiles(database, project, Number(number))
    await database.write(deletion, { project, number: Number(number) })
  }
}
