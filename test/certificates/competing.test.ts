// Several processes on one database: each domain has one order, and the authority has one account of ours.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { eventually } from '../eventually.ts'
import { shared } from '../shared.ts'
import { type Subject, startEngineWorld } from './engine-in-test.ts'

describe.each(cases(engines))('processes on %s', (engine) => {
  const world = shared(() => startEngineWorld(engine))

  it('share the work, with one order for each domain', async () => {
    const subjects: Subject[] = []
    for (let i = 0; i < 8; i++) subjects.push(await world.subject())
    world.faults.asked.length = 0
    const processes = [1, 2, 3].map(() => world.startEngine({ database: world.openAgain() }))
    for (const each of processes) each.begin()
    const failed = new Map<string, number>()
    await eventually(
      async () => {
        const seen = await Promise.all(subjects.map(({ id }) => world.get(id)))
        // A process whose database was slow lets its lease expire. On a busy machine the authority may give up a
        // validation: it is counted before the clock moves to when it is due again.
        const due = seen.map(({ state: { certificate, failures, issueAt } }, i) => {
          if (certificate !== 'retry_wait') return 0
          failed.set(subjects[i]?.id ?? '', failures)
          return issueAt ?? 0
        })
        world.clock.now = Math.max(Date.now(), world.clock.now, ...due)
        return seen
      },
      (seen) => seen.every(({ state }) => state.certificate === 'issued'),
    )
    const count = (line: string) => world.asked().filter((each) => each === line).length
    const again = [...failed.values()].reduce((sum, failures) => sum + failures, 0)
    expect(count('POST order-plz')).toBe(subjects.length + again)
    expect(count('POST finalize-order')).toBe(subjects.length)
    const { accounts, certificates, orders } = await world.rows()
    expect([accounts.length, certificates.length, orders.length]).toEqual([1, subjects.length, 0])
    expect(certificates.every(({ is_current }) => is_current === 1n)).toBe(true)
    // The process that started with the account has the same key.
    const counted = processes.flatMap((each) => each.counted)
    expect(counted).toHaveLength(subjects.length)
    for (const each of processes) await each.stop()
  })

  it('start at the same time with one account and one root', async () => {
    const other = await startEngineWorld(engine)
    const subjects = [await other.subject(), await other.subject(), await other.subject()]
    const made = subjects.map(() => other.startEngine({ database: other.openAgain() }))
    await Promise.all(subjects.map((subject, i) => made[i]?.settle(subject)))
    const { accounts, certificates } = await other.rows()
    expect([accounts.length, certificates.length]).toEqual([1, 3])
    await other.release()
  })
})
