// What the tokens commands do: personal access tokens, straight on the database, with the server running or
// not.
import {
  type AccessToken,
  createToken,
  listTokens,
  longestTokenDays,
  maxTokens,
  revokeToken,
  standardTokenDays,
} from '../../platform/accounts/access-tokens.ts'
import { wireTime, wireToken } from '../../platform/accounts/wire.ts'
import {
  isTokenScope,
  type TokenScope,
  tokenScopes,
} from '../../platform/management/token-scopes.ts'
import { CommandError, type Input, print, UsageError } from '../command-line/command.ts'
import { columns } from '../command-line/help.ts'
import { onPublishing } from '../command-line/on-publishing.ts'
import { readSpan } from '../command-line/read-span.ts'
import { getAccount } from './run-accounts.ts'

const dayMs = 24 * 60 * 60_000

export async function create(input: Input): Promise<number> {
  const { account: email = '', label = '' } = input.options
  if (!/^(?=.*\S)[^\p{Cc}]{1,100}$/u.test(label))
    throw new UsageError('--label accepts 1 to 100 characters')
  const scopes = readScopes(input.options.scopes)
  const lifeMs = readSpan(input.options.expires ?? `${standardTokenDays}d`) ?? 0
  if (lifeMs < 1 || lifeMs > longestTokenDays * dayMs)
    throw new UsageError(`--expires accepts a span such as 90d, at most ${longestTokenDays}d`)
  const created = await onPublishing(async (database) => {
    const { id } = await getAccount(database, email)
    const now = Date.now()
    const wanted = { accountId: id, label, scopes, expiresAt: now + lifeMs }
    return await createToken(database, wanted, now)
  })
  if (!created)
    throw new CommandError(`the account has ${maxTokens} access tokens; revoke one of them`)
  const { text, token } = created
  print(input, { ...wireToken(token), token: text }, text)
  return 0
}

export async function list(input: Input): Promise<number> {
  const tokens = await onPublishing(async (database) => {
    const { id } = await getAccount(database, input.options.account ?? '')
    return await listTokens(database.read, id)
  })
  const empty = 'No access tokens yet: animal-store tokens create makes one.'
  print(input, tokens.map(wireToken), tokens.length === 0 ? empty : table(tokens, Date.now()))
  return 0
}

export async function revoke(input: Input): Promise<number> {
  const [given = ''] = input.operands
  // A whole token is understood, and its secret forgotten.
  const id = /^as_pat_([0-9A-Za-z]+)_/.exec(given)?.[1] ?? given
  if (!(await onPublishing((database) => revokeToken(database, id))))
    throw new CommandError(`there is no access token ${id}`)
  print(input, { id, revoked: true }, `Revoked ${id}.`)
  return 0
}

function table(tokens: AccessToken[], now: number): string {
  const rows = tokens.map(({ createdAt, expiresAt, id, label, lastUsedAt, scopes }) => [
    id,
    expiresAt <= now ? 'expired' : 'active',
    label,
    scopes.join(','),
    date(createdAt),
    date(expiresAt),
    lastUsedAt === undefined ? '-' : date(lastUsedAt),
  ])
  const head = ['ID', 'STATE', 'LABEL', 'SCOPES', 'CREATED', 'EXPIRES', 'LAST USED']
  return columns([head, ...rows]).trimEnd()
}

function date(milliseconds: number): string {
  return wireTime(milliseconds).slice(0, 16).replace('T', ' ')
}

function readScopes(text: string | undefined): TokenScope[] {
  if (text === undefined) return [...tokenScopes]
  const list = [...new Set(text.split(',').map((part) => part.trim()))]
  const unknown = list.find((part) => !isTokenScope(part))
  if (unknown !== undefined) {
    const shown = JSON.stringify(unknown)
    throw new UsageError(`--scopes cannot have ${shown}: it accepts ${tokenScopes.join(', ')}`)
  }
  return list.filter(isTokenScope)
}
