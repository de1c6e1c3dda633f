// What both entries share: the theme, the appearance that the user chose, and the nonce of the content security
// policy, by which it admits the styles that the page itself adds.
import './mantine.css'
import './theme.css'
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { setNonce } from 'get-nonce'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { theme } from './theme.ts'

export function renderApp(app: ReactNode): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
  // Mantine's dialogs lock scrolling by a style of their own.
  setNonce(nonce)
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        colorSchemeManager={localStorageColorSchemeManager({ key: 'animal-store:appearance' })}
        getStyleNonce={() => nonce}
      >
        {app}
      </MantineProvider>
    </StrictMode>,
  )
}
