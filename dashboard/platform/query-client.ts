// What was asked of the API, kept for all pages. A session that has ended is noticed wherever it shows.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { Refusal } from './api.ts'
import { noticeRefusal } from './session.ts'

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeRefusal }),
  mutationCache: new MutationCache({ onError: noticeRefusal }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Whoever comes back sees what has happened meanwhile.
      refetchOnWindowFocus: 'always',
      // What is refused is refused again; what did not answer may.
      retry: (count, error) => error instanceof Refusal && error.isOutage && count < 2,
    },
  },
})
