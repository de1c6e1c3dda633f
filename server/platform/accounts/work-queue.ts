// Costly work, a little of it at once: so many are let in, of these so many work, and whoever comes then
// is told to come back before anything was done for him. A flood of it takes neither the processor nor
// the memory nor the database from everything else.
import { AppError } from '../errors.ts'

export interface QueueLimits {
  /** Who are let in, working or waiting. */
  inside: number
  /** Of these, who work. */
  working: number
  /** How long one waits for his turn. */
  waitMs: number
}

/** Does the work when its turn comes. Throws `unavailable` with Retry-After when that is not soon. */
export type Work = <T>(work: () => Promise<T>) => Promise<T>

export interface WorkQueue {
  /** Lets `visit` in, which may work several times. Throws `unavailable` at once when it is full. */
  admit<T>(visit: (work: Work) => Promise<T>): Promise<T>
}

export function createWorkQueue(limits: QueueLimits): WorkQueue {
  let inside = 0
  let working = 0
  const waiting = new Set<() => void>()

  /** Resolves when there is room to work, which is then taken. */
  async function begin(): Promise<void> {
    if (working < limits.working) {
      working++
      return
    }
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        waiting.delete(proceed)
        reject(comeBack())
      }, limits.waitMs)
      const proceed = (): void => {
        clearTimeout(late)
        resolve()
      }
      waiting.add(proceed)
    })
  }

  /** Hands the room on to whoever has waited longest. */
  function end(): void {
    const [proceed] = waiting
    if (!proceed) {
      working--
      return
    }
    waiting.delete(proceed)
    proceed()
  }

  const work: Work = async (job) => {
    await begin()
    try {
      return await job()
    } finally {
      end()
    }
  }

  return {
    async admit(visit) {
      if (inside >= limits.inside) throw comeBack()
      inside++
      try {
        return await visit(work)
      } finally {
        inside--
      }
    },
  }
}

function comeBack(): AppError {
  const message = 'Too many people are signing in just now. Try again in a few seconds.'
  return new AppError('unavailable', message, { headers: { 'Retry-After': '5' } })
}
