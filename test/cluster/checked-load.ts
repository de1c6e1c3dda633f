// The load of the fault tests on a store that is there already, and everything that is checked after it: the history of
// its clients against the model, replays of what was acknowledged, and the counts.
import { expect, onTestFinished } from 'vitest'
import type { AskOptions } from '../running-store.ts'
import { createAvailability } from './availability.ts'
import { checkHistory } from './check-history.ts'
import { startLoad } from './clients.ts'
import { connectClients, createPace } from './connect-clients.ts'
import { createShared, getterOf, recordFinalState } from './final-state.ts'
import { emptyHistory } from './history.ts'

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

/** `portOf` is asked for each request. Few enough animals are shared for conflicts. */
export async function startCheckedLoad(
  portOf: () => number,
  key: string,
  { clients, perSecond }: { clients: number; perSecond: number },
): Promise<CheckedLoad> {
  const history = emptyHistory()
  const availability = createAvailability()
  const { close, send } = connectClients(portOf, key)
  onTestFinished(close)
  const pace = createPace()
  pace.set(perSecond)
  const get = getterOf(portOf(), key)
  const written = new Map<string, { path: string; options: AskOptions; text: string }>()
  const load = startLoad({
    async send(client, path, options = {}) {
      const response = await send(client, path, options)
      const idempotencyKey = options.headers?.['idempotency-key']
      if (idempotencyKey !== undefined && response.status < 300)
        written.set(String(idempotencyKey), { path, options, text: response.text })
      return response
    },
    history,
    clients,
    seed: Number(process.env.TEST_SEED ?? 1),
    shared: await createShared(get, 3),
    pace: pace.next,
    onAttempt: availability.record,
  })

  /** About 300 of them. */
  async function expectReplays(): Promise<void> {
    const every = Math.ceil(written.size / 300)
    for (const { options, path, text } of [...written.values()].filter((_, i) => i % every === 0)) {
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
      await recordFinalState(history, load.subjects, get)
      expect(checkHistory(history)).toEqual([])
    },
  }
}
