// The queries and changes of the current account.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Answer, Body } from '../../client/management-client.ts'
import { call } from '../platform/api.ts'
import { accountQuery } from '../platform/use-account.ts'
import { useChange } from '../platform/use-change.ts'

export type AccessToken = Answer<'GET /account/tokens'>['items'][number]
export type TokenScope = AccessToken['scopes'][number]

const sessionsKey = ['account', 'sessions']
const tokensKey = ['account', 'tokens']

export function useChangeProfile() {
  const client = useQueryClient()
  return useChange(async (body: Body<'PATCH /account'>) => {
    const account = await call('PATCH /account', { body })
    client.setQueryData(accountQuery.queryKey, account)
    return account
  })
}

export const useChangePassword = () =>
  useChange(
    (body: Body<'PUT /account/password'>) => call('PUT /account/password', { body }),
    sessionsKey,
  )

export function useSessions() {
  return useQuery({ queryKey: sessionsKey, queryFn: () => call('GET /account/sessions') })
}

/** Ends one session by its id, or all others without one. */
export const useEndSession = () =>
  useChange(
    (id: string | undefined) =>
      id === undefined
        ? call('DELETE /account/sessions')
        : call('DELETE /account/sessions/{sessionId}', { params: { sessionId: id } }),
    sessionsKey,
  )

export function useTokens() {
  return useQuery({ queryKey: tokensKey, queryFn: () => call('GET /account/tokens') })
}

export const useCreateToken = () =>
  useChange(
    (body: Body<'POST /account/tokens'>) => call('POST /account/tokens', { body }),
    tokensKey,
  )

export const useRevokeToken = () =>
  useChange(
    (tokenId: string) => call('DELETE /account/tokens/{tokenId}', { params: { tokenId } }),
    tokensKey,
  )
