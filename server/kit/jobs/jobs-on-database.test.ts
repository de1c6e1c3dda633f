// Leases and the deletion of old rows with two processes that share a database, on each engine.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTestDatabase, type Engine, engines } from '../../../test/database.ts'
import { type Database, each, type Session } from '../database/database.ts'
import { migrateDatabase, openDatabase } from '../database/engines/open.ts'
import { rowInserter } from '../database/insert-rows.ts'
import { queriesFor } from '../database/query.ts'
import { oldRowsOf } from './delete-old-rows.ts'
import { startJobRunner } from './job-runner.ts'
import { type Lease, LeaseLostError, leasesOf, renewWhile } from './lease.ts'

interface Tables {
  jobs: {
    owner: string
    number: bigint
    due_at: bigint
    lease: string | null
    lease_until: bigint | null
    done: bigint
  }
  /** One row, which transactions lock before they change jobs. */
  locked: { times: bigint }
}

const prepareQuery = queriesFor<Tables>()
const list = prepareQuery()((db) => db.selectFrom('jobs').selectAll().orderBy('number'))
const lockRow = prepareQuery()((db) =>
  db.updateTable('locked').set((eb) => ({ times: eb('times', '+', 1n) })),
)
const remove = prepareQuery<{ number: number }>()((db, param) =>
  db.deleteFrom('jobs').where('number', '=', param('number')),
)
const countDone = prepareQuery<{ number: bigint }>()((db, param) =>
  db
    .updateTable('jobs')
    .set((eb) => ({ done: eb('done', '+', 1n), due_at: 1_000_000n }))
    .where('number', '=', param('number')),
)

const lock = async (session: Session): Promise<void> => {
  await session.all(lockRow, {})
}
const jobs = leasesOf<Tables>()()({
  ...{ table: 'jobs', key: ['owner', 'number'], token: 'lease', expiresAt: 'lease_until' },
  ...{ durationMs: 1000, lock },
  due: (db, param, isFree) =>
    db
      .selectFrom('jobs')
      .select(['owner', 'number'])
      .where('due_at', '<=', param('now'))
      .where(isFree('lease_until'))
      .orderBy('number')
      .limit(param('max')),
})
const byExpiry = leasesOf<Tables>()()({
  ...{ table: 'jobs', key: ['owner', 'number'], token: 'lease', expiresAt: 'lease_until' },
  ...{ durationMs: 1000, lock },
})
type JobLease = Lease<{ owner: string; number: bigint }>

const insertJobs = rowInserter<Tables>()('jobs')
const insertTransaction = each(
  async (session, jobs: { number: bigint; due_at: bigint }[]) =>
    await insertJobs(
      session,
      jobs.map((job) => ({ owner: 'a', done: 0n, ...job })),
    ),
)
const removeTransaction = each(async (session, number: number) => {
  await session.all(remove, { number })
})
const finishTransaction = each(async (session, lease: JobLease) => {
  await lock(session)
  await jobs.requireLease(session, lease)
  await session.all(countDone, { number: lease.number })
})

/** Two processes on a database with jobs 1 to `count`, all of them due at 100. */
async function processes(engine: Engine, count: number): Promise<[Database, Database]> {
  const { release, ...where } = await createTestDatabase(engine)
  const create = ({ int64, strict }: { int64: string; strict: string }): string =>
    `create table jobs (owner text not null, number ${int64} not null, due_at ${int64} not null,
      lease text, lease_until ${int64}, done ${int64} not null, primary key (owner, number)) ${strict};
      create table locked (times ${int64} not null) ${strict}; insert into locked values (0)`
  await migrateDatabase(where, 'jobs', [{ id: 1, name: 'jobs', sql: create }])
  const open = () => openDatabase(where, 'jobs', { onError: () => {} })
  const databases: [Database, Database] = [open(), open()]
  onTestFinished(async () => {
    await Promise.all(databases.map((database) => database.close()))
    await release()
  })
  const all = Array.from({ length: count }, (_, i) => ({ number: BigInt(i + 1), due_at: 100n }))
  await databases[0].write(insertTransaction, all)
  return databases
}

const log = { warn: vi.fn(), error: vi.fn() } as never

describe.each(engines)('leases on %s', (engine) => {
  it('are acquired by one process, and by others after they expire', async () => {
    const [one, other] = await processes(engine, 10)
    expect(await jobs.isDue(one.read, { now: 99 })).toBe(false)
    expect(await jobs.isDue(one.read, { now: 100 })).toBe(true)
    const claims = await Promise.all(
      [one, other, one, other].map((database) =>
        database.write(jobs.claimTransaction, { now: 100, max: 3 }),
      ),
    )
    const claimed = claims.flat().map(({ number }) => Number(number))
    expect(claimed.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(await jobs.isDue(one.read, { now: 1100 })).toBe(false)
    const [again] = await other.write(jobs.claimTransaction, { now: 1101, max: 1 })
    expect(again?.number).toBe(1n)
    expect(claims.flat().map(({ token }) => token)).not.toContain(again?.token)
  })

  it('are acquired by others if a clock was ahead when they were taken', async () => {
    const [one, other] = await processes(engine, 1)
    for (const leases of [jobs, byExpiry]) {
      const [ahead] = (await one.write(leases.claimTransaction, { now: 1e9, max: 1 })) as [JobLease]
      expect(await leases.isDue(other.read, { now: 1e9 })).toBe(false)
      expect(await other.write(leases.claimTransaction, { now: 200, max: 1 })).toHaveLength(1)
      await expect(one.write(finishTransaction, ahead)).rejects.toThrow(LeaseLostError)
      expect(await leases.isDue(one.read, { now: 200 })).toBe(false)
    }
  })

  it('write nothing after they are lost, whether or not another process holds them', async () => {
    const [one, other] = await processes(engine, 1)
    const [slow] = (await one.write(jobs.claimTransaction, { now: 100, max: 1 })) as [JobLease]
    const [quick] = (await other.write(jobs.claimTransaction, { now: 1101, max: 1 })) as [JobLease]
    await expect(one.write(finishTransaction, slow)).rejects.toThrow(LeaseLostError)
    expect(await one.write(jobs.renewTransaction, { lease: slow, now: 1200 })).toBe(false)
    await one.write(jobs.releaseTransaction, { lease: slow })
    expect(await other.write(jobs.renewTransaction, { lease: quick, now: 1500 })).toBe(true)
    expect(await jobs.isDue(one.read, { now: 2500 })).toBe(false)
    await other.write(finishTransaction, quick)
    expect((await one.read.all(list, {}))[0]?.done).toBe(1n)
    await other.write(jobs.releaseTransaction, { lease: quick, at: 2_000_000 })
    expect(await jobs.isDue(one.read, { now: 1_999_999 })).toBe(false)
  })

  it('abort their work once they are lost, but not while the database is unavailable', async () => {
    const [one, other] = await processes(engine, 1)
    const [lease] = (await one.write(jobs.claimTransaction, { now: 100, max: 1 })) as [JobLease]
    const renewedAfterFailure = Promise.withResolvers<void>()
    let renewals = 0
    const away: Database = {
      ...one,
      async write(work, input) {
        renewals += 1
        if (renewals === 1) throw new Error('the database is away')
        const outcome = await one.write(work, input)
        renewedAfterFailure.resolve()
        return outcome
      },
    }
    const context = { database: away, log, signal: new AbortController().signal }
    const often = { ...jobs, durationMs: 30 }
    const work = renewWhile(often, lease, context, async (signal) => {
      await renewedAfterFailure.promise
      expect(signal.aborted).toBe(false)
      await other.write(removeTransaction, 1)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw signal.reason
    })
    await expect(work).rejects.toThrow(LeaseLostError)
  })
})

it.each(engines)('two processes run each job once, on %s', async (engine) => {
  const databases = await processes(engine, 40)
  const done = new Set<bigint>()
  let most = 0
  let running = 0
  const all = Promise.withResolvers<void>()
  const runners = databases.map((database) =>
    startJobRunner<JobLease>({
      name: 'a job',
      log,
      maxJobs: 3,
      intervalMs: 60_000,
      claim: (max) => database.write(jobs.claimTransaction, { now: 100, max }),
      async run(lease) {
        most = Math.max(most, ++running)
        await nextTurn()
        running -= 1
        // One in five fails after its work and must not block the others.
        await database.write(finishTransaction, lease)
        done.add(lease.number)
        if (done.size === 40) all.resolve()
        if (lease.number % 5n === 0n) throw new Error('no')
      },
    }),
  )
  await all.promise
  await Promise.all(runners.map((runner) => runner.stop()))
  expect(most).toBeLessThanOrEqual(6)
  const rows = await databases[0].read.all(list, {})
  expect(rows.map((row) => row.done)).toEqual(Array(40).fill(1n))
})

it.each(engines)('two processes delete old rows in short transactions, on %s', async (engine) => {
  const [one, other] = await processes(engine, 0)
  const numbers = Array.from({ length: 1200 }, (_, i) => BigInt(i))
  const old = numbers.map((number) => ({ number, due_at: number }))
  await one.write(insertTransaction, old)
  const deleteOld = oldRowsOf<Tables>()({
    table: 'jobs',
    key: ['owner', 'number'],
    time: 'due_at',
    keptMs: 100,
    lock,
  })
  let writes = 0
  const counted: Database = {
    ...one,
    write(work, input) {
      writes += 1
      return one.write(work, input)
    },
  }
  await Promise.all([deleteOld(counted, 1200), deleteOld(other, 1200)])
  expect((await one.read.all(list, {})).map(({ number }) => number)).toEqual(numbers.slice(1100))
  const before = writes
  await deleteOld(counted, 1200)
  expect(writes).toBe(before)
})
