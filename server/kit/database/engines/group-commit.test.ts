// Deadlines of the write queue, with a clock that the test sets.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Session } from '../database.ts'
import { type CommitGate, GroupCommit, type Transaction } from './group-commit.ts'

const timeoutMs = 1000
const unavailable = { code: 'unavailable', headers: { 'Retry-After': '1' } }
const unknown = { code: 'outcome_unknown', headers: {} }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A database whose transactions stop at each step until the test lets them go on. */
function startDatabase() {
  const committed: string[] = []
  const begun: string[][] = []
  let gate: CommitGate | undefined
  let stops = 0
  let step = Promise.withResolvers<void>()
  const pause = async (): Promise<void> => {
    await step.promise
    step = Promise.withResolvers()
  }
  const commits = new GroupCommit(timeoutMs, async (itsGate, body) => {
    gate = itsGate
    gate.onStop(() => {
      stops++
      step.reject(new Error('the connection was closed'))
    })
    const value = await body({} as Transaction)
    const written = begun.at(-1) ?? []
    await pause()
    itsGate.enter()
    await pause()
    committed.push(...written)
    return value
  })
  const work = async (_: Session, inputs: string[]): Promise<string[]> => {
    begun.push(inputs)
    return inputs
  }
  return {
    begun,
    committed,
    stops: () => stops,
    /** Resolves to the outcome or the error. */
    write: (input: string): Promise<unknown> => commits.write(work, input).catch((error) => error),
    /** The transaction sends its commit, or its commit is confirmed. */
    async goOn(): Promise<void> {
      step.resolve()
      await turn()
    },
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    idle: () => commits.idle(),
  }
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
}

describe('a transaction that is late', () => {
  it('before its commit is stopped: all its writes have changed nothing', async () => {
    const database = startDatabase()
    const writes = [database.write('a'), database.write('b')]
    await turn()
    await database.pass(timeoutMs)
    expect(await Promise.all(writes)).toMatchObject([unavailable, unavailable])
    expect(database.stops()).toBe(1)
    await database.idle()
    expect(database.begun).toEqual([['a', 'b']])
    expect(database.committed).toEqual([])
  })

  it('in its commit has an unknown outcome for all its writes, and is not run again', async () => {
    const database = startDatabase()
    const writes = [database.write('a'), database.write('b')]
    await turn()
    await database.goOn()
    await database.pass(timeoutMs)
    expect(await Promise.all(writes)).toMatchObject([unknown, unknown])
    expect(database.stops()).toBe(1)
    await database.idle()
    expect(database.begun).toEqual([['a', 'b']])
  })

  it('in its commit is waited for as long as each write has time', async () => {
    const database = startDatabase()
    const holding = database.write('first')
    await turn()
    await database.pass(timeoutMs / 4)
    const early = database.write('early')
    await database.pass(timeoutMs / 4)
    const late = database.write('late')
    await database.goOn()
    await database.goOn()
    expect(await holding).toBe('first')
    await turn()
    await database.goOn()
    await database.pass(timeoutMs * 0.8)
    expect(await early).toMatchObject(unknown)
    await database.goOn()
    expect(await late).toBe('late')
    expect(database.committed).toEqual(['first', 'early', 'late'])
  })
})

describe('a write that waits for a transaction', () => {
  it('beyond its time has changed nothing, and is never run', async () => {
    const database = startDatabase()
    const first = database.write('first')
    await turn()
    await database.goOn()
    const waiting = database.write('waiting')
    await database.pass(timeoutMs - 1)
    expect(await waiting).toMatchObject(unavailable)
    await database.goOn()
    expect(await first).toBe('first')
    await database.idle()
    expect(database.begun).toEqual([['first']])
  })

  it('long, but not too long, still has time for its transaction and its commit', async () => {
    const database = startDatabase()
    const first = database.write('first')
    await turn()
    await database.goOn()
    const waiting = database.write('waiting')
    await database.pass(timeoutMs / 2)
    await database.goOn()
    expect(await first).toBe('first')
    await turn()
    await database.goOn()
    await database.goOn()
    expect(await waiting).toBe('waiting')
  })
})
