import { afterEach, expect, it, vi } from 'vitest'
import { createWorkQueue } from './work-queue.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Work that ends when it is told to. */
function works() {
  const begun: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  return {
    begun,
    end: (name: string, error?: Error) => ends.get(name)?.(error),
    work: (name: string) => () => {
      begun.push(name)
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (error) => (error ? reject(error) : resolve(name)))
      })
    },
  }
}

it('runs so many at once, the others in turn, and refuses what would be too many', async () => {
  const { begun, end, work } = works()
  const queue = createWorkQueue({ running: 2, waiting: 2, waitMs: 5000 })
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => queue.run(work(name)))
  await expect(queue.run(work('e'))).rejects.toMatchObject({
    code: 'unavailable',
    headers: { 'Retry-After': '5' },
  })
  expect(begun).toEqual(['a', 'b'])
  end('b')
  expect(await b).toBe('b')
  await expect.poll(() => begun).toEqual(['a', 'b', 'c'])
  // One that fails makes room, too.
  end('a', new Error('no memory'))
  await expect(a).rejects.toThrow('no memory')
  await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd'])
  const f = queue.run(work('f'))
  end('c')
  end('d')
  await Promise.all([c, d])
  await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd', 'f'])
  end('f')
  expect(await f).toBe('f')
  const again = queue.run(work('g'))
  await expect.poll(() => begun.at(-1)).toBe('g')
  end('g')
  await again
})

it('lets nobody wait longer than told', async () => {
  vi.useFakeTimers()
  const { begun, end, work } = works()
  const queue = createWorkQueue({ running: 1, waiting: 1, waitMs: 5000 })
  const first = queue.run(work('first'))
  const second = queue.run(work('second'))
  const refused = expect(second).rejects.toMatchObject({ code: 'unavailable' })
  await vi.advanceTimersByTimeAsync(4999)
  await expect(queue.run(work('third'))).rejects.toMatchObject({ code: 'unavailable' })
  await vi.advanceTimersByTimeAsync(1)
  await refused
  const fourth = queue.run(work('fourth'))
  end('first')
  await first
  await vi.advanceTimersByTimeAsync(0)
  expect(begun).toEqual(['first', 'fourth'])
  end('fourth')
  expect(await fourth).toBe('fourth')
})
