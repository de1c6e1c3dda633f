// What the rooms see of a database, whichever engine is behind it.
// Reads see what is committed; writes are group-committed, and have reached the disk when they return.
import type { Query, Value } from './query.ts'

export type Awaitable<T> = T | Promise<T>

/** Where statements run: outside a transaction, or inside the one that a write is given. */
export interface Session {
  /** Rows as objects. Throws `unavailable` when the database does not answer. */
  all<P, Row>(query: Query<P, Row>, params: P): Awaitable<Row[]>
  /** Rows as arrays, in the order of the selected columns: for the pages that are hot. */
  tuples<P, Row>(query: Query<P, Row>, params: P): Awaitable<Value[][]>
  /** Inside a transaction: once it is committed, `onAnnouncement` is called in this process. */
  announce?(): void
}

/**
 * One kind of write, for all of its inputs that share a transaction; gives an outcome for each, in order.
 * It may be run again from the start when something in its transaction failed, so it must do nothing
 * but ask and tell the session.
 */
export type Work<Input, Outcome> = (session: Session, inputs: Input[]) => Promise<Outcome[]>

export interface Database {
  readonly engine: 'sqlite' | 'postgres'
  readonly read: Session
  /** Queues one input of a work; resolves with its outcome once that is on disk. */
  write<Input, Outcome>(work: Work<Input, Outcome>, input: Input): Promise<Outcome>
  /**
   * A number that moves whenever anybody, any process, committed anything here. Undefined where the
   * engine has none that costs no round trip (PostgreSQL).
   */
  changeCounter(): number | undefined
  /** Has `listener` called after each commit here in which a work has announced something. */
  onAnnouncement(listener: () => void): void
  /** Opens a connection of its own for bulk work, with an empty `staged` table of these columns. */
  openStaging(columns: StagedColumns): Promise<Staging>
  close(): Promise<void>
}

export type StagedColumns = Record<string, 'int64' | 'text'>

/**
 * Rows on their way in, many of them: gathered aside, on disk, where nobody else sees them and no lock is
 * held, then moved with one statement in one transaction, so that the lock which all writes need is held
 * for as short as can be. It waits longer than a request may, and it is not group-committed.
 */
export interface Staging {
  /** Appends rows to `staged`: values in the order of the columns, after a `position` that counts from 1. */
  add(rows: Value[][]): Awaitable<void>
  /** Outside of a transaction; `staged` is there. */
  readonly read: Session
  /**
   * Runs body in one durable transaction that sees `staged`, and rolls back when it throws. SQLite's
   * write lock is held from its start, PostgreSQL's locks are taken as its statements need them.
   */
  transaction<T>(body: (session: Session) => Promise<T>): Promise<T>
  /** Forgets what is staged. After a crash the next `migrateDatabase` does. */
  close(): Promise<void>
}

/** Runs a work that minds one input at a time. */
export function each<Input, Outcome>(
  one: (session: Session, input: Input) => Promise<Outcome>,
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

/** The first row of a statement that always has one. */
export async function getOne<P, Row>(
  session: Session,
  query: Query<P, Row>,
  params: P,
): Promise<Row> {
  const row = (await session.all(query, params))[0]
  if (row === undefined) throw new Error(`no row: ${query.on('sqlite').sql}`)
  return row
}
