// The database interface, independent of the engine. Reads see committed data. Writes that arrive together share a
// transaction (group commit), which is on disk when they return, except in a database that is opened without durability.
import type { Clock } from '../clock.ts'
import type { Query, Value } from './query.ts'

export type Awaitable<T> = T | Promise<T>

/** Calls `use` with the value: immediately if it is available, so that the result is, too. */
export function withValue<T, R>(
  value: Awaitable<T>,
  use: (value: T) => Awaitable<R>,
): Awaitable<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}

/** Runs statements, outside a transaction or inside the transaction of a write. */
export interface Session {
  /** Statements are messages to a server: one for many rows takes less than one for each. */
  readonly isRemote?: true
  /** Rows as objects. Throws `unavailable` if the database does not respond. */
  all<P, Row>(query: Query<P, Row>, params: P): Awaitable<Row[]>
  /** Rows as arrays, in the order of the selected columns. Faster than objects. */
  tuples<P, Row>(query: Query<P, Row>, params: P): Awaitable<Value[][]>
  /** Inside a transaction: calls the `onAnnouncement` listeners of this process after the commit. */
  announce?(): void
}

/**
 * Runs statements inside the transaction of a write. On PostgreSQL, what is asked for without waiting in between is one
 * round trip.
 */
export interface WriteSession extends Session {
  /**
   * Runs a statement whose rows nobody needs, without waiting for it: PostgreSQL gets it together with the next statement
   * that is waited for, or with the commit, which fails if it does.
   */
  run<P>(query: Query<P, unknown>, params: P): void
}

/**
 * One kind of write. Handles all of its inputs in a transaction and returns one outcome per input, in order.
 * It may be run again if its transaction failed, so it must have no effects other than its statements.
 */
export type Work<Input, Outcome> = (session: WriteSession, inputs: Input[]) => Promise<Outcome[]>

export interface Database {
  readonly engine: 'sqlite' | 'postgres'
  /** The clock that all its users share. Undefined on PostgreSQL: statements use the server's own. */
  readonly clock: Clock | undefined
  readonly read: Session
  /** Queues one input of a write; resolves with its outcome once it is on disk. */
  write<Input, Outcome>(work: Work<Input, Outcome>, input: Input): Promise<Outcome>
  /**
   * Runs one statement as a transaction of its own: on PostgreSQL in the round trip of the reads of the same turn. Of what
   * need not be durable: it is not known what a statement without a response has done.
   */
  execute<P, Row>(query: Query<P, Row>, params: P): Promise<Row[]>
  /**
   * A number that changes with every commit by any process. Undefined if reading it would need a round
   * trip (PostgreSQL).
   */
  changeCounter(): number | undefined
  /** Calls `listener` after each commit in this process in which a write called `announce`. */
  onAnnouncement(listener: () => void): void
  /** Opens a separate connection for bulk inserts, with an empty `staged` table of these columns. */
  openStaging(columns: StagedColumns): Promise<Staging>
  close(): Promise<void>
}

export type StagedColumns = Record<string, 'int64' | 'text'>

/**
 * Staging for bulk inserts: rows are collected in a private table on disk without holding a lock, then moved
 * with one statement in one transaction, so that the write lock is held only briefly. Its time-outs are
 * longer than those of requests, and it is not group-committed.
 */
export interface Staging {
  /** Appends rows to `staged`: a `position` from 1, then the values in the order of the columns. */
  add(rows: Value[][]): Awaitable<void>
  /** Reads outside a transaction, including `staged`. */
  readonly read: Session
  /**
   * Runs `body` in one durable transaction that can read `staged`; rolls back if it throws. SQLite holds
   * the write lock from the start, PostgreSQL takes locks as statements need them.
   */
  transaction<T>(body: (session: WriteSession) => Promise<T>): Promise<T>
  /** Deletes the staged rows. After a crash, the next `migrateDatabase` deletes them. */
  close(): Promise<void>
}

/** A write that handles its inputs one by one. */
export function each<Input, Outcome>(
  one: (session: WriteSession, input: Input) => Promise<Outcome>,
): Work<Input, Outcome> {
  return async (session, inputs) => {
    const outcomes: Outcome[] = []
    for (const input of inputs) outcomes.push(await one(session, input))
    return outcomes
  }
}

/** The first row, or undefined. */
export async function findOne<P, Row>(
  session: Session,
  query: Query<P, Row>,
  params: P,
): Promise<Row | undefined> {
  return (await session.all(query, params))[0]
}

/** The first row of a query that always returns one. */
export async function getOne<P, Row>(
  session: Session,
  query: Query<P, Row>,
  params: P,
): Promise<Row> {
  const row = (await session.all(query, params))[0]
  if (row === undefined) throw new Error(`no row: ${query.on('sqlite').sql}`)
  return row
}
