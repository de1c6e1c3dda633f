// The dashboard begins here: theme, data and routes around one page at a time.
import '@mantine/core/styles.css'
import './theme.css'
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { Announcements } from './components/announcements.tsx'
import { nonce } from './platform/nonce.ts'
import { queryClient } from './platform/query-client.ts'
import { router } from './routes.tsx'
import { theme } from './theme.ts'

const colorSchemeManager = localStorageColorSchemeManager({ key: 'animal-store:appearance' })

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeManager}
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <Announcements>
          <RouterProvider router={router} />
        </Announcements>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
