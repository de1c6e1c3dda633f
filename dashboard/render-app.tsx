// The root of both entries: the theme, the chosen appearance, and the nonce with which the content security policy
// allows styles that the page adds.
import {
  colorsTuple,
  createTheme,
  defaultVariantColorsResolver,
  localStorageColorSchemeManager,
  MantineProvider,
} from '@mantine/core'
import { setNonce } from 'get-nonce'
import { type ReactNode, StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import './mantine.css'
import './theme.css'

/** Ten shades of a color, the lightest first. */
const shades = (text: string) => colorsTuple(text.split(' '))

const leaf = shades(
  '#eef6f0 #dcebe1 #b9d7c4 #93c3a6 #6fb08a #4d9870 #357f59 #1c6547 #175439 #0f3d29',
)

/** Greenish greys for dark surfaces, the darkest last. */
const dark = shades(
  '#dfe3dd #c3c9c3 #a6aea8 #7c857f #4a524d #363d38 #272d29 #1a1e1b #131614 #0d0f0e',
)

const gray = shades(
  '#faf8f3 #f5f3ed #ece9e0 #e0dcd0 #cbc7ba #a9a699 #7f7d72 #5b5d56 #3a3f3b #232926',
)

/** The seventh and the third shade are for text in the light and the dark theme: at least 4.5 to 1. */
const red = shades(
  '#fdf0ee #fbe3e0 #f7c9c4 #f2a59d #f0948b #dc5a50 #c93f36 #b02a24 #8c1d18 #6b1511',
)

/** As red. */
const yellow = shades(
  '#fff8e1 #fff0c2 #ffe599 #ffd76a #ffcb3d #e5a800 #b87f00 #8a5a00 #6b4600 #4d3300',
)

/** The colours of the published documentation, and its font (theme.css). */
const theme = createTheme({
  colors: { leaf, dark, gray, red, yellow },
  primaryColor: 'leaf',
  primaryShade: { light: 7, dark: 3 },
  // Filled backgrounds are dark in the light theme and light in the dark one.
  variantColorResolver(input) {
    const colors = defaultVariantColorsResolver(input)
    return input.variant === 'filled' ? { ...colors, color: 'var(--on-filled)' } : colors
  },
  white: '#ffffff',
  black: '#232926',
  fontFamily:
    '"Geist Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "Cascadia Mono", "Liberation Mono", monospace',
  headings: { fontWeight: '600' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  focusRing: 'auto',
  // Very wide, for a third column.
  breakpoints: { xl: '120em' },
  components: {
    // By name: importing the components would add them to the sign-in page. The main button of a page or a form is filled.
    Button: { defaultProps: { variant: 'default' } },
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // The header of a dialog is not the banner of the page.
    Modal: { defaultProps: { attributes: { header: { role: 'presentation' } } } },
  },
})

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
