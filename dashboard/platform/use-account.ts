// The current account as a query. Below the shell, it is always loaded.
import { useSuspenseQuery } from '@tanstack/react-query'
import { call } from './api.ts'
import { type Account, noteSession } from './session.ts'

export const accountQuery = {
  queryKey: ['session'],
  async queryFn(): Promise<Account> {
    const account = await call('GET /session')
    noteSession()
    return account
  },
  staleTime: 60_000,
  // The entry asks before anything is rendered: what failed then is not asked again by what is rendered after it.
  retryOnMount: false,
}

export function useAccount(): Account {
  return useSuspenseQuery(accountQuery).data
}
