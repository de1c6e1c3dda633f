// Idempotency-Key: the response of a write is recorded in the write's own transaction, kept for 24 hours and replayed byte
// for byte, whatever happened to the connection or the process in between.
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Session, WriteSession } from '#kit/database/database.ts'
import { jsonRows } from '#kit/database/json-rows.ts'
import { AppError } from '#kit/errors.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
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
export interface RecordedResponse {
  status: number
  location: string
  body: string
}

const keptForMs = 24 * 3600 * 1000

/** An earlier use, with its answer. */
export interface RecordedUse {
  fingerprint: string
  response: RecordedResponse
}

const byKeys = prepareQuery<{ uses: string }>()(
  (db, param) => sql<{
    scope: string
    key: string
    fingerprint: string
    status: bigint
    location: string
    body: string
  }>`select k.scope, k.key, k.fingerprint, k.status, k.location, k.body
      from ${jsonRows(db, param('uses'), 'used', { scope: 'text', key: 'text', oldest: 'bigint' })}
      join idempotency_keys as k on k.scope = used.scope and k.key = used.key
      where k.created_at > used.oldest`,
)

const recordedColumns = {
  ...({ scope: 'text', key: 'text', fingerprint: 'text', status: 'bigint' } as const),
  ...({ location: 'text', body: 'text', created_at: 'bigint' } as const),
}
const record = prepareQuery<{ uses: string }>()(
  (
    db,
    param, // Only one that is too old to count can be in the way.
  ) =>
    sql<unknown>`
      insert into idempotency_keys (scope, key, fingerprint, status, location, body, created_at)
      select scope, key, fingerprint, status, location, body, created_at
      from ${jsonRows(db, param('uses'), 'used', recordedColumns)} where true
      on conflict (scope, key) do update set fingerprint = excluded.fingerprint,
        status = excluded.status, location = excluded.location, body = excluded.body,
        created_at = excluded.created_at`,
)

/** Equal for uses of the same key of the same owner: keys have no spaces. */
export const nameOfUse = ({ key, scope }: Pick<Use, 'key' | 'scope'>): string => `${scope} ${key}`

/** Looks for earlier uses, by their names. To be called in the writes' transaction, once it holds the write lock. */
export async function findUses(session: Session, uses: Use[]): Promise<Map<string, RecordedUse>> {
  if (uses.length === 0) return new Map()
  const queries = uses.map(({ key, now, scope }) => ({ scope, key, oldest: now - keptForMs }))
  const rows = await session.all(byKeys, { uses: JSON.stringify(queries) })
  return new Map(
    rows.map(({ body, fingerprint, key, location, scope, status }) => [
      nameOfUse({ key, scope }),
      { fingerprint, response: { status: Number(status), location, body } },
    ]),
  )
}

/** The answer of the first use of a key, if it was for the same request. */
export function outcomeOfRepeat(use: Use, earlier: RecordedUse) {
  if (use.fingerprint === earlier.fingerprint)
    return { kind: 'replay', response: earlier.response } as const
  const message = 'This Idempotency-Key was used for another request. Use a new one.'
  return { kind: 'refused', error: new AppError('idempotency_key_reused', message) } as const
}

/** Records the answers of first uses, in the same transaction, without waiting. */
export function recordUses(
  session: WriteSession,
  uses: { use: Use; response: RecordedResponse }[],
): void {
  if (uses.length === 0) return
  const rows = uses.map(({ response, use: { fingerprint, key, now, scope } }) => {
    return { scope, key, fingerprint, ...response, created_at: now }
  })
  session.run(record, { uses: JSON.stringify(rows) })
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

/** Equal for two requests that are the same: method, path and body. `body` is what is understood of it, or its bytes. */
export function fingerprint(method: string, path: string, body: string | Uint8Array): string {
  const head = Buffer.from(`${method} ${path}\n`)
  return hash('sha256', Buffer.concat([head, Buffer.from(body)]), 'base64url')
}
