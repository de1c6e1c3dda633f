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
} from '../../platform/accounts/access-tokens.ts'
import { wireToken } from '../../platform/accounts/wire.ts'
import { commandLineOrigin } from '../../platform/audit/record-audit.ts'
import { tokenScopes } from '../../platform/management/token-scopes.ts'
import {
  CommandError,
  formatMinute,
  type Input,
  print,
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
  const list = input.options.scopes
  const scopes = list === undefined ? [...tokenScopes] : readList(tokenScopes, list, '--scopes')
  const lifeMs = readDuration(input.options.expires ?? `${standardTokenDays}d`) ?? 0
  if (lifeMs < 1 || lifeMs > longestTokenDays * dayMs)
    throw new UsageError(`--expires accepts a duration such as 90d, at most ${longestTokenDays}d`)
  const created = await withPublishing(async (database) => {
    const { id } = await getAccount(database, email)
    const now = Date.now()
    const token = { accountId: id, label, scopes, expiresAt: now + lifeMs }
    return await createToken(database, token, commandLineOrigin(now))
  })
  if (!created)
    throw new CommandError(`the limit of ${maxTokens} access tokens is reached; revoke one first`)
  const { text, token } = created
  print(input, { ...wireToken(token), token: text }, text)
}

export async function list(input: Input): Promise<undefined> {
  const tokens = await withPublishing(async (database) => {
    const { id } = await getAccount(database, input.options.account ?? '')
    return await listTokens(database.read, id)
  })
  const empty = 'No access tokens yet. Create one with animal-store tokens create.'
  print(input, tokens.map(wireToken), tokens.length === 0 ? empty : table(tokens, Date.now()))
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

function table(tokens: AccessToken[], now: number): string {
  const rows = tokens.map(({ createdAt, expiresAt, id, label, lastUsedAt, scopes }) => [
    id,
    expiresAt <= now ? 'expired' : 'active',
    label,
    scopes.join(','),
    formatMinute(createdAt),
    formatMinute(expiresAt),
    formatMinute(lastUsedAt),
  ])
  const head = ['ID', 'STATUS', 'LABEL', 'PERMISSIONS', 'CREATED', 'EXPIRES', 'LAST USED']
  return columns([head, ...rows]).trimEnd()
}
