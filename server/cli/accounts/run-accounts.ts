// What the accounts commands do: straight on the database, with the server running or not.
import {
  changeStanding,
  findAccountByEmail,
  listAccounts,
  type StoredAccount,
} from '../../platform/accounts/accounts.ts'
import { type EmailAddress, parseEmail } from '../../platform/accounts/email-address.ts'
import { createInvitation, linkAddress } from '../../platform/accounts/links.ts'
import { makePasswordLink } from '../../platform/accounts/password-link.ts'
import { wireAccount, wireTime } from '../../platform/accounts/wire.ts'
import type { Database } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import {
  type Account,
  type Plan,
  plans,
  type Role,
  roles,
} from '../../platform/management/caller.ts'
import { CommandError, type Input, print, UsageError } from '../command-line/command.ts'
import { columns } from '../command-line/help.ts'
import { onPublishing } from '../command-line/on-publishing.ts'

const pageSize = 500

export async function list(input: Input): Promise<number> {
  const accounts = await onPublishing(listAll)
  const rows = accounts.map(({ createdAt, email, id, name, plan, role }) => [
    id,
    email,
    role,
    plan,
    wireTime(createdAt).slice(0, 10),
    name,
  ])
  const table = columns([['ID', 'E-MAIL', 'ROLE', 'PLAN', 'CREATED', 'NAME'], ...rows]).trimEnd()
  const empty = 'No accounts yet: serve prints the link that makes the first.'
  print(input, accounts.map(wireAccount), accounts.length === 0 ? empty : table)
  return 0
}

export async function invite(input: Input): Promise<number> {
  const { email: typed, plan: planText = 'free', role: roleText = 'member' } = input.options
  const email = typed === undefined ? undefined : readEmail(typed, '--email')
  const role = readChoice<Role>(roles, roleText, '--role')
  const plan = readChoice<Plan>(plans, planText, '--plan')
  const made = await onPublishing(async (database, { dashboardUrl }) => {
    if (email && (await findAccountByEmail(database.read, email.key)))
      throw new CommandError(`there is an account with the address ${email.text} already`)
    const invitation = { email: email?.text, role, plan }
    const outcome = await createInvitation(database, invitation, Date.now())
    if (outcome instanceof AppError) throw new CommandError(outcome.message)
    const { link, token } = outcome
    const address = linkAddress(dashboardUrl, 'invitation', token)
    return { link: address, expiresAt: wireTime(link.expiresAt), role, plan: link.plan }
  })
  print(input, { ...made, email: email?.text ?? null }, made.link)
  return 0
}

export async function setPlan(input: Input): Promise<number> {
  const [typed = '', planText = ''] = input.operands
  const plan = readChoice<Plan>(plans, planText, 'the plan')
  const account = await onPublishing(async (database) => {
    const { id } = await getAccount(database, typed)
    const outcome = await changeStanding(database, { id, plan })
    if (outcome instanceof AppError) throw new CommandError(outcome.message)
    return outcome
  })
  print(input, wireAccount(account), `${account.email} has the plan ${account.plan}.`)
  return 0
}

export async function reset(input: Input): Promise<number> {
  const made = await onPublishing(async (database, { dashboardUrl }) => {
    const { id } = await getAccount(database, input.operands[0] ?? '')
    const outcome = await makePasswordLink(database, id, undefined, Date.now())
    if (!outcome) throw unknownAccount(input.operands[0] ?? '')
    const { link, token } = outcome
    const address = linkAddress(dashboardUrl, 'password', token)
    return { link: address, expiresAt: wireTime(link.expiresAt) }
  })
  print(input, made, made.link)
  return 0
}

/** The account with an address. Throws CommandError when there is none. */
export async function getAccount(database: Database, typed: string): Promise<StoredAccount> {
  const account = await findAccountByEmail(database.read, readEmail(typed, 'the e-mail').key)
  if (!account) throw unknownAccount(typed)
  return account
}

async function listAll(database: Database): Promise<Account[]> {
  const accounts: Account[] = []
  for (;;) {
    const page = await listAccounts(database.read, accounts.at(-1)?.id ?? '', pageSize)
    accounts.push(...page)
    if (page.length < pageSize) return accounts
  }
}

function readEmail(typed: string, what: string): EmailAddress {
  const email = parseEmail(typed)
  if (!email) throw new UsageError(`${what} accepts an address such as rosa@example.com`)
  return email
}

function readChoice<Choice extends string>(
  choices: readonly Choice[],
  text: string,
  what: string,
): Choice {
  const choice = choices.find((known) => known === text)
  if (choice === undefined) throw new UsageError(`${what} accepts ${choices.join(' or ')}`)
  return choice
}

function unknownAccount(typed: string): CommandError {
  return new CommandError(`there is no account with the address ${typed}`)
}
