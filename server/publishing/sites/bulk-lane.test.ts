import { expect, it } from 'vitest'
import { createBulkLane } from './file-sender.ts'

it('runs one task at a time, in order, even if others fail', async () => {
  const lane = createBulkLane()
  const events: string[] = []
  const open: (() => void)[] = []
  const job = (name: string, fails = false) =>
    lane(async () => {
      events.push(`${name} begins`)
      await new Promise<void>((resolve) => open.push(resolve))
      events.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    })
  const jobs = [job('a'), job('b', true), job('c')]
  const results = Promise.allSettled(jobs)
  for (let i = 0; i < jobs.length; i++) {
    await expect.poll(() => open.length, { interval: 1 }).toBe(i + 1)
    open[i]?.()
  }
  expect((await results).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(events).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]))
  expect(await jobs[2]).toBe('c')
})

it('pauses for as long as the last task took', async () => {
  const lane = createBulkLane()
  let ended = 0
  const first = lane(async () => {
    const start = performance.now()
    while (performance.now() - start < 20);
    ended = performance.now()
  })
  const began = await lane(async () => performance.now())
  await first
  expect(began - ended).toBeGreaterThan(15)
})
