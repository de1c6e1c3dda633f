// What the keys commands do: straight on the database, with the server running or not.
import { parseRateLimit } from '../../platform/config/config.ts'
import { type ApiKey, createKey, listKeys, revokeKey, rotateKey } from '../../store/keys/keys.ts'
import { isScope, type Scope, scopes } from '../../store/keys/scopes.ts'
import { CommandError, type Input, print, UsageError } from '../command-line/command.ts'
import { columns } from '../command-line/help.ts'
import { onStore } from '../command-line/on-store.ts'
import { readSpan } from '../command-line/read-span.ts'

export async function create(input: Input): Promise<number> {
  const { label = '', expires, 'rate-limit': rateLimit } = input.options
  if (!/^[^\p{Cc}]{1,100}$/u.test(label))
    throw new UsageError('--label accepts 1 to 100 characters')
  if (rateLimit !== undefined && !parseRateLimit(rateLimit)) {
    throw new UsageError('--rate-limit accepts requests/window, such as 600/60s')
  }
  const now = Date.now()
  const key = {
    label,
    scopes: readScopes(input.options.scopes),
    expiresAt: readMoment(expires, now),
    rateLimit,
  }
  const { key: created, text } = await onStore(input, (database, name) =>
    createKey(database, name, key, now),
  )
  print(input, { ...plain(created), key: text }, text)
  return 0
}

export async function list(input: Input): Promise<number> {
  const keys = await onStore(input, (database) => listKeys(database))
  const now = Date.now()
  const rows = keys.map((key) => [
    key.id,
    state(key, now),
    key.label,
    key.hasAllScopes ? 'all' : [...key.scopes].join(','),
    date(key.createdAt),
    date(key.expiresAt),
    date(key.lastUsedAt),
  ])
  const head = ['ID', 'STATE', 'LABEL', 'SCOPES', 'CREATED', 'EXPIRES', 'LAST USED']
  const table = columns([head, ...rows]).trimEnd()
  print(
    input,
    keys.map(plain),
    keys.length === 0 ? 'No keys yet: animal-store keys create makes one.' : table,
  )
  return 0
}

export async function rotate(input: Input): Promise<number> {
  const overlapMs = readSpan(input.options.overlap ?? '24h')
  if (overlapMs === undefined)
    throw new UsageError('--overlap accepts a span such as 24h, 30m or 0s')
  const id = readId(input)
  const rotated = await onStore(input, (database, name) =>
    rotateKey(database, name, id, overlapMs, Date.now()),
  )
  if (!rotated) throw new CommandError(`there is no key ${id} that could be rotated`)
  print(input, { ...plain(rotated.key), key: rotated.text }, rotated.text)
  return 0
}

export async function revoke(input: Input): Promise<number> {
  const id = readId(input)
  const revoked = await onStore(input, (database) => revokeKey(database, id, Date.now()))
  if (!revoked) throw new CommandError(`there is no key ${id} that could be revoked`)
  print(input, { id, revoked: true }, `Revoked ${id}.`)
  return 0
}

/** The id of a key; a whole key is understood, and its secret forgotten. */
function readId(input: Input): string {
  return (
    /^as_(?:live|test)_([0-9A-Za-z]+)_/.exec(input.operands[0] ?? '')?.[1] ??
    (input.operands[0] as string)
  )
}

function readScopes(text: string | undefined): Scope[] | undefined {
  if (text === undefined) return undefined
  const list = text.split(',').map((part) => part.trim())
  const unknown = list.find((part) => !isScope(part))
  if (unknown !== undefined)
    throw new UsageError(
      `--scopes cannot have ${JSON.stringify(unknown)}: it accepts ${scopes.join(', ')}`,
    )
  return list.filter(isScope)
}

function readMoment(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  const span = readSpan(text)
  const moment =
    span === undefined && /^\d{4}-\d\d-\d\d/.test(text)
      ? Date.parse(text)
      : now + (span ?? Number.NaN)
  if (!(moment > now))
    throw new UsageError(
      '--expires accepts a span such as 90d or a date to come such as 2030-12-05',
    )
  return moment
}

function state(key: ApiKey, now: number): string {
  if (key.revokedAt !== undefined) return 'revoked'
  return key.expiresAt !== undefined && key.expiresAt <= now ? 'expired' : 'active'
}

function date(time: number | undefined): string {
  return time === undefined ? '-' : new Date(time).toISOString().slice(0, 16).replace('T', ' ')
}

/** What may be shown of a key. */
function plain(key: ApiKey): object {
  const time = (value: number | undefined): string | null =>
    value === undefined ? null : new Date(value).toISOString()
  return {
    id: key.id,
    label: key.label,
    state: state(key, Date.now()),
    scopes: [...key.scopes],
    rateLimit: key.rateLimit ?? null,
    createdAt: time(key.createdAt),
    expiresAt: time(key.expiresAt),
    revokedAt: time(key.revokedAt),
    lastUsedAt: time(key.lastUsedAt),
  }
}
