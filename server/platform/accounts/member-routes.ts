// Routes for operators: accounts of others, invitations and password links.
import { AppError } from '../errors.ts'
import { type Route, route } from '../management/route.ts'
import type { AccountContext } from './account-context.ts'
import {
  accountNotFound,
  changeStanding,
  createPasswordLink,
  emailTaken,
  findAccountByEmail,
  listAccounts,
  removeAccount,
} from './accounts.ts'
import { createInvitation, linkAddress, listInvitations, revokeInvitation } from './links.ts'
import { memberOperations } from './operations.ts'
import { readEmail } from './sign-in.ts'
import { wireAccount, wireInvitation, wireTime } from './wire.ts'

export function memberRoutes(context: AccountContext): Route[] {
  const { clock, dashboardUrl, database } = context
  return [
    route(memberOperations.listAccounts, async ({ query: { after = '', limit } }) => {
      const accounts = await listAccounts(database.read, after, limit + 1)
      const items = accounts.slice(0, limit)
      const next = accounts.length > limit ? (items.at(-1)?.id ?? null) : null
      return { items: items.map(wireAccount), next }
    }),

    route(memberOperations.changeStanding, async ({ body, params }) => {
      const outcome = await changeStanding(database, { id: params.accountId, ...body })
      if (outcome instanceof AppError) throw outcome
      return wireAccount(outcome)
    }),

    route(memberOperations.removeAccount, async ({ params }) => {
      const refusal = await removeAccount(database, params.accountId, context.ownsProjects)
      if (refusal) throw refusal
      return undefined
    }),

    route(memberOperations.createPasswordLink, async ({ caller, params }) => {
      const createdBy = caller.account.id
      const made = await createPasswordLink(database, params.accountId, createdBy, clock())
      if (!made) throw accountNotFound()
      return {
        link: linkAddress(dashboardUrl, 'password', made.token),
        expiresAt: wireTime(made.link.expiresAt),
      }
    }),

    route(memberOperations.listInvitations, async () => ({
      items: (await listInvitations(database.read, clock())).map(wireInvitation),
    })),

    route(memberOperations.createInvitation, async ({ body, caller }) => {
      const { email: typed, plan = 'free', role = 'member' } = body
      const email = typed === undefined ? undefined : readEmail(typed, 'email')
      // Operators see all accounts anyway.
      if (email && (await findAccountByEmail(database.read, email.key))) throw emailTaken()
      const wanted = { email: email?.text, role, plan, createdBy: caller.account.id }
      const made = await createInvitation(database, wanted, clock())
      if (made instanceof AppError) throw made
      const link = linkAddress(dashboardUrl, 'invitation', made.token)
      return { ...wireInvitation(made.link), link }
    }),

    route(memberOperations.revokeInvitation, async ({ params }) => {
      if (!(await revokeInvitation(database, params.invitationId, clock())))
        throw new AppError('invitation_not_found', 'Invitation not found.')
      return undefined
    }),
  ]
}
