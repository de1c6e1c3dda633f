// The root of both entries: the theme, the chosen appearance, and the nonce with which the content security policy
// allows styles that the page adds.
import './mantine.css'
import './theme.css'
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { setNonce } from 'get-nonce'
import { type ReactNode, StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { theme } from './theme.ts'

export function renderApp(app: ReactNode): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
  // Mantine's dialogs add a style that locks scrolling.
  setNonce(nonce)
  const root = createRoot(document.getElementById('root') as HTMLElement)
  const content = (
    <StrictMode>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        colorSchemeManager={localStorageColorSchemeManager({ key: 'animal-store:appearance' })}
        getStyleNonce={() => nonce}
      >
        {app}
      </MantineProvider>
    </StrictMode>
  )
  // In short tasks: the browser responds in between.
  startTransition(() => root.render(content))
}
