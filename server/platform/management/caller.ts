// Who calls the management API, and by what.
import type { TokenScope } from './token-scopes.ts'

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
    | { kind: 'token'; id: string; scopes: ReadonlySet<TokenScope> }
}

/** Who may see and change what belongs to an account: itself, and any operator. Null is the operators' own. */
export function mayActFor(caller: Caller, accountId: string | null): boolean {
  return caller.account.role === 'operator' || caller.account.id === accountId
}
