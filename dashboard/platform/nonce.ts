// The nonce by which the content security policy knows the styles that the page itself adds.
import { setNonce } from 'get-nonce'

export const nonce =
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

// Mantine's dialogs lock the page's scrolling by a style of their own.
setNonce(nonce)
