// Errors of PostgreSQL in a transaction and at its commit, and commits that no synchronous standby confirms: 503 when
// nothing was changed, 504 outcome_unknown when that is unknown.

import pg from 'pg'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { connectTo, requireStandby } from '../nodes/postgres-client.ts'
import { placeForTest } from '../place-for-test.ts'
import { type Postgres, startPostgres } from '../postgres.ts'
import {
  create,
  expectNothingChanged,
  expectOnce,
  expectUnknown,
  shortTimeout,
  slow,
  startOn,
} from './written-once.ts'

describe.runIf(engines.includes('postgres'))('an error of PostgreSQL', slow, () => {
  /** Raised for animals named Rex, when they are inserted or at the commit. */
  async function startWithTrigger(when: 'insert' | 'commit', action: string) {
    const place = await placeForTest('postgres')
    const client = await connectTo(place)
    const store = await startOn(place, { DATABASE_TIMEOUT_MS: shortTimeout })
    await client.query(`create function production.refuse() returns trigger language plpgsql as
      $$ begin if new.name = 'Rex' then ${action}; end if; return new; end $$`)
    const deferred = when === 'commit' ? 'deferrable initially deferred' : ''
    await client.query(`create constraint trigger refuse after insert on production.pets ${deferred}
      for each row execute function production.refuse()`)
    return { client, store, drop: () => client.query('drop trigger refuse on production.pets') }
  }

  const transient = '40001 40P01 57P01 57P03 08006 08003 25006 57014 53100'.split(' ')
  const end = 'perform pg_terminate_backend(pg_backend_pid()), pg_sleep(0)'
  const errors = [
    ...transient.map((code) => ['insert', code, 503] as const),
    ...['40001', '40P01', '57014'].map((code) => ['commit', code, 503] as const),
    ...['40003', '08007'].map((code) => ['commit', code, 504] as const),
    // The connection ends.
    ...[['insert', end, 503] as const, ['commit', end, 504] as const],
  ]
  const isFirstOfKind = ([when, , status]: (typeof errors)[number], index: number) =>
    when !== errors[index - 1]?.[0] || status !== errors[index - 1]?.[2]
  it.each(cases(errors, isFirstOfKind))('at the %s, %s, is a %i', async (when, code, status) => {
    const action = code === end ? end : `raise exception using errcode = '${code}'`
    const { drop, store } = await startWithTrigger(when, action)
    const response = await create(store, 'Rex', 'Rex')
    if (status === 503) expectNothingChanged(response)
    else expectUnknown(response)
    await drop()
    await expectOnce(store, 'Rex', false)
  })

  it('slow at its lock and at its insert, in time at each but not at both, is a 504', async () => {
    const sleep = `pg_sleep(${(0.6 * Number(shortTimeout)) / 1000})`
    const { client, drop, store } = await startWithTrigger('insert', `perform ${sleep}`)
    await client.query('begin; update production.store_state set id = id')
    const unlocked = client.query(`select ${sleep}; commit`)
    expectUnknown(await create(store, 'Rex', 'Rex'))
    await unlocked
    await drop()
    await expectOnce(store, 'Rex', true)
  })
})

describe.runIf(engines.includes('postgres'))('a commit that no standby confirms', slow, () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
    return () => postgres.stop()
  })

  async function start(timeoutMs: string) {
    const client = await connectTo({ databaseUrl: postgres.url })
    const name = `standby_${timeoutMs}_${Date.now()}`
    await client.query(`create database ${name}`)
    const databaseUrl = postgres.url.replace(/postgres$/, name)
    const place = { ...(await placeForTest('sqlite')), databaseUrl }
    const store = await startOn(place, { DATABASE_TIMEOUT_MS: timeoutMs })
    const require = (name: string): Promise<void> => requireStandby(client, name)
    /** Signals the commits that wait, of this application, until one has its result. */
    const signal = async (name: string, application: string, commit: Promise<unknown>) => {
      let isDone = false
      const done = commit.finally(() => {
        isDone = true
      })
      const signalled = `select ${name}(pid) from pg_stat_activity
        where wait_event = 'SyncRep' and application_name = '${application}'`
      const hasResult = async (): Promise<boolean> => {
        await client.query(signalled)
        return isDone
      }
      await expect.poll(hasResult).toBe(true)
      await done
    }
    await require('nobody')
    onTestFinished(() => require(''))
    // Commits wait once the checkpointer has read the setting, which may be later than a session shows it.
    const probe = new pg.Client({ connectionString: databaseUrl, application_name: 'probe' })
    await probe.connect()
    onTestFinished(() => probe.end())
    let waits = false
    probe.on('notice', () => {
      waits = true
    })
    while (!waits) {
      const commit = probe.query(`comment on database ${name} is 'committed'`)
      await signal('pg_cancel_backend', 'probe', commit)
    }
    const signalCommit = (name: string, commit: Promise<unknown>): Promise<void> =>
      signal(name, 'animal-store production', commit)
    return { require, signalCommit, store }
  }

  it('is not acknowledged, and the writes behind it change nothing', async () => {
    const { require, store } = await start(shortTimeout)
    expectUnknown(await create(store, 'Rex', 'Rex'))
    expectNothingChanged(await create(store, 'Max', 'Max'))
    await require('')
    await expectOnce(store, 'Rex', true)
    await expectOnce(store, 'Max', false)
  })

  it.each(cases(['pg_cancel_backend', 'pg_terminate_backend']))('nor after %s', async (signal) => {
    const { require, signalCommit, store } = await start('20000')
    const creating = create(store, 'Rex', 'Rex')
    await signalCommit(signal, creating)
    expectUnknown(await creating)
    await require('')
    await expectOnce(store, 'Rex', true)
  })
})
