// A bounded amount of something, such as the memory for uploads, shared by the requests of a process. Who
// finds too little left waits his turn for a while, and is then told to come back.
import { AppError } from './errors.ts'

export interface Budget {
  /** Takes `amount`; gives what returns it, once. Throws `unavailable` when it is not there in time. */
  take(amount: number): Promise<() => void>
}

export interface BudgetLimits {
  total: number
  waiting: number
  waitMs: number
}

interface Waiting {
  amount: number
  go(): void
}

export function createBudget({ total, waiting: maxWaiting, waitMs }: BudgetLimits): Budget {
  const queue: Waiting[] = []
  let left = total

  function grant(amount: number): () => void {
    left -= amount
    let returned = false
    return () => {
      if (returned) return
      returned = true
      left += amount
      for (let first = queue[0]; first && first.amount <= left; first = queue[0]) {
        queue.shift()
        first.go()
      }
    }
  }

  return {
    async take(wanted) {
      const amount = Math.min(wanted, total)
      if (queue.length === 0 && amount <= left) return grant(amount)
      if (queue.length >= maxWaiting) throw busy()
      return await new Promise((resolve, reject) => {
        const waiting = {
          amount,
          go() {
            clearTimeout(timer)
            resolve(grant(amount))
          },
        }
        const timer = setTimeout(() => {
          queue.splice(queue.indexOf(waiting), 1)
          reject(busy())
        }, waitMs)
        queue.push(waiting)
      })
    },
  }
}

function busy(): AppError {
  return new AppError('unavailable', 'Too much is going on here. Try again in a moment.', {
    headers: { 'Retry-After': '5' },
  })
}
