// Deadlines of the write queue, with a clock that the test sets.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Session } from '../database.ts'
import { GroupCommit, type Transaction } from './group-commit.ts'

const timeoutMs = 1000
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
  let step = Promise.withResolvers<void>()
  const pause = async (): Promise<void> => {
    await step.promise
    step = Promise.withResolvers()
  }
  const commits = new GroupCommit(timeoutMs, async (itsGate, body) => {
    itsGate.onStop(() => {
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
    committed,
    /** Resolves to the outcome or the error. */
    write: (input: string): Promise<unknown> => commits.write(work, input).catch((error) => error),
    /** The transaction sends its commit, or its commit is confirmed. */
    async goOn(): Promise<void> {
      step.resolve()
      await turn()
    },
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
  }
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
}

// That the others change nothing or have an unknown outcome: test/faults/.
describe('writes that are late', () => {
  it('are waited for in their commit as long as each has time', async () => {
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

  it('but not too late still have time for their transaction and commit', async () => {
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
