// What the pages ask about all accounts and invitations, and what operators let happen to them.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Account, Invitation } from '../../server/platform/accounts/schema.ts'
import type { Plan, Role } from '../../server/platform/management/caller.ts'
import { ask, path } from '../platform/api.ts'
import { accountQuery } from '../platform/session.ts'

export type { Account, Invitation, Plan, Role }
export interface IssuedLink {
  link: string
  expiresAt: string
}

const accountsKey = ['members', 'accounts']
const invitationsKey = ['members', 'invitations']

export function useAccounts() {
  return useInfiniteQuery({
    queryKey: accountsKey,
    queryFn: ({ pageParam }) =>
      ask<{ items: Account[]; next: string | null }>(
        `GET /accounts?limit=50${pageParam && `&after=${encodeURIComponent(pageParam)}`}`,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
}

export interface StandingChange {
  id: string
  role?: Role
  plan?: Plan
}

export function useChangeStanding() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, ...body }: StandingChange) =>
      ask<Account>(path`PATCH /accounts/${id}`, { body }),
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: accountsKey })
      // Who changes his own role sees other pages.
      await client.invalidateQueries({ queryKey: accountQuery.queryKey })
    },
  })
}

export function useRemoveAccount() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => ask(path`DELETE /accounts/${id}`),
    onSuccess: () => client.invalidateQueries({ queryKey: accountsKey }),
  })
}

export function usePasswordLink() {
  return useMutation({
    mutationFn: (id: string) => ask<IssuedLink>(path`POST /accounts/${id}/password-link`),
    gcTime: 0,
  })
}

export function useInvitations() {
  return useQuery({
    queryKey: invitationsKey,
    queryFn: () => ask<{ items: Invitation[] }>('GET /invitations'),
  })
}

export interface InvitationInput {
  email?: string
  role: Role
  plan: Plan
}

export function useInvite() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: InvitationInput) => ask<IssuedLink>('POST /invitations', { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: invitationsKey }),
    gcTime: 0,
  })
}

export function useRevokeInvitation() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => ask(path`DELETE /invitations/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: invitationsKey }),
  })
}
