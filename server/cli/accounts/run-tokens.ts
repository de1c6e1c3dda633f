// Runs the tokens commands on the local database, with or without a running server.
import {
  type AccessToken,
  createToken,
  listTokens,
  longestTokenDays,
  maxTokens,
  revokeToken,
  revokeTokens,
  standardTokenDays,
} from '#accounts/access-tokens.ts'
import type { ProjectName } from '#accounts/account-context.ts'
import { wireToken } from '#accounts/wire.ts'
import { commandLineOrigin } from '#kit/audit/record-audit.ts'
import type { Database } from '#kit/database/database.ts'
import type { Account } from '#kit/management/caller.ts'
import {
  deployScope,
  type GrantedScope,
  projectScopes,
  siteScope,
  tokenScopes,
} from '#kit/management/token-scopes.ts'
import { findProjectOf, nameProjects } from '#publishing/projects/find-project.ts'
import { isPermitted } from '#publishing/projects/project-roles.ts'
import {
  CommandError,
  formatMinute,
  type Input,
  print,
  readChoice,
  readDuration,
  readList,
  UsageError,
} from '../command-line/command.ts'
import { columns } from '../command-line/help.ts'
import { withPublishing } from '../command-line/local-database.ts'
import { getAccount } from './run-accounts.ts'

const dayMs = 24 * 60 * 60_000

export async function create(input: Input): Promise<undefined> {
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
  const created = await withPublishing(async (database) => {
    const account = await getAccount(database, email)
    const project =
      slug === undefined ? undefined : await getProjectOf(database, account, slug, isForSite)
    const now = Date.now()
    const token = {
      ...{ accountId: account.id, projectId: project?.id, label, scopes },
      expiresAt: now + lifeMs,
    }
    const issued = await createToken(database, token, commandLineOrigin(now))
    return issued && { ...issued, project }
  })
  if (!created)
    throw new CommandError(`the limit of ${maxTokens} access tokens is reached; revoke one first`)
  const { project, text, token } = created
  print(input, { ...wireToken(token, nameOf(project)), token: text }, text)
}

export async function list(input: Input): Promise<undefined> {
  const tokens = await withPublishing(async (database) => {
    const { read } = database
    const { id } = await getAccount(database, input.options.account ?? '')
    const found = await listTokens(read, id)
    const projects = await nameProjects(
      read,
      found.flatMap(({ projectId }) => projectId ?? []),
    )
    return found.map((token) => ({ token, project: projects.get(token.projectId ?? '') }))
  })
  const empty = 'No access tokens yet. Create one with animal-store tokens create.'
  const wire = tokens.map(({ project, token }) => wireToken(token, project))
  print(input, wire, tokens.length === 0 ? empty : table(tokens, Date.now()))
}

export async function revoke(input: Input): Promise<undefined> {
  const [given = ''] = input.operands
  // Accepts the token itself, too, and drops its secret.
  const id = /^as_pat_([0-9A-Za-z]+)_/.exec(given)?.[1] ?? given
  const origin = commandLineOrigin(Date.now())
  if (!(await withPublishing((database) => revokeToken(database, id, origin))))
    throw new CommandError(`there is no access token ${id}`)
  print(input, { id, revoked: true }, `Revoked ${id}.`)
}

export async function revokeAll(input: Input): Promise<undefined> {
  const revoked = await withPublishing(async (database) => {
    const { id } = await getAccount(database, input.options.account ?? '')
    return await revokeTokens(database, id, commandLineOrigin(Date.now()))
  })
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

function table(tokens: { token: AccessToken; project?: ProjectName | undefined }[], now: number) {
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
  const head = [
    'ID',
    'STATUS',
    'LABEL',
    'PERMISSIONS',
    'PROJECT',
    'CREATED',
    'EXPIRES',
    'LAST USED',
  ]
  return columns([head, ...rows]).trimEnd()
}
