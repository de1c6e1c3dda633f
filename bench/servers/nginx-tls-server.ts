// nginx with TLS and HTTP/2: the page is a file that stays open, as nginx serves sites.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../http-client.ts'
import { startNginxWith } from './nginx-server.ts'
import type { ServerPlace } from './start-server.ts'
import type { TlsPage, TlsServer } from './tls-server.ts'

export async function startNginxTls(place: ServerPlace, page: TlsPage): Promise<TlsServer> {
  const root = join(place.folder, 'files')
  mkdirSync(root)
  writeFileSync(join(root, 'guide.html'), page.text)
  const [chainFile, keyFile] = [join(place.folder, 'chain.pem'), join(place.folder, 'key.pem')]
  writeFileSync(chainFile, page.chain)
  writeFileSync(keyFile, page.key)
  const httpsPort = await findFreePort()
  const path = '/guide.html'
  const started = await startNginxWith(
    place,
    path,
    `
    listen 127.0.0.1:${httpsPort} ssl http2;
    ssl_certificate ${chainFile};
    ssl_certificate_key ${keyFile};
    ssl_protocols TLSv1.2 TLSv1.3;
    root ${root};
    tcp_nopush on;
    open_file_cache max=1000 inactive=1h;
    open_file_cache_valid 1h;
    types { text/html html; }`,
  )
  return { ...started, httpsPort, hosts: [page.host], path }
}
