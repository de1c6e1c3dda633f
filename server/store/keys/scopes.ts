// What an API key may do. A key without a list of its own may do everything there is.

export const scopes = ['pets:read', 'pets:write', 'orders:read', 'orders:write'] as const
export type Scope = (typeof scopes)[number]

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text)
}
