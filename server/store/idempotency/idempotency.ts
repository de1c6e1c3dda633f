// Idempotency-Key: the answer of a write is recorded in the write's own transaction, kept for 24 hours
// and replayed byte for byte, whatever happened to the connection or the process in between.
import { hash } from 'node:crypto'
import type { Session } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import { oldRowsOf } from '../../platform/jobs/delete-old-rows.ts'
import { lockState } from '../database/state.ts'
import { prepareQuery, type StoreTables } from '../database/tables.ts'

/** One use of a key: by whom, for which request, when (milliseconds since the epoch). */
export interface Use {
  scope: string
  key: string
  fingerprint: string
  now: number
}

/** An answer as it was first given. `location` is relative to the base address, or empty. */
export interface RecordedAnswer {
  status: number
  location: string
  body: string
}

export type Found =
  | { kind: 'new' }
  | { kind: 'replay'; answer: RecordedAnswer }
  | { kind: 'reused' }

export const keptForMs = 24 * 3600 * 1000

const byKey = prepareQuery<{ scope: string; key: string; oldest: number }>()((db, param) =>
  db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'status', 'location', 'body'])
    .where('scope', '=', param('scope'))
    .where('key', '=', param('key'))
    .where('created_at', '>', param('oldest')),
)
const record = prepareQuery<{
  scope: string
  key: string
  fingerprint: string
  status: number
  location: string
  body: string
  now: number
}>()((db, param) =>
  db
    .insertInto('idempotency_keys')
    .values({
      scope: param('scope'),
      key: param('key'),
      fingerprint: param('fingerprint'),
      status: param('status'),
      location: param('location'),
      body: param('body'),
      created_at: param('now'),
    })
    // Only one that is too old to count can be in the way.
    .onConflict((conflict) =>
      conflict.columns(['scope', 'key']).doUpdateSet((eb) => ({
        fingerprint: eb.ref('excluded.fingerprint'),
        status: eb.ref('excluded.status'),
        location: eb.ref('excluded.location'),
        body: eb.ref('excluded.body'),
        created_at: eb.ref('excluded.created_at'),
      })),
    ),
)

/** Looks for an earlier use. To be called in the write's transaction, once it holds the write lock. */
export async function findUse(session: Session, use: Use): Promise<Found> {
  const { scope, key } = use
  const [row] = await session.all(byKey, { scope, key, oldest: use.now - keptForMs })
  if (!row) return { kind: 'new' }
  if (row.fingerprint !== use.fingerprint) return { kind: 'reused' }
  return {
    kind: 'replay',
    answer: { status: Number(row.status), location: row.location, body: row.body },
  }
}

/** Records the answer of a first use, in the same transaction. */
export async function recordUse(session: Session, use: Use, answer: RecordedAnswer): Promise<void> {
  await session.all(record, { ...use, ...answer })
}

/** Deletes what is older than a day. */
export const deleteOldUses = oldRowsOf<StoreTables>()({
  table: 'idempotency_keys',
  key: ['scope', 'key'],
  time: 'created_at',
  keptMs: keptForMs,
  lock: lockState,
})

/** Reads the field (a plain token, or a quoted string as the IETF draft has it). */
export function readIdempotencyKey(fields: string[]): string | undefined {
  if (fields.length === 0) return undefined
  const [field = ''] = fields
  const key = /^"([\x20-\x21\x23-\x5b\x5d-\x7e]+)"$/.exec(field)?.[1] ?? field
  if (fields.length > 1 || !/^[\x21-\x7e]{1,255}$/.test(key) || key.startsWith('"')) {
    throw new AppError(
      'invalid_idempotency_key',
      'Send Idempotency-Key once, with 1 to 255 visible ASCII characters.',
    )
  }
  return key
}

/** Equal for two requests that are the same: method, path and body, byte for byte. */
export function fingerprint(method: string, path: string, body: Uint8Array): string {
  return hash('sha256', Buffer.concat([Buffer.from(`${method} ${path}\n`), body]), 'base64url')
}
