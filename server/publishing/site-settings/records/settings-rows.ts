// The stored settings of sites. A build reads them when it begins.
import { findOne, type Session } from '#kit/database/database.ts'
import { prepareQuery } from '../../database/tables.ts'
import { parseStored } from './parse-stored.ts'
import type { SiteSettings } from './schema.ts'

const ofProject = prepareQuery<{ project: string }>()((db, param) =>
  db.selectFrom('site_settings').select('settings').where('project_id', '=', param('project')),
)
const upsert = prepareQuery<{ project: string; settings: string; now: number }>()((db, param) => {
  const saved = { settings: param('settings'), changed_at: param('now') }
  return db
    .insertInto('site_settings')
    .values({ ...saved, project_id: param('project') })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(saved))
})

export async function findSiteSettings(session: Session, project: string): Promise<SiteSettings> {
  return parseStored((await findOne(session, ofProject, { project }))?.settings)
}

/** Inside a write. */
export async function saveSiteSettings(
  session: Session,
  project: string,
  settings: SiteSettings,
  now: number,
): Promise<void> {
  await session.all(upsert, { project, settings: JSON.stringify(settings), now })
}
