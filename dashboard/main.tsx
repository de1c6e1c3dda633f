// The entry of the dashboard: data and routes around one page at a time.
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from 'react-router'
import { Announcements } from './components/announcements.tsx'
import { queryClient } from './platform/query-client.ts'
import { renderApp } from './render-app.tsx'
import { router } from './routes.tsx'

renderApp(
  <QueryClientProvider client={queryClient}>
    <Announcements>
      <RouterProvider router={router} />
    </Announcements>
  </QueryClientProvider>,
)
