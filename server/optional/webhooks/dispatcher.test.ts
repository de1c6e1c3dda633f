import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Database } from '#kit/database/database.ts'
import { createLog } from '#kit/log.ts'
import { createMetrics } from '#kit/metrics.ts'
import { openSecrets } from '#kit/secrets.ts'
import { startDispatcher } from './dispatcher.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const webhook = { id: 'wh_test_1', url: 'https://1.1.1.1/', failing_since: null, next_due_at: null }

/** A database that counts the queries for webhooks. */
function start(rows: () => object[]) {
  let announce = (): void => {}
  const asked = { times: 0 }
  const database = {
    read: {
      all: async () => {
        asked.times++
        return rows()
      },
    },
    onAnnouncement: (listener: () => void) => {
      announce = listener
    },
  } as unknown as Database
  const dispatcher = startDispatcher({
    database,
    environment: 'staging',
    secrets: openSecrets({ dataDir: '/none', secretKeys: [Buffer.alloc(32)] }),
    destinations: { judge: () => 'refused', resolve: async () => [] },
    clock: () => 0,
    metrics: createMetrics(),
    log: createLog('silent', false),
  })
  return { asked, dispatcher, announce: () => announce() }
}

it('queries once at the start, and not again while there are no webhooks', async () => {
  const { asked, announce } = start(() => [])
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(asked.times).toBe(1)
  announce()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(asked.times).toBe(2)
})

it('polls every second while webhooks exist, and stops after the last one is removed', async () => {
  let rows = [webhook]
  const { asked } = start(() => rows)
  await vi.advanceTimersByTimeAsync(10_500)
  expect(asked.times).toBe(11)
  rows = []
  await vi.advanceTimersByTimeAsync(10_000)
  expect(asked.times).toBe(12)
})

it('resumes after a database failure, and not after it is stopped', async () => {
  let isAway = true
  const { asked, dispatcher } = start(() => {
    if (isAway) throw new Error('away')
    return [webhook]
  })
  // It is retried after one second, two, four …
  await vi.advanceTimersByTimeAsync(6_500)
  expect(asked.times).toBe(3)
  isAway = false
  await vi.advanceTimersByTimeAsync(500)
  expect(asked.times).toBe(4)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(asked.times).toBe(5)
  await dispatcher.stop()
  dispatcher.wake()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(asked.times).toBe(5)
})
