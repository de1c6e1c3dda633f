// The outbox: messages about a change are inserted into a table by the transaction of that change, so that they are sent
// if, and only if, it commits. A database has tables of its own for them; this is what delivers from all of them.
//
// `due_at`, `claim` and `tries` of a row say what state its message is in:
//   waiting  without a claim: the next attempt is at `due_at`. `tries` counts the attempts so far.
//   held     without a claim and `due_at`: the table's own rules let it go, once an earlier message has ended.
//   claimed  `claim` is the token of a lease until `due_at`: one process makes an attempt. A lease lasts longer than an
//            attempt can take. That of a process that died expires, and another sends the message again: it is delivered
//            at least once.
//   ended    delivered, or given up: the row is deleted, or kept without claim and `due_at`.
// Only the holder of the lease moves a message on: once another process has claimed it, a late outcome changes nothing.

import { setTimeout as delay } from 'node:timers/promises'
import { type SelectType, sql } from 'kysely'
import { type Database, each, type Session, type WriteSession } from '../database/database.ts'
import { transactionsUnder } from '../database/transactions.ts'
import { isDatabaseOutage } from '../errors.ts'
import { type JobRunnerOptions, startJobRunner } from '../jobs/job-runner.ts'
import { type AnyTables, createLeases, type Lease, type LeaseOptions } from '../jobs/lease.ts'
import type { PollLoop } from '../jobs/poll-loop.ts'

const leaseMs = 60_000
/** Messages of other processes are looked for so often. */
export const intervalMs = 1000
const recordAgainMs = 1000
const maxRecordTries = 10

/** Of an attempt: undefined after success; `nextAt` is when it is repeated, undefined when it is given up. */
export type Failure = { error: string; nextAt: number | undefined } | undefined

/** What a process has claimed. */
export type Message<Key, Content> = Content & { lease: Lease<Key> }

interface OutboxOptions<Tables, Table extends keyof Tables, Column, Params, Key, Content>
  extends Omit<LeaseOptions<Tables, Table, Column, Params>, 'token' | 'expiresAt' | 'durationMs'> {
  /** Reads a message that was claimed. */
  read(session: Session, lease: Lease<Key>): Promise<Content>
  ended: 'deleted' | 'kept'
}

/** `outboxOf<Tables>()<Params>()({ table: … })`: the messages in a table. `Params` are those of `due`. */
export function outboxOf<Tables>() {
  return <Params extends object = object>() =>
    <
      Table extends keyof Tables & string,
      Column extends keyof Tables[Table] & string,
      Content extends object,
      Key extends object = { [Name in Column]: SelectType<Tables[Table][Name]> },
    >(
      options: OutboxOptions<Tables, Table, Column, Params, Key, Content>,
    ) =>
      createOutbox<Key, Params, Content>(options as never)
}

export type Outbox<Key, Params extends object, Content extends object> = ReturnType<
  typeof createOutbox<Key, Params, Content>
>

function createOutbox<Key, Params extends object, Content extends object>({
  ended,
  read,
  ...options
}: OutboxOptions<AnyTables, string, string, Params, Key, Content>) {
  const { lock, table } = options
  const columns = { token: 'claim', expiresAt: 'due_at' }
  const leases = createLeases<Key, Params>({ ...options, ...columns, durationMs: leaseMs })
  const move = leases.whileHeld(
    (param) =>
      sql`update ${sql.table(table)}
        set claim = null, due_at = ${param('next')}, tries = tries + 1`,
  )
  const drop = leases.whileHeld(() => sql`delete from ${sql.table(table)}`)

  type Due = Params & { now: number; max: number }
  const claim = async (session: WriteSession, due: Due): Promise<Message<Key, Content>[]> => {
    const claimed = await leases.claim(session, due)
    return await Promise.all(
      claimed.map(async (lease) => ({ ...(await read(session, lease)), lease })),
    )
  }
  const claimTransaction = each(claim)
  const finish = (session: Session, lease: Lease<Key>, nextAt: number | undefined) =>
    nextAt === undefined && ended === 'deleted'
      ? drop(session, lease)
      : move(session, lease, { next: nextAt ?? null })

  return {
    /** Whether a message is due. */
    isDue: leases.isDue,
    /** Claims at most `max` messages that are due, inside a write. */
    claim,
    /** The same in a transaction of its own, and without any if nothing is due. */
    claimDue: async (database: Database, due: Due) =>
      (await leases.isDue(database.read, due)) ? await database.write(claimTransaction, due) : [],
    /** Ends a message, or lets it wait until `nextAt`; inside a write that has the lock. False when its lease was lost. */
    finish,
    /** The same in a transaction of its own. */
    finishTransaction: transactionsUnder(lock)(
      async (session, lease: Lease<Key>, nextAt: number | undefined) => {
        const isHeld = await finish(session, lease, nextAt)
        // Another message that waited for this one may be due now.
        session.announce?.()
        return isHeld
      },
    ),
  }
}

interface Delivery<Message, Outcome>
  extends Pick<JobRunnerOptions<Message>, 'name' | 'log' | 'maxJobs' | 'claim' | 'describe'> {
  database: Pick<Database, 'onAnnouncement'>
  /** One attempt. Throws only on internal errors: it is repeated when the lease expires. */
  send(message: Message): Promise<Outcome>
  /** Records an attempt, in one transaction that has an effect only once. */
  finish(message: Message, outcome: Outcome): Promise<unknown>
  /** Called with the error when an attempt could not be recorded: it is repeated when the lease expires. */
  onUnrecorded?(message: Message, error: unknown): void
}

/** Delivers messages, a few side by side; after each commit here that announces some. `stop` as in startJobRunner. */
export function startDelivery<Message, Outcome>(options: Delivery<Message, Outcome>): PollLoop {
  const { finish, onUnrecorded, send, ...jobs } = options

  /** Tries for a while when the database is away. */
  async function record(message: Message, outcome: Outcome, signal: AbortSignal): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await finish(message, outcome)
        return
      } catch (error) {
        if (signal.aborted) return
        if (isDatabaseOutage(error) && tries < maxRecordTries) {
          await delay(recordAgainMs, undefined, { ref: false })
          continue
        }
        if (!onUnrecorded) throw error
        onUnrecorded(message, error)
        return
      }
    }
  }

  const runner = startJobRunner<Message>({
    ...jobs,
    intervalMs,
    run: async (message, signal) => await record(message, await send(message), signal),
  })
  options.database.onAnnouncement(runner.wake)
  return runner
}
