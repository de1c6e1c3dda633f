// Whether a session of the dashboard is open and its account has a role in a project: read for each request, so that
// the end of either takes effect at once on every node.
import { findOne, type Session } from '#kit/database/database.ts'
import { prepareQuery } from '../database/tables.ts'
import { roleIn } from '../projects/project-roles.ts'

const roleOfSession = prepareQuery<{ session: string; project: string; now: number }>()(
  (db, param) =>
    db
      .selectFrom('sessions')
      .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
      .innerJoin('projects', (join) => join.on('projects.id', '=', param('project')))
      .leftJoin('project_members', (join) =>
        join
          .onRef('project_members.project_id', '=', 'projects.id')
          .onRef('project_members.account_id', '=', 'accounts.id'),
      )
      .select(['accounts.id', 'accounts.role', 'projects.owner_id'])
      .select('project_members.role as member_role')
      .where('sessions.id', '=', param('session'))
      .where('sessions.ended_at', 'is', null)
      .where('sessions.expires_at', '>', param('now')),
)

export async function isSessionOfMember(
  read: Session,
  session: string,
  project: string,
  now: number,
): Promise<boolean> {
  const row = await findOne(read, roleOfSession, { session, project, now })
  return row !== undefined && roleIn(row, row.owner_id, row.member_role) !== undefined
}
