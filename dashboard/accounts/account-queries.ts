// What the pages ask about the own account, and what they let happen to it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AccessToken, Account, Session } from '../../server/platform/accounts/schema.ts'
import { ask, path } from '../platform/api.ts'
import { accountQuery } from '../platform/session.ts'

export type { AccessToken, Session }
export type IssuedToken = AccessToken & { token: string }

const sessionsKey = ['account', 'sessions']
const tokensKey = ['account', 'tokens']

export interface ProfileChange {
  name?: string
  email?: string
  currentPassword?: string
}

export function useChangeProfile() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: ProfileChange) => ask<Account>('PATCH /account', { body }),
    onSuccess: (account) => client.setQueryData(accountQuery.queryKey, account),
  })
}

export interface PasswordChange {
  currentPassword: string
  newPassword: string
}

export function useChangePassword() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: PasswordChange) => ask('PUT /account/password', { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionsKey }),
    // Passwords are not remembered.
    gcTime: 0,
  })
}

export function useSessions() {
  return useQuery({
    queryKey: sessionsKey,
    queryFn: () => ask<{ items: Session[] }>('GET /account/sessions'),
  })
}

/** One session by its id; all others without one. */
export function useEndSession() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string | undefined) =>
      ask(id === undefined ? 'DELETE /account/sessions' : path`DELETE /account/sessions/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: sessionsKey }),
  })
}

export function useTokens() {
  return useQuery({
    queryKey: tokensKey,
    queryFn: () => ask<{ items: AccessToken[] }>('GET /account/tokens'),
  })
}

export interface TokenInput {
  label: string
  scopes: string[]
  expiresInDays: number
}

export function useCreateToken() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: TokenInput) => ask<IssuedToken>('POST /account/tokens', { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: tokensKey }),
    // A token that was shown is not remembered.
    gcTime: 0,
  })
}

export function useRevokeToken() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => ask(path`DELETE /account/tokens/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: tokensKey }),
  })
}
