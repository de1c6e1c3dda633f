// The right to work on a row, for one process of all nodes. A lease is a token with an expiry, both in the row itself:
//
//   free   `expiresAt` is null or has passed. `claim` takes rows that are due, by one statement, for `durationMs`.
//   held   the holder renews it three times as often, and shows the token in each transaction of the work. `release` frees
//          the row, at once or from a time on. Without that it expires, and another process continues the work.
//   lost   the row was removed, or another process has claimed it: no statement with the old token changes anything.
//
// An expired lease that nobody has claimed still counts, and can be renewed. Leases that are shorter than clocks may differ
// are claimed and renewed by the database's clock: a node whose clock is ahead would take those of others.
import { randomUUID } from 'node:crypto'
import { type Expression, type Kysely, type RawBuilder, type SelectType, sql } from 'kysely'
import {
  type Awaitable,
  type Database,
  each,
  findOne,
  type Session,
  type Work,
  type WriteSession,
} from '../database/database.ts'
import { type Compilable, type Param, queriesFor, type Value } from '../database/query.ts'
import { readDatabaseClock } from '../database/read-clock.ts'
import type { Logger } from '../log.ts'
import { startPollLoop } from './poll-loop.ts'

/** The columns that the row is found by, and the token. */
export type Lease<Key = object> = Key & { token: string }

/** The row was removed, or another process has claimed it: nothing more of this work counts. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
  constructor(message = 'the lease was lost') {
    super(message)
  }
}

/** Nodes whose clocks differ by more take no leases. */
const maxClockErrorMs = 60_000

interface DueParams {
  now: number
  max: number
}

interface ClaimParams extends DueParams {
  /** A random one by default. */
  token?: string
}

export interface LeaseOptions<Tables, Table extends keyof Tables, Column, Params> {
  table: Table
  /** The primary key. */
  key: readonly Column[]
  token: keyof Tables[Table] & string
  expiresAt: keyof Tables[Table] & string
  /** A process that holds a lease renews it three times as often. */
  durationMs: number
  /** Taken first by each transaction: two claims at once never wait for each other's rows. */
  lock(session: WriteSession): Awaitable<void>
  /**
   * Selects the columns of `key`, in that order, of the first `max` rows that are due and not leased: `isFree` of their
   * `expiresAt`. Default: those whose `expiresAt` has passed, the earliest first.
   */
  due?(db: Kysely<Tables>, param: Param<Params & DueParams>, isFree: IsFree): DueRows
}

/** Nobody has a lease until `expiresAt`, a column. */
type IsFree = (expiresAt: string) => RawBuilder<boolean>

type DueRows = Expression<unknown> & Compilable<unknown>

type Row = Record<string, Value>

/** Of which only the options know more. */
export type AnyTables = Record<string, Row>

const prepareRow = queriesFor<AnyTables>()

/** `leasesOf<Tables>()<Params>()({ table: … })`: the leases on the rows of a table. */
export function leasesOf<Tables>() {
  return <Params extends object = object>() =>
    <Table extends keyof Tables & string, Column extends keyof Tables[Table] & string>(
      options: LeaseOptions<Tables, Table, Column, Params>,
    ) => {
      type Key = { [Name in Column]: SelectType<Tables[Table][Name]> }
      return createLeases<Key, Params>(options as never)
    }
}

export function createLeases<Key, Params extends object>(
  options: LeaseOptions<AnyTables, string, string, Params>,
) {
  const { durationMs, expiresAt, key, lock, table, token } = options
  const columns = sql.join(key.map((column) => sql.ref(column)))

  /** Longer than any lease lasts: it was taken while a clock was ahead, and would keep others out until then. */
  const isTooLong = (column: string, param: Param<Params & DueParams>) =>
    sql<boolean>`${sql.ref(column)} - ${sql.lit(durationMs + maxClockErrorMs)} > ${param('now')}`
  const earliest = (db: Kysely<AnyTables>, param: Param<Params & DueParams>): DueRows => {
    const passed = db
      .selectFrom(table)
      .select([...key])
      .where(
        sql<boolean>`(${sql.ref(expiresAt)} <= ${param('now')} or ${sql.ref(token)} is not null and ${isTooLong(expiresAt, param)})`,
      )
      .limit(param('max'))
    return [expiresAt, ...key].reduce((query, column) => query.orderBy(column), passed)
  }
  const selectDue = (db: Kysely<AnyTables>, param: Param<Params & DueParams>): DueRows =>
    options.due?.(db, param, (column) => {
      const until = sql.ref(column)
      return sql`(${until} is null or ${until} < ${param('now')} or ${isTooLong(column, param)})`
    }) ?? earliest(db, param)
  const due = prepareRow<Params & DueParams>()(selectDue)
  const claim = prepareRow<Params & DueParams & { token: string; until: number }>()(
    (db, param) => sql<Key>`update ${sql.table(table)}
          set ${sql.ref(token)} = ${param('token')}, ${sql.ref(expiresAt)} = ${param('until')}
          where (${columns}) in ${selectDue(db, param)} returning ${columns}`,
  )
  /**
   * Prepares a statement on the row of a lease, of which `start` gives what comes before its conditions. For a write that
   * has the lock; without effect, and false, when the lease is lost.
   */
  const whileHeld = (
    start: (param: Param<Row>) => RawBuilder<unknown>,
    end: RawBuilder<unknown> = sql`returning 1 as held`,
  ) => {
    const query = prepareRow<Row>()((_db, param) => {
      const isHeld = [...key, token].map((column) => sql`${sql.ref(column)} = ${param(column)}`)
      const where = sql`where ${sql.join(isHeld, sql` and `)}`
      return sql<Row>`${start(param)} ${where} ${end}`
    })
    return async (session: Session, lease: Lease<Key>, more: Row = {}): Promise<boolean> => {
      const row = lease as unknown as Row
      const keyOfRow = Object.fromEntries(key.map((column) => [column, row[column] as Value]))
      const params = { ...keyOfRow, [token]: lease.token, ...more }
      return (await findOne(session, query, params)) !== undefined
    }
  }
  const update = sql`update ${sql.table(table)} set ${sql.ref(expiresAt)} =`
  const renew = whileHeld((param) => sql`${update} ${param('until')}`)
  const release = whileHeld((param) => sql`${update} ${param('until')}, ${sql.ref(token)} = null`)
  const find = whileHeld(() => sql`select 1 as held from ${sql.table(table)}`, sql``)

  async function claimLeases(
    session: WriteSession,
    { token: given = randomUUID(), ...params }: Params & ClaimParams,
  ): Promise<Lease<Key>[]> {
    await lock(session)
    const until = params.now + durationMs
    const rows = await session.all(claim, {
      ...(params as Params & DueParams),
      token: given,
      until,
    })
    return rows.map((row) => ({ ...row, token: given }))
  }

  async function releaseLease(
    session: WriteSession,
    { at = null, lease }: { lease: Lease<Key>; at?: number | null },
  ): Promise<void> {
    await lock(session)
    await release(session, lease, { until: at })
  }

  return {
    durationMs,
    /** Claims at most `max` rows that are due, inside a write. */
    claim: claimLeases,
    claimTransaction: each(claimLeases),
    /** Whether anything is due. */
    async isDue(session: Session, params: Params & { now: number }): Promise<boolean> {
      return (await findOne(session, due, { ...params, max: 1 })) !== undefined
    },
    /** False when the lease is lost. */
    renewTransaction: each(async (session, { lease, now }: { lease: Lease<Key>; now: number }) => {
      await lock(session)
      return await renew(session, lease, { until: now + durationMs })
    }),
    /** Lets the row be claimed at once, or from `at` on, inside a write. Without effect when the lease is lost. */
    release: releaseLease,
    releaseTransaction: each(releaseLease),
    /** Throws LeaseLostError unless the lease is held. Inside a write that has the lock. */
    async requireLease(session: Session, lease: Lease<Key>): Promise<void> {
      if (!(await find(session, lease))) throw new LeaseLostError()
    },
    whileHeld,
  }
}

/**
 * Does work under a lease, which it renews. The work's signal aborts when `signal` does, and with a
 * LeaseLostError when the lease is lost. The lease is not released.
 */
export async function renewWhile<Key, T>(
  leases: {
    durationMs: number
    renewTransaction: Work<{ lease: Lease<Key>; now: number }, boolean>
  },
  lease: Lease<Key>,
  context: { database: Database; log: Logger; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { database, log, signal } = context
  const lost = new AbortController()
  const renewals = startPollLoop({
    name: 'renewing a lease',
    log,
    intervalMs: leases.durationMs / 3,
    startsNow: false,
    // Without a response nothing is known: the next one comes before the lease expires.
    async poll() {
      const now = await readDatabaseClock(database)
      const isHeld = await database.write(leases.renewTransaction, { lease, now })
      if (!isHeld) lost.abort(new LeaseLostError())
    },
  })
  try {
    return await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    await renewals.stop()
  }
}
