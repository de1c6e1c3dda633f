// keys create | list | rotate | revoke: straight on the database, with the server running or not.
import { parseRateLimit } from '../platform/config.ts'
import type { Database } from '../platform/database/database.ts'
import { migrateDatabase, openDatabase } from '../platform/database/open.ts'
import { type EnvironmentName, environmentNames } from '../store/keys/api-key.ts'
import { type ApiKey, createKey, listKeys, revokeKey, rotateKey } from '../store/keys/keys.ts'
import { isScope, type Scope, scopes } from '../store/keys/scopes.ts'
import { storeMigrations } from '../store/migrations/store-migrations.ts'
import {
  type Command,
  CommandError,
  type Input,
  loadConfig,
  type Option,
  UsageError,
} from './command.ts'
import { columns } from './help.ts'

const environment: Option = {
  value: environmentNames.join('|'),
  meaning: 'Which environment.',
  required: true,
}
const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export const keysCreate: Command = {
  name: 'keys create',
  summary: 'Create an API key; it is printed alone, this once.',
  options: {
    environment,
    label: { value: 'TEXT', meaning: 'What you will know it by.', required: true },
    scopes: {
      value: 'LIST',
      meaning: `Separated by commas: ${scopes.join(', ')}. All without it.`,
    },
    expires: {
      value: 'WHEN',
      meaning: 'A span such as 90d, 12h, or a date such as 2030-12-05. Never without it.',
    },
    'rate-limit': { value: 'LIMIT', meaning: 'Such as 600/60s. The configured one without it.' },
  },
  async run(input) {
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
    const { key: created, text } = await onDatabase(input, (database, name) =>
      createKey(database, name, key, now),
    )
    print(input, { ...plain(created), key: text }, text)
    return 0
  },
}

export const keysList: Command = {
  name: 'keys list',
  summary: 'List the API keys of an environment, without their secrets.',
  options: { environment },
  async run(input) {
    const keys = await onDatabase(input, (database) => listKeys(database))
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
  },
}

export const keysRotate: Command = {
  name: 'keys rotate',
  summary: 'Create a successor of an API key; the old one goes on for a while.',
  operands: ['<id>'],
  options: {
    environment,
    overlap: {
      value: 'SPAN',
      meaning: 'How long the old key goes on, such as 24h, 30m or 0s. 24h without it.',
    },
  },
  async run(input) {
    const overlapMs = readSpan(input.options.overlap ?? '24h')
    if (overlapMs === undefined)
      throw new UsageError('--overlap accepts a span such as 24h, 30m or 0s')
    const id = readId(input)
    const rotated = await onDatabase(input, (database, name) =>
      rotateKey(database, name, id, overlapMs, Date.now()),
    )
    if (!rotated) throw new CommandError(`there is no key ${id} that could be rotated`)
    print(input, { ...plain(rotated.key), key: rotated.text }, rotated.text)
    return 0
  },
}

export const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'End an API key at once: refused on every node from the next request on.',
  operands: ['<id>'],
  options: { environment },
  async run(input) {
    const id = readId(input)
    const revoked = await onDatabase(input, (database) => revokeKey(database, id, Date.now()))
    if (!revoked) throw new CommandError(`there is no key ${id} that could be revoked`)
    print(input, { id, revoked: true }, `Revoked ${id}.`)
    return 0
  },
}

/** Runs `use` on the environment's database, which is created and brought up to date if need be. */
export async function onDatabase<T>(
  input: Input,
  use: (database: Database, name: EnvironmentName) => Promise<T>,
): Promise<T> {
  const name = environmentNames.find((known) => known === input.options.environment)
  if (!name) throw new UsageError(`--environment accepts ${environmentNames.join(' or ')}`)
  const config = loadConfig()
  await migrateDatabase(config, name, storeMigrations)
  const database = openDatabase(config, name, { onError: () => {} })
  try {
    return await use(database, name)
  } finally {
    await database.close()
  }
}

/** Prints a result: as JSON where it was asked for, else for the eye. */
export function print(input: Input, value: unknown, text: string): void {
  process.stdout.write(`${input.json ? JSON.stringify(value, null, 2) : text}\n`)
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

/** Milliseconds of a span such as 24h. */
export function readSpan(text: string): number | undefined {
  const match = /^(\d{1,6})([smhd])$/.exec(text)
  return match ? Number(match[1]) * unitMs[match[2] as keyof typeof unitMs] : undefined
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
