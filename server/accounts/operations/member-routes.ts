// The operations of operators: accounts of others, invitations and password links.

import { toTimestamp } from '#kit/clock.ts'
import { routesOf } from '#kit/management/route.ts'
import { toPage } from '#kit/schema/described-schema.ts'
import type { AccountContext } from '../people/account-context.ts'
import {
  changeStanding,
  createPasswordLink,
  emailTaken,
  findAccountByEmail,
  listAccounts,
  removeAccount,
} from '../people/accounts.ts'
import {
  createInvitation,
  linkAddress,
  listInvitations,
  revokeInvitation,
} from '../people/links.ts'
import {
  Account,
  AccountStanding,
  Accounts,
  Invitations,
  IssuedInvitation,
  IssuedLink,
  ListAccountsQuery,
  NewInvitation,
  wireAccount,
  wireInvitation,
} from '../people/schema.ts'
import { readEmail } from '../sign-in/sign-in.ts'

const route = routesOf<AccountContext>({ tag: 'members', access: 'operator' })

export const memberRoutes = [
  route('GET /accounts', 'listAccounts', {
    summary: 'List all accounts',
    query: ListAccountsQuery,
    returns: Accounts,
    async handle({ query: { after = '', limit, text } }, { database }) {
      const accounts = await listAccounts(database.read, after, limit + 1, text)
      return toPage(accounts, limit, 'id', wireAccount)
    },
  }),
  route('PATCH /accounts/{accountId}', 'changeStanding', {
    summary: 'Change the plan or the role of an account',
    body: AccountStanding,
    returns: Account,
    errors: ['account_not_found', 'conflict'],
    async handle({ body, origin, params }, { database }) {
      const change = { id: params.accountId, ...body }
      return wireAccount(await changeStanding(database, change, origin))
    },
  }),
  route('DELETE /accounts/{accountId}', 'removeAccount', {
    summary: 'Remove an account that owns no projects',
    errors: ['account_not_found', 'conflict'],
    async handle({ origin, params }, { database, ownsProjects }) {
      await removeAccount(database, params.accountId, ownsProjects, origin)
    },
  }),
  route('POST /accounts/{accountId}/password-link', 'createPasswordLink', {
    summary: 'Create a password reset link for an account',
    description: 'Works once and expires after 24 hours. Earlier links stop working.',
    status: 201,
    returns: IssuedLink,
    errors: ['account_not_found'],
    async handle({ origin, params }, { dashboardUrl, database }) {
      const link = await createPasswordLink(database, params.accountId, origin)
      return {
        link: linkAddress(dashboardUrl, 'password', link.token),
        expiresAt: toTimestamp(link.link.expiresAt),
      }
    },
  }),
  route('GET /invitations', 'listInvitations', {
    summary: 'List pending invitations',
    returns: Invitations,
    handle: async (_, { clock, database }) => ({
      items: (await listInvitations(database.read, clock())).map(wireInvitation),
    }),
  }),
  route('POST /invitations', 'createInvitation', {
    summary: 'Create an invitation link',
    description: 'Works once and expires after 7 days.',
    body: NewInvitation,
    status: 201,
    returns: IssuedInvitation,
    errors: ['email_taken', 'limit_reached'],
    async handle({ body, origin }, { dashboardUrl, database }) {
      const { email: typed, plan = 'free', role = 'member' } = body
      const email = readEmail(typed, 'email')
      // Operators see all accounts anyway.
      if (await findAccountByEmail(database.read, email.key)) throw emailTaken()
      const newInvitation = { email: email.text, role, plan }
      const made = await createInvitation(database, newInvitation, origin)
      const link = linkAddress(dashboardUrl, 'invitation', made.token)
      return { ...wireInvitation(made.link), link }
    },
  }),
  route('DELETE /invitations/{invitationId}', 'revokeInvitation', {
    summary: 'Revoke an invitation',
    errors: ['invitation_not_found'],
    async handle({ origin, params }, { database }) {
      await revokeInvitation(database, params.invitationId, origin)
    },
  }),
] as const
