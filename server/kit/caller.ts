// The caller of the management API: an account, by session or access token, and what an access token may be allowed to do. A
// session may do everything its account may.

export const roles = ['operator', 'member'] as const
export type Role = (typeof roles)[number]
export const plans = ['free', 'paid'] as const
export type Plan = (typeof plans)[number]

export interface Account {
  id: string
  email: string
  name: string
  role: Role
  plan: Plan
  /** Milliseconds since the epoch. */
  createdAt: number
}

export interface Caller {
  account: Account
  by:
    | {
        kind: 'session'
        id: string
        /** It may only add the second factor that the operator requires. */
        isRestricted: boolean
      }
    /** On the server itself, without an account. */
    | { kind: 'command_line'; id: string }
    | {
        kind: 'token'
        id: string
        scopes: ReadonlySet<GrantedScope>
        /** Of a deploy token: the only project that it has access to. */
        projectId: string | undefined
      }
}

export const tokenScopes = [
  'projects:read',
  'projects:write',
  'deploys:write',
  'domains:write',
  'store:read',
  'store:write',
] as const
export type TokenScope = (typeof tokenScopes)[number]

/**
 * What a deploy token has instead: deploying to its one project, managing its previews, and reading both. It is a scope of
 * its own, so that a process of a version without deploy tokens refuses them instead of giving them every project.
 */
export const deployScope = 'project:deploy' as const

/** What a site token has instead: reading the site of its one project, at the hosts of the site and nowhere else. */
export const siteScope = 'site:read' as const

export const projectScopes = [deployScope, siteScope] as const
export type ProjectScope = (typeof projectScopes)[number]

export const grantedScopes = [...tokenScopes, ...projectScopes] as const
export type GrantedScope = (typeof grantedScopes)[number]

export function isGrantedScope(text: string): text is GrantedScope {
  return grantedScopes.some((scope) => scope === text)
}
