// The operations of operators: accounts of others, invitations and password links.

import { originOf } from '#kit/audit/record-audit.ts'
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
    async handle(call, { clock, database }) {
      const change = { id: call.params.accountId, ...call.body }
      return wireAccount(await changeStanding(database, change, originOf(call, clock())))
    },
  }),
  route('DELETE /accounts/{accountId}', 'removeAccount', {
    summary: 'Remove an account that owns no projects',
    errors: ['account_not_found', 'conflict'],
    async handle(call, context) {
      const { clock, database } = context
      const origin = originOf(call, clock())
      await removeAccount(database, call.params.accountId, context.ownsProjects, origin)
    },
  }),
  route('POST /accounts/{accountId}/password-link', 'createPasswordLink', {
    summary: 'Create a password reset link for an account',
    description: 'Works once and expires after 24 hours. Earlier links stop working.',
    status: 201,
    returns: IssuedLink,
    errors: ['account_not_found'],
    async handle(call, { clock, dashboardUrl, database }) {
      const origin = originOf(call, clock())
      const link = await createPasswordLink(database, call.params.accountId, origin)
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
    async handle(call, { clock, dashboardUrl, database }) {
      const { email: typed, plan = 'free', role = 'member' } = call.body
      const email = readEmail(typed, 'email')
      // Operators see all accounts anyway.
      if (await findAccountByEmail(database.read, email.key)) throw emailTaken()
      const newInvitation = { email: email.text, role, plan }
      const made = await createInvitation(database, newInvitation, originOf(call, clock()))
      const link = linkAddress(dashboardUrl, 'invitation', made.token)
      return { ...wireInvitation(made.link), link }
    },
  }),
  route('DELETE /invitations/{invitationId}', 'revokeInvitation', {
    summary: 'Revoke an invitation',
    errors: ['invitation_not_found'],
    async handle(call, { clock, database }) {
      await revokeInvitation(database, call.params.invitationId, originOf(call, clock()))
    },
  }),
] as const
