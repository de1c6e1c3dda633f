// The entry of the dashboard: data and routes around one page at a time.
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from 'react-router'
import { ManagementError } from '../client/management-client.ts'
import { Announcements } from './components/announcements.tsx'
import { subscribeToOutage } from './platform/outage.ts'
import { handleError } from './platform/session.ts'
import { accountQuery } from './platform/use-account.ts'
import { renderApp } from './render-app.tsx'
import { router } from './routes.tsx'

/** Any request may detect the end of the session. */
const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: handleError }),
  mutationCache: new MutationCache({ onError: handleError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: 'always',
      retry: (count, error) => error instanceof ManagementError && error.isOutage && count < 2,
    },
  },
})

// At the same time as the files of the page.
void queryClient.prefetchQuery(accountQuery)

/** What is shown may be older than the outage. */
subscribeToOutage(() => void queryClient.invalidateQueries())

renderApp(
  <QueryClientProvider client={queryClient}>
    <Announcements>
      <RouterProvider router={router} />
    </Announcements>
  </QueryClientProvider>,
)
