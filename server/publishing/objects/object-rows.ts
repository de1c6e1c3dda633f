// The rows of objects. An object has a row from before its upload until after its deletion, so that whatever stops a
// process, no object is forgotten. An object without a file has a time from which on it is deleted; it gets a file, and
// loses the file, in the transaction that changes the file's row.

import { sql } from 'kysely'
import { findOne, getOne, type Session } from '#kit/database/database.ts'
import { rowInserter } from '#kit/database/insert-rows.ts'
import { locked, takeLock } from '#kit/database/transactions.ts'
import { type Lease, LeaseLostError, leasesOf } from '#kit/jobs/lease.ts'
import { type PublishingTables, prepare, prepareQuery } from '../database/tables.ts'
import { type Forms, placeColumns } from './read-objects.ts'

const dayMs = 24 * 3_600_000
/** How long an object outlives its file, so that a younger backup of the database finds all of its objects. */
const retentionMs = 30 * dayMs
/** An upload that takes longer is lost. */
const maxUploadMs = dayMs

export type StorageLease = Lease<{ id: bigint }>

/** One process at a time moves files and deletes objects. */
export const storageLeases = leasesOf<PublishingTables>()()({
  table: 'object_storage',
  key: ['id'],
  token: 'lease',
  expiresAt: 'lease_until',
  durationMs: 60_000,
  lock: takeLock,
  due: (db, param, isFree) =>
    db.selectFrom('object_storage').select('id').where(isFree('lease_until')).limit(param('max')),
})

/**
 * Smaller files stay in the database: a request for an object takes longer than reading their row. These are literals,
 * so that both engines use the index files_to_move.
 */
const isToMove = sql<boolean>`object is null and coded = 1 and size >= 65536`
const isMoved = sql<boolean>`object is not null`

const conditions = { toMove: isToMove, moved: isMoved }
type Which = keyof typeof conditions

const pages = { toMove: pageOf('toMove'), moved: pageOf('moved') }

function pageOf(which: Which) {
  return prepareQuery<{ after: string; max: number }>()((db, param) =>
    db
      .selectFrom('files')
      .select(['hash', ...placeColumns])
      .where(conditions[which])
      .where('hash', '>', param('after'))
      .orderBy('hash')
      .limit(param('max')),
  )
}

const formsOf = prepareQuery<{ hash: string }>()((db, param) =>
  db
    .selectFrom('files')
    .select(['content', 'gzip', 'brotli'])
    .where(isToMove)
    .where('hash', '=', param('hash')),
)
const maxCounted = 100_000
const counts = { toMove: countOf('toMove'), moved: countOf('moved') }

function countOf(which: Which) {
  return prepareQuery<{ max: number }>()((db, param) =>
    db
      .selectFrom(
        db
          .selectFrom('files')
          .select('hash')
          .where(conditions[which])
          .limit(param('max'))
          .as('some'),
      )
      .select((eb) => eb.fn.countAll<bigint>().as('count')),
  )
}

/** The next files by hash, without their bytes. */
export const findFiles = (read: Session, which: Which, after: string, max: number) =>
  read.all(pages[which], { after, max })

/** Undefined if it was deleted or moved meanwhile. */
export const findForms = (read: Session, hash: string): Promise<Forms | undefined> =>
  Promise.resolve(findOne(read, formsOf, { hash }))

/** Counted up to 100,000. */
export async function countFiles(read: Session, which: Which): Promise<number> {
  return Number((await getOne(read, counts[which], { max: maxCounted })).count)
}

const insertObjects = rowInserter<PublishingTables>()('objects')
const adopt = prepare.update(
  'objects',
  { delete_at: null },
  { key: 'key', delete_at: { '>': 'now' } },
  ['key'],
)
const retire = prepare.update('objects', { delete_at: 'at' }, { key: 'key' })
const setMoved = prepareQuery<Moved & { empty: Uint8Array }>()((db, param) =>
  db
    .updateTable('files')
    .set({
      content: param('empty'),
      gzip: null,
      brotli: null,
      object: param('key'),
      gzip_size: param('gzipSize'),
      brotli_size: param('brotliSize'),
      block_digests: param('digests'),
    })
    .where('hash', '=', param('hash'))
    .where(isToMove)
    .returning('hash'),
)
const setReturned = prepare.update(
  'files',
  {
    content: 'content',
    gzip: 'gzip',
    brotli: 'brotli',
    object: null,
    gzip_size: null,
    brotli_size: null,
    block_digests: null,
  },
  { hash: 'hash', object: 'key' },
  ['hash'],
)

/** Before the upload: if it is not finished within a day, the object is deleted. */
export const reserveObjectsTransaction = locked(
  async (session, { keys, lease, now }: { lease: StorageLease; keys: string[]; now: number }) => {
    await storageLeases.requireLease(session, lease)
    await insertObjects(
      session,
      keys.map((key) => ({ key, delete_at: now + maxUploadMs })),
    )
  },
)

type Moved = {
  hash: string
  key: string
  gzipSize: number | null
  brotliSize: number | null
  digests: Uint8Array
}

/**
 * After the upload: the row of the file refers to the object and has no bytes any more. If the file is gone, the object
 * is deleted with the next ones. Throws LeaseLostError, also when the upload took too long.
 */
export const moveFileTransaction = locked(
  async (session, { lease, now, ...moved }: Moved & { lease: StorageLease; now: number }) => {
    await storageLeases.requireLease(session, lease)
    const { key } = moved
    if (!(await findOne(session, adopt, { key, now }))) {
      throw new LeaseLostError('the upload of an object took too long')
    }
    const isMoved = await findOne(session, setMoved, { ...moved, empty: new Uint8Array() })
    if (!isMoved) await session.all(retire, { key, at: now })
  },
)

/** The opposite. Without effect if the file was deleted meanwhile. */
export const returnFileTransaction = locked(
  async (
    session,
    { forms, hash, key, now }: { hash: string; key: string; forms: Forms; now: number },
  ) => {
    const isReturned = await findOne(session, setReturned, { ...forms, hash, key })
    if (isReturned) await retireObjects(session, [key], now)
  },
)

/** Inside the transaction that removes the references to the objects, under the lock. */
export async function retireObjects(
  session: Session,
  keys: readonly string[],
  now: number,
): Promise<void> {
  for (const key of keys) await session.all(retire, { key, at: now + retentionMs })
}

const expired = prepare.select(
  'objects',
  ['key'],
  { delete_at: { '<=': 'now' } },
  { orderBy: ['delete_at'], limit: 'max' },
)
const forget = prepare.delete('objects', { key: 'key', delete_at: { '<=': 'now' } })

/** The keys of objects to delete. Nothing refers to them, and nothing ever will. */
export async function findExpiredObjects(
  read: Session,
  now: number,
  max: number,
): Promise<string[]> {
  return (await read.all(expired, { now, max })).map(({ key }) => key)
}

/** After their deletion from the bucket. */
export const forgetObjectsTransaction = locked(
  async (session, { keys, now }: { keys: string[]; now: number }) => {
    for (const key of keys) await session.all(forget, { key, now })
  },
)
