// What the harness knows of a server that serves one page over TLS, and on another port without it.

import type { Server } from './server.ts'

export interface TlsServer extends Server {
  httpsPort: number
  /** That it has a certificate for and serves; the names resolve nowhere. */
  hosts: string[]
  /** Of the page. */
  path: string
}

/** What the peers serve, and by which certificate. */
export interface TlsPage {
  host: string
  chain: string
  key: string
  text: string
}
