// The one place that says which role an account has in a project, what a role permits, and who may see a site.

import type { Kysely } from 'kysely'
import type { Account } from '#kit/caller.ts'
import type { PublishingTables } from '../database/tables.ts'

export const memberRoles = ['editor', 'viewer'] as const
export type MemberRole = (typeof memberRoles)[number]
/** `operator`: an operator who is not the owner. */
export const projectRoles = ['owner', 'operator', ...memberRoles] as const
export type ProjectRole = (typeof projectRoles)[number]

/** `own`: delete and transfer the project, and change its members. Each one includes those before it. */
const permissions = ['read', 'edit', 'own'] as const
export type ProjectPermission = (typeof permissions)[number]

const permissionOf: Record<ProjectRole, ProjectPermission> = {
  owner: 'own',
  operator: 'own',
  editor: 'edit',
  viewer: 'read',
}

/** `member`: the role in `project_members`, if there is a row. Undefined without access to the project. */
export function roleIn(
  { id, role }: Pick<Account, 'id' | 'role'>,
  ownerId: string | null,
  member: string | null,
): ProjectRole | undefined {
  if (ownerId === id) return 'owner'
  return role === 'operator' ? 'operator' : memberRoles.find((one) => one === member)
}

export function isPermitted(role: ProjectRole, permission: ProjectPermission): boolean {
  return permissions.indexOf(permissionOf[role]) >= permissions.indexOf(permission)
}

/** The ids of the projects that an account owns or is a member of. */
export function selectProjectsOf(db: Kysely<PublishingTables>, account: string | null) {
  return db
    .selectFrom('projects as owned')
    .select('owned.id')
    .where('owned.owner_id', '=', account)
    .unionAll(
      db
        .selectFrom('project_members as joined')
        .select('joined.project_id as id')
        .where('joined.account_id', '=', account),
    )
}

export const visibilities = ['public', 'password', 'members'] as const
export type Visibility = (typeof visibilities)[number]

/** Of a row. A value that this version does not know shows the site to members only. */
export function toVisibility(text: string): Visibility {
  return visibilities.find((one) => one === text) ?? 'members'
}
