// The queries and changes of all accounts and invitations, for operators.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Answer, Body } from '../../client/management-client.ts'
import { call } from '../platform/api.ts'
import type { Account } from '../platform/session.ts'
import { accountQuery } from '../platform/use-account.ts'
import { useChange } from '../platform/use-change.ts'

export type Invitation = Answer<'GET /invitations'>['items'][number]
export type Role = Account['role']
export type Plan = Account['plan']

const accountsKey = ['members', 'accounts']
const invitationsKey = ['members', 'invitations']

export function useAccounts() {
  return useInfiniteQuery({
    queryKey: accountsKey,
    queryFn: ({ pageParam: after }) => call('GET /accounts', { query: { limit: 50, after } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  })
}

/** Operators who change their own role see other pages, so the own account is fetched again. */
export const useChangeStanding = () =>
  useChange(
    ({ id: accountId, ...body }: Body<'PATCH /accounts/{accountId}'> & { id: string }) =>
      call('PATCH /accounts/{accountId}', { params: { accountId }, body }),
    accountsKey,
    accountQuery.queryKey,
  )

export const useDeleteAccount = () =>
  useChange(
    (accountId: string) => call('DELETE /accounts/{accountId}', { params: { accountId } }),
    accountsKey,
  )

export const useCreatePasswordLink = () =>
  useChange((accountId: string) =>
    call('POST /accounts/{accountId}/password-link', { params: { accountId } }),
  )

export function useInvitations() {
  return useQuery({ queryKey: invitationsKey, queryFn: () => call('GET /invitations') })
}

export const useInvite = () =>
  useChange(
    (body: Body<'POST /invitations'>) => call('POST /invitations', { body }),
    invitationsKey,
  )

export const useRevokeInvitation = () =>
  useChange(
    (invitationId: string) =>
      call('DELETE /invitations/{invitationId}', { params: { invitationId } }),
    invitationsKey,
  )
