// What a personal access token may be allowed to do. A session may do everything its account may.

export const tokenScopes = [
  'projects:read',
  'projects:write',
  'deploys:write',
  'domains:write',
  'store:read',
  'store:write',
] as const
export type TokenScope = (typeof tokenScopes)[number]

export function isTokenScope(text: string): text is TokenScope {
  return tokenScopes.some((scope) => scope === text)
}
