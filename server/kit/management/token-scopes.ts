// What an access token may be allowed to do. A session may do everything its account may.

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
