// What was asked of the API, kept for all pages. A session that has ended leads to the sign-in page, and
// back to the same address afterwards.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { Refusal } from './api.ts'
import { leaveForSignIn } from './session.ts'

function notice(error: unknown): void {
  if (error instanceof Refusal && error.status === 401) leaveForSignIn()
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: notice }),
  mutationCache: new MutationCache({ onError: notice }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What is refused is refused again; what did not answer may.
      retry: (count, error) => error instanceof Refusal && error.isOutage && count < 2,
    },
  },
})
