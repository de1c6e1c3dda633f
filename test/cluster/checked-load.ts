// The load of the fault tests on a store that is there already, and everything that is checked after it: the history of
// its clients against the model, replays of what was acknowledged, and the counts.
import { expect, onTestFinished } from 'vitest'
import type { AskOptions } from '../running-store.ts'
import { checkHistory } from './check-history.ts'
import { type LoadOptions, startLoad } from './clients.ts'

export interface CheckedLoad {
  /** Resolves when this many more operations have been acknowledged. */
  acknowledged(count: number): Promise<void>
  /** Attempts without a response, or with a 503 or 504. */
  failures(): number
  /** Ends the clients after their current turn. */
  finish(): Promise<void>
  /** The store must serve, and the load must have ended: nothing is lost, doubled or stale, and replays are the same. */
  expectRight(): Promise<void>
}

/** `portOf` is asked for each request. */
export async function startCheckedLoad(
  portOf: LoadOptions['portOf'],
  key: string,
  { clients, perSecond }: { clients: number; perSecond: number },
): Promise<CheckedLoad> {
  const written: { path: string; options: AskOptions; text: string }[] = []
  const seed = Number(process.env.TEST_SEED ?? 1)
  const load = await startLoad({
    ...{ portOf, key, clients, seed },
    onWritten: (path, options, { text }) => written.push({ path, options, text }),
  })
  const { availability, history, send } = load
  load.pace.set(perSecond)
  onTestFinished(load.close)

  /** About 300 of them. */
  async function expectReplays(): Promise<void> {
    const every = Math.ceil(written.length / 300)
    for (const { options, path, text } of written.filter((_, i) => i % every === 0)) {
      const replay = await send(0, path, options)
      expect(replay.headers['idempotent-replayed']).toBe('true')
      expect(replay.text).toBe(text)
    }
  }

  return {
    async acknowledged(count) {
      const mark = performance.now()
      await expect.poll(() => availability.since(mark).acknowledged).toBeGreaterThan(count)
    },
    failures() {
      const { refused, unknown } = availability.since(0)
      return refused + unknown
    },
    finish: load.finish,
    async expectRight() {
      await expectReplays()
      await load.recordFinalState()
      expect(checkHistory(history)).toEqual([])
    },
  }
}
