// Runs the accounts commands on the local database, with or without a running server.
import {
  changeAccount,
  changeStanding,
  createPasswordLink,
  findAccountByEmail,
  listAccounts,
  type StoredAccount,
} from '#accounts/accounts.ts'
import { type EmailAddress, parseEmail } from '#accounts/email-address.ts'
import { createInvitation, linkAddress } from '#accounts/links.ts'
import { removeSecondFactor } from '#accounts/second-factor.ts'
import { wireAccount, wireTime } from '#accounts/wire.ts'
import { nameOfHost } from '#domains/api/domain-response.ts'
import { listDomainsOfOwner } from '#domains/database/find-domains.ts'
import { commandLineOrigin } from '#kit/audit/record-audit.ts'
import type { Database } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { type Account, plans, roles } from '#kit/management/caller.ts'
import { CommandError, type Input, print, readChoice, UsageError } from '../command-line/command.ts'
import { columns } from '../command-line/help.ts'
import { withPublishing } from '../command-line/local-database.ts'

const pageSize = 500
/** The most domains that are named when a plan ends. */
const maxHosts = 100

export async function list(input: Input): Promise<undefined> {
  const accounts = await withPublishing(listAll)
  const rows = accounts.map(({ createdAt, email, id, name, plan, role }) => [
    id,
    email,
    role,
    plan,
    wireTime(createdAt).slice(0, 10),
    name,
  ])
  const table = columns([['ID', 'EMAIL', 'ROLE', 'PLAN', 'CREATED', 'NAME'], ...rows]).trimEnd()
  const empty = 'No accounts yet. serve prints the link to create the first one.'
  print(input, accounts.map(wireAccount), accounts.length === 0 ? empty : table)
}

export async function invite(input: Input): Promise<undefined> {
  const { email: typed = '', plan: planText = 'free', role: roleText = 'member' } = input.options
  const email = readEmail(typed, '--email')
  const role = readChoice(roles, roleText, '--role')
  const plan = readChoice(plans, planText, '--plan')
  const made = await withPublishing(async (database, { dashboardUrl }) => {
    if (await findAccountByEmail(database.read, email.key))
      throw new CommandError(`an account with the email address ${email.text} already exists`)
    const invitation = { email: email.text, role, plan }
    const outcome = await createInvitation(database, invitation, commandLineOrigin(Date.now()))
    if (outcome instanceof AppError) throw new CommandError(outcome.message)
    const { link, token } = outcome
    const address = linkAddress(dashboardUrl, 'invitation', token)
    return { link: address, expiresAt: wireTime(link.expiresAt), role, plan: link.plan }
  })
  print(input, { ...made, email: email.text }, made.link)
}

export async function setPlan(input: Input): Promise<undefined> {
  const [typed = '', planText = ''] = input.operands
  const plan = readChoice(plans, planText, 'the plan')
  let served: { host: string; slug: string }[] = []
  const account = await withPublishing(async (database) => {
    const { id } = await getAccount(database, typed)
    const domains = await listDomainsOfOwner(database.read, id, { host: '', id: '', max: maxHosts })
    const outcome = await changeStanding(database, { id, plan }, commandLineOrigin(Date.now()))
    if (outcome instanceof AppError) throw new CommandError(outcome.message)
    if (outcome.plan === 'free')
      served = domains.filter(({ serving }) => serving.startsWith('http'))
    return outcome
  })
  const lines = [`${account.email} is on the ${account.plan} plan now.`]
  if (served.length > 0) {
    lines.push(
      'The free plan has no custom domains. These are suspended; their names stay reserved:',
      ...served.map(({ host, slug }) => `  ${nameOfHost(host).unicodeHost} of ${slug}`),
      ...(served.length === maxHosts ? ['  and perhaps more'] : []),
      `To serve them again: animal-store accounts plan ${account.email} paid`,
    )
  }
  print(input, wireAccount(account), lines.join('\n'))
}

/** At once, without a mail: for servers that send none, and for owners who do not receive mail at the old address. */
export async function setEmail(input: Input): Promise<undefined> {
  const [typed = '', wanted = ''] = input.operands
  const email = readEmail(wanted, '<new-email>')
  const account = await withPublishing(async (database) => {
    const { id } = await getAccount(database, typed)
    const outcome = await changeAccount(database, id, { email }, commandLineOrigin(Date.now()))
    if (outcome instanceof AppError) throw new CommandError(outcome.message)
    return outcome
  })
  print(input, wireAccount(account), `The account signs in with ${account.email} now.`)
}

export async function reset(input: Input): Promise<undefined> {
  const made = await withPublishing(async (database, { dashboardUrl }) => {
    const { id } = await getAccount(database, input.operands[0] ?? '')
    const outcome = await createPasswordLink(database, id, commandLineOrigin(Date.now()))
    if (!outcome) throw unknownAccount(input.operands[0] ?? '')
    const { link, token } = outcome
    const address = linkAddress(dashboardUrl, 'password', token)
    return { link: address, expiresAt: wireTime(link.expiresAt) }
  })
  print(input, made, made.link)
}

export async function turnSecondFactorOff(input: Input): Promise<undefined> {
  const [typed = ''] = input.operands
  await withPublishing(async (database) => {
    const { id } = await getAccount(database, typed)
    const refusal = await removeSecondFactor(database, id, commandLineOrigin(Date.now()))
    if (refusal) throw new CommandError(`one-time codes are not on for ${typed}`)
  })
  print(input, { email: typed }, `One-time codes of ${typed} are off.`)
}

/** The account with an email address. Throws a CommandError where there is none. */
export async function getAccount(database: Database, typed: string): Promise<StoredAccount> {
  const account = await findAccountByEmail(database.read, readEmail(typed, '<email>').key)
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
  if (!email) throw new UsageError(`${what} accepts an email address such as rosa@example.com`)
  return email
}

function unknownAccount(typed: string): CommandError {
  return new CommandError(`there is no account with the email address ${typed}`)
}
