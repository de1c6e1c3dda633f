// Runs the keys commands on the local database, with or without a running server.
import { commandLineOrigin } from '#kit/audit/record-audit.ts'
import { parseRateLimit } from '#kit/config/parse-variable.ts'
import type { ApiKey } from '#store/keys/authenticate.ts'
import {
  createKey,
  listKeys,
  revokeKey,
  rotateKey,
  rotationOverlap,
  stateOf,
} from '#store/keys/keys.ts'
import { showKey } from '#store/keys/routes.ts'
import { scopes } from '#store/keys/scopes.ts'
import {
  CommandError,
  formatMinute,
  type Input,
  print,
  printTable,
  readDuration,
  readList,
  UsageError,
} from './command-line/command.ts'
import { withStore } from './command-line/local-database.ts'

export async function create(input: Input): Promise<undefined> {
  const { environment, expires, label = '', 'rate-limit': rateLimit, scopes: list } = input.options
  if (!/^[^\p{Cc}]{1,100}$/u.test(label))
    throw new UsageError('--label accepts 1 to 100 characters')
  if (rateLimit !== undefined && !parseRateLimit(rateLimit)) {
    throw new UsageError('--rate-limit accepts requests/window, such as 600/60s')
  }
  const now = Date.now()
  const key = {
    label,
    scopes: list === undefined ? undefined : readList(scopes, list, '--scopes'),
    expiresAt: readExpiry(expires, now),
    rateLimit,
  }
  const { key: created, text } = await withStore(environment, (database, name) =>
    createKey(database, name, key, commandLineOrigin(now)),
  )
  print(input, { ...keyAsJson(created), key: text }, text)
}

export async function list(input: Input): Promise<undefined> {
  const keys = await withStore(input.options.environment, (database) => listKeys(database))
  const now = Date.now()
  const rows = keys.map((key) => [
    key.id,
    stateOf(key, now),
    key.label,
    key.hasAllScopes ? 'all' : [...key.scopes].join(','),
    formatMinute(key.createdAt),
    formatMinute(key.expiresAt),
    formatMinute(key.lastUsedAt),
  ])
  const head = ['ID', 'STATUS', 'LABEL', 'PERMISSIONS', 'CREATED', 'EXPIRES', 'LAST USED']
  const empty = 'No keys yet. Create one with animal-store keys create.'
  printTable(input, keys.map(keyAsJson), { head, rows, empty })
}

export async function rotate(input: Input): Promise<undefined> {
  const { maxSeconds, usualSeconds } = rotationOverlap
  const overlapMs = readDuration(input.options.overlap ?? `${usualSeconds}s`)
  if (overlapMs === undefined || overlapMs > maxSeconds * 1000)
    throw new UsageError('--overlap accepts a duration of at most 30d, such as 24h, 30m or 0s')
  const id = readId(input)
  const rotated = await withStore(input.options.environment, (database, name) =>
    rotateKey(database, name, id, overlapMs, commandLineOrigin(Date.now())),
  )
  if (!rotated) throw new CommandError(`there is no active key ${id}`)
  print(input, { ...keyAsJson(rotated.key), key: rotated.text }, rotated.text)
}

export async function revoke(input: Input): Promise<undefined> {
  const id = readId(input)
  const isRevoked = await withStore(input.options.environment, (database, name) =>
    revokeKey(database, name, id, commandLineOrigin(Date.now())),
  )
  if (!isRevoked) throw new CommandError(`there is no active key ${id}`)
  print(input, { id, revoked: true }, `Revoked ${id}.`)
}

/** The id of a key. Accepts the key itself, too, and drops its secret. */
function readId({ operands: [given = ''] }: Input): string {
  return /^as_(?:live|test)_([0-9A-Za-z]+)_/.exec(given)?.[1] ?? given
}

function readExpiry(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  const duration = readDuration(text)
  const isDate = duration === undefined && /^\d{4}-\d\d-\d\d/.test(text)
  const time = isDate ? Date.parse(text) : now + (duration ?? Number.NaN)
  if (time > now) return time
  throw new UsageError(
    '--expires accepts a duration such as 90d or a future date such as 2030-12-05',
  )
}

/** A key without its secret. */
function keyAsJson(key: ApiKey): object {
  const {
    deprecatedAt: _,
    deprecatedCalls: __,
    hasAllScopes: ___,
    ...shown
  } = showKey(key, Date.now())
  return shown
}
