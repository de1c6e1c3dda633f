// The scopes of API keys. A key without a list of scopes has all of them.

export const scopes = ['pets:read', 'pets:write', 'orders:read', 'orders:write'] as const
export type Scope = (typeof scopes)[number]

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text)
}
