// Which installation may write and delete in a bucket: the object `owner` has a random id, which changes with each claim,
// and the owner's database has it, too. A restored installation has forgotten it, and that of a copied one is soon out of
// date: both read the bucket, and change nothing there until the operator has it taken over.

import { randomBytes } from 'node:crypto'
import { type Database, getOne, type Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { prepare } from '../database/tables.ts'
import { type Bucket, BucketError } from './bucket.ts'
import { type StorageLease, storageLeases } from './object-rows.ts'

const ownerKey = 'owner'
const idBytes = 8

const storedOwners = prepare.select('object_storage', ['owner', 'previous_owner'], {})
const remember = prepare.update(
  'object_storage',
  { owner: 'owner', previous_owner: 'previous' },
  {},
)
const forget = prepare.update('object_storage', { owner: null, previous_owner: null }, {})

/** For a database that was restored: another one may have its id. */
export const forgetBucketTransaction = locked(async (session, _: undefined) => {
  await session.all(forget, {})
})

/** Before the bucket has the new id: if it never does, the previous one counts. */
const rememberTransaction = locked(
  async (
    session,
    { lease, ...ids }: { lease: StorageLease; owner: string; previous: string | null },
  ) => {
    await storageLeases.requireLease(session, lease)
    await session.all(remember, ids)
  },
)

/** The id of the bucket's owner if that is another installation. Changes nothing. Throws BucketError. */
export async function findOtherOwner(
  bucket: Bucket,
  read: Session,
  signal?: AbortSignal,
): Promise<string | undefined> {
  return (await readOwners(bucket, read, signal)).other
}

async function readOwners(bucket: Bucket, read: Session, signal: AbortSignal | undefined) {
  const current = await readOwner(bucket, signal)
  const { owner, previous_owner } = await getOne(read, storedOwners, {})
  return { current, other: current === owner || current === previous_owner ? undefined : current }
}

/**
 * Gives the id of the bucket's owner if that is another installation, but `takeOver`; otherwise this one is, from now on.
 * Throws BucketError, and LeaseLostError.
 */
export async function claimBucket(
  bucket: Bucket,
  database: Database,
  lease: StorageLease,
  takeOver: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { current, other } = await readOwners(bucket, database.read, signal)
  if (other !== undefined && other !== takeOver) return other
  const owner = randomBytes(idBytes).toString('hex')
  await rememberTransaction(database, { lease, owner, previous: current ?? null })
  await bucket.put(ownerKey, Buffer.from(owner), signal)
  return undefined
}

/** Undefined if the bucket has none. */
async function readOwner(bucket: Bucket, signal?: AbortSignal): Promise<string | undefined> {
  try {
    const text = (await bucket.read(ownerKey, 0, 2 * idBytes, signal)).toString('latin1')
    if (/^[0-9a-f]+$/.test(text)) return text
  } catch (error) {
    if (error instanceof BucketError && error.problem === 'missing') return undefined
    throw error
  }
  throw new BucketError('damaged', `the object ${ownerKey} is not one of this program`)
}
