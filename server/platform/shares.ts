// A budget of which nobody can have more than a part, so that one who takes his time with what he took
// keeps nobody else from his.
import { type Budget, type BudgetLimits, createBudget } from './budget.ts'

export interface Shares {
  /** As a budget's `take`, for one who takes. */
  take(owner: string, amount: number): Promise<() => void>
}

/** `most` is what one owner may have at once; who wants more waits his turn. */
export function createShares(limits: BudgetLimits & { most: number }): Shares {
  const { most, ...all } = limits
  const everybody = createBudget(all)
  const owners = new Map<string, { budget: Budget; users: number }>()

  return {
    async take(owner, wanted) {
      const amount = Math.min(wanted, most)
      const own = owners.get(owner) ?? { budget: createBudget({ ...all, total: most }), users: 0 }
      owners.set(owner, own)
      own.users += 1
      const leave = (): void => {
        own.users -= 1
        if (own.users === 0) owners.delete(owner)
      }
      try {
        const returnOwn = await own.budget.take(amount)
        try {
          const returnShared = await everybody.take(amount)
          return () => {
            returnShared()
            returnOwn()
            leave()
          }
        } catch (error) {
          returnOwn()
          throw error
        }
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}
