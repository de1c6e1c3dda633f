// The cache of all queries. Any request may detect the end of the session.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ManagementError } from '../../client/management-client.ts'
import { noticeError } from './session.ts'

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeError }),
  mutationCache: new MutationCache({ onError: noticeError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: 'always',
      retry: (count, error) => error instanceof ManagementError && error.isOutage && count < 2,
    },
  },
})
