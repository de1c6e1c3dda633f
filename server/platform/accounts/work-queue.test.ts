import { afterEach, expect, it, vi } from 'vitest'
import { createWorkQueue } from './work-queue.ts'

afterEach(() => {
  vi.useRealTimers()
})

const full = { code: 'unavailable', headers: { 'Retry-After': '5' } }

/** Visits of a queue that work until they are told to end. */
function visits(limits: { inside: number; working: number }) {
  const queue = createWorkQueue({ ...limits, waitMs: 5000 })
  const begun: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  return {
    begun,
    end: (name: string, error?: Error) => ends.get(name)?.(error),
    visit: (name: string): Promise<string> =>
      queue.admit((work) =>
        work(() => {
          begun.push(name)
          return new Promise((resolve, reject) => {
            ends.set(name, (error) => (error ? reject(error) : resolve(name)))
          })
        }),
      ),
  }
}

it('lets so many work at once, the others in turn, and refuses whom it has no room for', async () => {
  const { begun, end, visit } = visits({ inside: 4, working: 2 })
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(visit)
  await expect(visit('e')).rejects.toMatchObject(full)
  expect(begun).toEqual(['a', 'b'])
  end('b')
  expect(await b).toBe('b')
  await expect.poll(() => begun).toEqual(['a', 'b', 'c'])
  // One that fails makes room, too.
  end('a', new Error('no memory'))
  await expect(a).rejects.toThrow('no memory')
  await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd'])
  const f = visit('f')
  end('c')
  end('d')
  await Promise.all([c, d])
  await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd', 'f'])
  end('f')
  expect(await f).toBe('f')
  const g = visit('g')
  await expect.poll(() => begun.at(-1)).toBe('g')
  end('g')
  await g
})

it('counts whoever is inside, at work or not', async () => {
  const queue = createWorkQueue({ inside: 1, working: 1, waitMs: 5000 })
  const { promise, resolve } = Promise.withResolvers<string>()
  const first = queue.admit(() => promise)
  await expect(queue.admit(async () => 'second')).rejects.toMatchObject(full)
  resolve('first')
  expect(await first).toBe('first')
  expect(await queue.admit(async () => 'third')).toBe('third')
  await expect(queue.admit(() => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
  expect(await queue.admit(async () => 'fourth')).toBe('fourth')
})

it('lets nobody wait longer than told', async () => {
  vi.useFakeTimers()
  const { begun, end, visit } = visits({ inside: 2, working: 1 })
  const first = visit('first')
  const refused = expect(visit('second')).rejects.toMatchObject(full)
  await vi.advanceTimersByTimeAsync(4999)
  await expect(visit('third')).rejects.toMatchObject(full)
  await vi.advanceTimersByTimeAsync(1)
  await refused
  const fourth = visit('fourth')
  end('first')
  await first
  await vi.advanceTimersByTimeAsync(0)
  expect(begun).toEqual(['first', 'fourth'])
  end('fourth')
  expect(await fourth).toBe('fourth')
})
