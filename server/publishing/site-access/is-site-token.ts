// Whether an access token lets programs read the site of a project: read for each request, so that its end, and that of the
// role of its account, take effect at once on every node.
import { findToken, recordUse } from '#accounts/access-tokens.ts'
import { type Database, findOne } from '#kit/database/database.ts'
import { siteScope } from '#kit/management/token-scopes.ts'
import { prepareQuery } from '../database/tables.ts'
import { isPermitted, roleIn } from '../projects/project-roles.ts'

const roleOfAccount = prepareQuery<{ account: string; project: string }>()((db, param) =>
  db
    .selectFrom('projects')
    .leftJoin('project_members', (join) =>
      join
        .onRef('project_members.project_id', '=', 'projects.id')
        .on('project_members.account_id', '=', param('account')),
    )
    .select(['projects.owner_id', 'project_members.role as member_role'])
    .where('projects.id', '=', param('project')),
)

/** Records that it was used. */
export async function isSiteToken(
  database: Database,
  text: string,
  project: string,
  now: number,
): Promise<boolean> {
  const found = await findToken(database.read, text)
  if (!found) return false
  const { account, token } = found
  const isOfSite = token.projectId === project && token.scopes.includes(siteScope)
  if (!isOfSite || token.expiresAt <= now) return false
  const row = await findOne(database.read, roleOfAccount, { account: account.id, project })
  const role = row && roleIn(account, row.owner_id, row.member_role)
  if (!role || !isPermitted(role, 'own')) return false
  // The time of last use is only informative: the request must not fail if it cannot be saved.
  await recordUse(database, token, now).catch(() => {})
  return true
}
