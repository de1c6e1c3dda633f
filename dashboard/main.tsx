// The entry of the dashboard: data and routes around one page at a time.
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from 'react-router'
import { ManagementError } from '../client/management-client.ts'
import { Announcements } from './components/actions.tsx'
import { subscribeToOutage } from './platform/api.ts'
import { accountQuery } from './platform/requests.ts'
import { handleError } from './platform/session.ts'
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

/** What is shown may be older than the outage. */
subscribeToOutage(() => void queryClient.invalidateQueries())

// The session at the same time as the files of the page; until then, the page shows its skeleton (index.html). Without
// an await: files that the entry shares with other pages are joined only if no page has to wait for the entry.
void Promise.all([queryClient.prefetchQuery(accountQuery), routed()]).then(() =>
  renderApp(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Announcements />
    </QueryClientProvider>,
  ),
)

/** Resolves when the page at the address is loaded, or has failed. */
function routed(): Promise<void> {
  return new Promise((resolve) => {
    const check = () => router.state.initialized && resolve()
    router.subscribe(check)
    check()
  })
}
