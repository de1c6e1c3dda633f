// The caller of the management API: an account, by session or access token.
import type { GrantedScope } from './token-scopes.ts'

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
