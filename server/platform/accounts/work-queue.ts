// Costly work, a little of it at once: so many run, so many wait, the rest is told to come back, so that
// a flood of it takes neither the processor nor the memory from everything else.
import { AppError } from '../errors.ts'

export interface QueueLimits {
  running: number
  waiting: number
  /** How long one waits before it is told to come back. */
  waitMs: number
}

export interface WorkQueue {
  /** Runs the work when its turn comes. Throws `unavailable` with Retry-After when that is not soon. */
  run<T>(work: () => Promise<T>): Promise<T>
}

interface Waiting {
  begin(): void
}

export function createWorkQueue(limits: QueueLimits): WorkQueue {
  let running = 0
  const waiting = new Set<Waiting>()

  /** Resolves when there is room, which is then taken. */
  async function enter(): Promise<void> {
    if (running < limits.running) {
      running++
      return
    }
    if (waiting.size >= limits.waiting) throw comeBack()
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        waiting.delete(mine)
        reject(comeBack())
      }, limits.waitMs)
      const mine: Waiting = {
        begin() {
          clearTimeout(late)
          resolve()
        },
      }
      waiting.add(mine)
    })
  }

  /** Hands the room on to whoever has waited longest. */
  function leave(): void {
    const [next] = waiting
    if (!next) {
      running--
      return
    }
    waiting.delete(next)
    next.begin()
  }

  return {
    async run(work) {
      await enter()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

function comeBack(): AppError {
  const message = 'Too many people are signing in just now. Try again in a few seconds.'
  return new AppError('unavailable', message, { headers: { 'Retry-After': '5' } })
}
