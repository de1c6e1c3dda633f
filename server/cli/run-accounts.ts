// Runs the accounts and tokens commands on the local database, with or without a running server.

import {
  changeAccount,
  changeStanding,
  createPasswordLink,
  findAccountByEmail,
  listAccounts,
  type StoredAccount,
} from '#accounts/people/accounts.ts'
import { type EmailAddress, parseEmail } from '#accounts/people/email-address.ts'
import { createInvitation, linkAddress } from '#accounts/people/links.ts'
import { type ProjectName, wireAccount, wireToken } from '#accounts/people/schema.ts'
import {
  createToken,
  listTokens,
  longestTokenDays,
  maxTokens,
  revokeToken,
  revokeTokens,
  standardTokenDays,
} from '#accounts/sessions/access-tokens.ts'
import { removeSecondFactor } from '#accounts/sign-in/second-factor.ts'
import { nameOfHost } from '#domains/api/domain-response.ts'
import { listDomainPage } from '#domains/database/find-domains.ts'
import { type AuditOrigin, commandLineOrigin } from '#kit/audit/record-audit.ts'
import {
  type Account,
  deployScope,
  type GrantedScope,
  plans,
  projectScopes,
  roles,
  siteScope,
  tokenScopes,
} from '#kit/caller.ts'
import { toTimestamp } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import { findProjectOf, nameProjects } from '#publishing/projects/find-project.ts'
import { isPermitted } from '#publishing/projects/project-roles.ts'
import {
  CommandError,
  formatMinute,
  type Input,
  print,
  printTable,
  readChoice,
  readDuration,
  readList,
  UsageError,
} from './command-line/command.ts'
import { withPublishing } from './command-line/local-database.ts'

const pageSize = 500
/** The most domains that are named when a plan ends. */
const maxHosts = 100

export async function printAccounts(input: Input): Promise<undefined> {
  const accounts = await withPublishing(listAll)
  const rows = accounts.map(({ createdAt, email, id, name, plan, role }) => [
    id,
    email,
    role,
    plan,
    toTimestamp(createdAt).slice(0, 10),
    name,
  ])
  const head = ['ID', 'EMAIL', 'ROLE', 'PLAN', 'CREATED', 'NAME']
  const empty = 'No accounts yet. serve prints the link to create the first one.'
  printTable(input, accounts.map(wireAccount), { head, rows, empty })
}

export async function invite(input: Input): Promise<undefined> {
  const { email: typed = '', plan: planText = 'free', role: roleText = 'member' } = input.options
  const email = readEmail(typed, '--email')
  const role = readChoice(roles, roleText, '--role')
  const plan = readChoice(plans, planText, '--plan')
  const created = await withPublishing(async (database, { dashboardUrl }) => {
    if (await findAccountByEmail(database.read, email.key))
      throw new CommandError(`an account with the email address ${email.text} already exists`)
    const invitation = { email: email.text, role, plan }
    const origin = commandLineOrigin(Date.now())
    const { link, token } = await createInvitation(database, invitation, origin)
    const address = linkAddress(dashboardUrl, 'invitation', token)
    return { link: address, expiresAt: toTimestamp(link.expiresAt), role, plan: link.plan }
  })
  print(input, { ...created, email: email.text }, created.link)
}

export async function setPlan(input: Input): Promise<undefined> {
  const [typed = '', planText = ''] = input.operands
  const plan = readChoice(plans, planText, 'the plan')
  let served: { host: string; slug: string }[] = []
  const account = await withAccount(typed, async ({ id }, database, origin) => {
    const first = { account: id, host: '', id: '', max: maxHosts }
    const domains = await listDomainPage(database.read, 'ofOwner', first)
    const changed = await changeStanding(database, { id, plan }, origin)
    if (changed.plan === 'free')
      served = domains.filter(({ serving }) => serving.startsWith('http'))
    return changed
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
  const account = await withAccount(typed, ({ id }, database, origin) =>
    changeAccount(database, id, { email }, origin),
  )
  print(input, wireAccount(account), `The account signs in with ${account.email} now.`)
}

export async function reset(input: Input): Promise<undefined> {
  const created = await withAccount(input.operands[0], async ({ id }, database, origin, config) => {
    const { link, token } = await createPasswordLink(database, id, origin)
    const address = linkAddress(config.dashboardUrl, 'password', token)
    return { link: address, expiresAt: toTimestamp(link.expiresAt) }
  })
  print(input, created, created.link)
}

export async function turnSecondFactorOff(input: Input): Promise<undefined> {
  const [typed = ''] = input.operands
  await withAccount(typed, ({ id }, database, origin) =>
    removeSecondFactor(database, id, origin).catch((error) => {
      if (error.code !== 'second_factor_not_found') throw error
      throw new CommandError(`one-time codes are not on for ${typed}`)
    }),
  )
  print(input, { email: typed }, `One-time codes of ${typed} are off.`)
}

/** Finds the account with an email address, for a change by the command line. Throws a CommandError where there is none. */
function withAccount<T>(
  typed = '',
  use: (account: StoredAccount, database: Database, by: AuditOrigin, config: Config) => Promise<T>,
): Promise<T> {
  const { key } = readEmail(typed, '<email>')
  return withPublishing(async (database, config) => {
    const account = await findAccountByEmail(database.read, key)
    if (!account) throw new CommandError(`there is no account with the email address ${typed}`)
    return await use(account, database, commandLineOrigin(Date.now()), config)
  })
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

const dayMs = 24 * 60 * 60_000

export async function createAccessToken(input: Input): Promise<undefined> {
  const { account: email = '', label = '' } = input.options
  if (!/^(?=.*\S)[^\p{Cc}]{1,100}$/u.test(label))
    throw new UsageError('--label accepts 1 to 100 characters')
  const { project: slug, scopes: list } = input.options
  const scopes: GrantedScope[] =
    slug !== undefined
      ? [readChoice(projectScopes, list ?? deployScope, '--scopes with --project')]
      : list === undefined
        ? [...tokenScopes]
        : readList(tokenScopes, list, '--scopes')
  const isForSite = scopes.includes(siteScope)
  const lifeMs = readDuration(input.options.expires ?? `${standardTokenDays}d`) ?? 0
  if (lifeMs < 1 || lifeMs > longestTokenDays * dayMs)
    throw new UsageError(`--expires accepts a duration such as 90d, at most ${longestTokenDays}d`)
  const created = await withAccount(email, async (account, database, origin) => {
    const project =
      slug === undefined ? undefined : await getProjectOf(database, account, slug, isForSite)
    const token = {
      ...{ accountId: account.id, projectId: project?.id, label, scopes },
      expiresAt: origin.at + lifeMs,
    }
    const issued = await createToken(database, token, origin)
    return issued && { ...issued, project }
  })
  if (!created)
    throw new CommandError(`the limit of ${maxTokens} access tokens is reached; revoke one first`)
  const { project, text, token } = created
  print(input, { ...wireToken(token, nameOf(project)), token: text }, text)
}

export async function printTokens(input: Input): Promise<undefined> {
  const tokens = await withAccount(input.options.account, async ({ id }, { read }) => {
    const tokens = await listTokens(read, id)
    const projects = await nameProjects(
      read,
      tokens.flatMap(({ projectId }) => projectId ?? []),
    )
    return tokens.map((token) => ({ token, project: projects.get(token.projectId ?? '') }))
  })
  const empty = 'No access tokens yet. Create one with animal-store tokens create.'
  const wire = tokens.map(({ project, token }) => wireToken(token, project))
  const now = Date.now()
  const rows = tokens.map(({ project, token }) => [
    token.id,
    token.expiresAt <= now ? 'expired' : 'active',
    token.label,
    token.scopes.join(','),
    project?.slug ?? '',
    formatMinute(token.createdAt),
    formatMinute(token.expiresAt),
    formatMinute(token.lastUsedAt),
  ])
  const times = ['CREATED', 'EXPIRES', 'LAST USED']
  const head = ['ID', 'STATUS', 'LABEL', 'PERMISSIONS', 'PROJECT', ...times]
  printTable(input, wire, { head, rows, empty })
}

export async function revokeAccessToken(input: Input): Promise<undefined> {
  const [given = ''] = input.operands
  // Accepts the token itself, too, and drops its secret.
  const id = /^as_pat_([0-9A-Za-z]+)_/.exec(given)?.[1] ?? given
  const origin = commandLineOrigin(Date.now())
  if (!(await withPublishing((database) => revokeToken(database, id, origin))))
    throw new CommandError(`there is no access token ${id}`)
  print(input, { id, revoked: true }, `Revoked ${id}.`)
}

export async function revokeAllTokens(input: Input): Promise<undefined> {
  const revoked = await withAccount(input.options.account, ({ id }, database, origin) =>
    revokeTokens(database, id, origin),
  )
  const text = revoked === 1 ? 'Revoked 1 access token.' : `Revoked ${revoked} access tokens.`
  print(input, { revoked }, text)
}

/** A project that the account may deploy to, or whose site it may let others see. */
async function getProjectOf(
  database: Database,
  account: Account,
  slug: string,
  isForSite: boolean,
) {
  const project = await findProjectOf(database.read, account, slug)
  if (!project) throw new CommandError(`${account.email} has no project ${slug}`)
  if (isForSite && !isPermitted(project.role, 'own'))
    throw new CommandError(
      `${account.email} does not own ${slug}. Only the owner lets others see it.`,
    )
  if (!isPermitted(project.role, 'edit'))
    throw new CommandError(`${account.email} is a viewer of ${slug}. Only editors deploy to it.`)
  return project
}

const nameOf = (project: ProjectName | undefined): ProjectName | undefined =>
  project && { slug: project.slug, name: project.name }
