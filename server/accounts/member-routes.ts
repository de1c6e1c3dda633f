// Routes for operators: accounts of others, invitations and password links.
import { originOf } from '#kit/audit/record-audit.ts'
import { AppError } from '#kit/errors.ts'
import { type Route, route } from '#kit/management/route.ts'
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
    route(memberOperations.listAccounts, async ({ query: { after = '', limit, text } }) => {
      const accounts = await listAccounts(database.read, after, limit + 1, text)
      const items = accounts.slice(0, limit)
      const next = accounts.length > limit ? (items.at(-1)?.id ?? null) : null
      return { items: items.map(wireAccount), next }
    }),

    route(memberOperations.changeStanding, async (call) => {
      const change = { id: call.params.accountId, ...call.body }
      const outcome = await changeStanding(database, change, originOf(call, clock()))
      if (outcome instanceof AppError) throw outcome
      return wireAccount(outcome)
    }),

    route(memberOperations.removeAccount, async (call) => {
      const origin = originOf(call, clock())
      const { accountId } = call.params
      const refusal = await removeAccount(database, accountId, context.ownsProjects, origin)
      if (refusal) throw refusal
      return undefined
    }),

    route(memberOperations.createPasswordLink, async (call) => {
      const origin = originOf(call, clock())
      const made = await createPasswordLink(database, call.params.accountId, origin)
      if (!made) throw accountNotFound()
      return {
        link: linkAddress(dashboardUrl, 'password', made.token),
        expiresAt: wireTime(made.link.expiresAt),
      }
    }),

    route(memberOperations.listInvitations, async () => ({
      items: (await listInvitations(database.read, clock())).map(wireInvitation),
    })),

    route(memberOperations.createInvitation, async (call) => {
      const { email: typed, plan = 'free', role = 'member' } = call.body
      const email = readEmail(typed, 'email')
      // Operators see all accounts anyway.
      if (await findAccountByEmail(database.read, email.key)) throw emailTaken()
      const wanted = { email: email.text, role, plan }
      const made = await createInvitation(database, wanted, originOf(call, clock()))
      if (made instanceof AppError) throw made
      const link = linkAddress(dashboardUrl, 'invitation', made.token)
      return { ...wireInvitation(made.link), link }
    }),

    route(memberOperations.revokeInvitation, async (call) => {
      const origin = originOf(call, clock())
      if (!(await revokeInvitation(database, call.params.invitationId, origin)))
        throw new AppError('invitation_not_found', 'Invitation not found.')
      return undefined
    }),
  ]
}
