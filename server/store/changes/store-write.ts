// The writes of the store, as one kind of work: all that arrive together share the lock, and the statements that read and
// write. Each is executed once for its Idempotency-Key, and its response is recorded in its own transaction.
import type { Work } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { type Conditions, entityTag, failedCondition } from '#kit/http/response/ready-response.ts'
import {
  findUses,
  nameOfUse,
  outcomeOfRepeat,
  type RecordedResponse,
  recordUses,
  type Use,
} from '../idempotency/idempotency.ts'
import { openRecords, type Reads, type Records } from './records.ts'

export interface StoreWrite {
  /** Undefined without an Idempotency-Key. */
  use: Use | undefined
  /**
   * The version of the keys under which its sender was authenticated, if that is to be confirmed: a later one refuses the
   * write as `unconfirmed`.
   */
  keysVersion?: bigint | undefined
  /** The records that `change` may look up. */
  reads: Reads
  /** Changes records and gives its answer, or changes nothing and gives why not. */
  change(records: Records): RecordedResponse | AppError
}

/** The record that a write changes. */
export interface RecordTarget {
  /** Undefined without an Idempotency-Key. */
  use: Use | undefined
  /** Undefined for what cannot be an id. */
  id: bigint | undefined
  /** Checked under the lock. */
  conditions: Conditions
}

interface RecordKind<Row> {
  /** As messages call it. */
  name: string
  reads(id: bigint): Reads
  find(records: Records, id: bigint): Row | undefined
  missing(): AppError
  toJson(row: Row): string
}

export function writeToRecord<Row>(
  kind: RecordKind<Row>,
  { conditions, id, use }: RecordTarget,
  change: (records: Records, record: Row) => RecordedResponse | AppError,
): StoreWrite {
  return {
    use,
    reads: id === undefined ? {} : kind.reads(id),
    change(records) {
      const record = id === undefined ? undefined : kind.find(records, id)
      if (!record) return kind.missing()
      const tag = entityTag(kind.toJson(record))
      return failedCondition(conditions, tag, kind.name) ?? change(records, record)
    },
  }
}

export type Outcome =
  | { kind: 'done' | 'replay'; response: RecordedResponse }
  | { kind: 'refused'; error: AppError }
  | { kind: 'unconfirmed' }

export const writeStore: Work<StoreWrite, Outcome> = async (session, writes) => {
  const uses = writes.flatMap(({ use }) => use ?? [])
  const [{ records, save, state }, found] = await Promise.all([
    openRecords(
      session,
      writes.map(({ reads }) => reads),
    ),
    findUses(session, uses),
  ])
  const recorded: { use: Use; response: RecordedResponse }[] = []
  const outcomes = writes.map(({ change, keysVersion, use }): Outcome => {
    if (keysVersion !== undefined && keysVersion !== state.keys_version) {
      return { kind: 'unconfirmed' }
    }
    const earlier = use && found.get(nameOfUse(use))
    if (earlier) return outcomeOfRepeat(use, earlier)
    const response = change(records)
    if (response instanceof AppError) return { kind: 'refused', error: response }
    if (use) {
      found.set(nameOfUse(use), { fingerprint: use.fingerprint, response })
      recorded.push({ use, response })
    }
    return { kind: 'done', response }
  })
  save()
  recordUses(session, recorded)
  return outcomes
}
