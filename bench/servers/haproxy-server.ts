// HAProxy with TLS and HTTP/2, one thread. It serves no files: the page is answered from memory, which is
// the least that it can do.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../http-client.ts'
import { readRestBytes, type ServerPlace, startServer } from './start-server.ts'
import type { TlsPage, TlsServer } from './tls-server.ts'

export async function startHaproxy(place: ServerPlace, page: TlsPage): Promise<TlsServer> {
  const { folder } = place
  const [port, httpsPort] = [await findFreePort(), await findFreePort()]
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'both.pem'), page.chain + page.key)
  writeFileSync(join(folder, 'guide.html'), page.text)
  const configFile = join(folder, 'haproxy.cfg')
  writeFileSync(
    configFile,
    `
global
  nbthread 1
  maxconn 4000
  # Its buffers hold a whole answer from memory.
  tune.bufsize 32768
  ssl-default-bind-options ssl-min-ver TLSv1.2
defaults
  mode http
  timeout connect 5s
  timeout client 65s
  timeout server 65s
frontend page
  bind 127.0.0.1:${port}
  bind 127.0.0.1:${httpsPort} ssl crt ${folder}/both.pem alpn h2,http/1.1
  http-request return status 200 content-type text/html file ${folder}/guide.html
`,
  )
  const path = '/guide.html'
  const started = await startServer({
    ...place,
    label: 'HAProxy',
    command: ['haproxy', '-db', '-f', configFile],
    address: { port, headers: {} },
    readyPath: path,
  })
  return {
    label: 'HAProxy',
    engine: '',
    port,
    headers: {},
    httpsPort,
    hosts: [page.host],
    path,
    pid: started.pid,
    dialect: { hot: path, petCount: 0, readPets: () => [] },
    restBytes: await readRestBytes(started.pid),
    stop: () => started.stop(),
    lastWords: () => started.lastWords(),
  }
}
