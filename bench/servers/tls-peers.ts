// Starts nginx, HAProxy and Caddy with one page, over HTTPS (HTTP/2 and HTTP/1.1) and HTTP. nginx and Caddy serve
// a file. HAProxy serves no files, so it responds from memory.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerPlace } from '../harness/context.ts'
import { findFreePort } from '../harness/http-client.ts'
import { nginxFileSettings, startNginx } from './nginx-server.ts'
import type { Server, TlsServer } from './server.ts'
import { startPeer } from './start-server.ts'

export interface TlsPage {
  host: string
  /** In PEM. */
  chain: string
  /** In PEM. */
  key: string
  text: string
}

interface Files extends ServerPlace {
  host: string
  chainFile: string
  keyFile: string
  chainAndKeyFile: string
  /** The folder of the page. */
  root: string
  httpsPort: number
}

const path = '/guide.html'

export function startNginxTls(place: ServerPlace, page: TlsPage): Promise<TlsServer> {
  return startTlsPeer(place, page, ({ chainFile, httpsPort, keyFile, root }) =>
    startNginx(
      place,
      path,
      `
    listen 127.0.0.1:${httpsPort} ssl http2;
    ssl_certificate ${chainFile};
    ssl_certificate_key ${keyFile};
    ssl_protocols TLSv1.2 TLSv1.3;
    root ${root};${nginxFileSettings}`,
    ),
  )
}

export function startHaproxy(place: ServerPlace, page: TlsPage): Promise<TlsServer> {
  return startTlsPeer(place, page, async ({ chainAndKeyFile, httpsPort, root }) => {
    const port = await findFreePort()
    const configFile = join(place.folder, 'haproxy.cfg')
    writeFileSync(
      configFile,
      `
global
  nbthread 1
  maxconn 4000
  # A response from memory must fit into one buffer.
  tune.bufsize 32768
  ssl-default-bind-options ssl-min-ver TLSv1.2
defaults
  mode http
  timeout connect 5s
  timeout client 65s
  timeout server 65s
frontend page
  bind 127.0.0.1:${port}
  bind 127.0.0.1:${httpsPort} ssl crt ${chainAndKeyFile} alpn h2,http/1.1
  http-request return status 200 content-type text/html file ${root}${path}
`,
    )
    const command = ['haproxy', '-db', '-f', configFile]
    return await startPeer({ ...place, label: 'HAProxy', command, port, readyPath: path })
  })
}

/** On one core, Go runs one thread at a time. */
export function startCaddy(place: ServerPlace, page: TlsPage): Promise<TlsServer> {
  return startTlsPeer(place, page, async ({ chainFile, host, httpsPort, keyFile, root }) => {
    const { folder } = place
    const port = await findFreePort()
    const configFile = join(folder, 'Caddyfile')
    writeFileSync(
      configFile,
      `{
	admin off
	auto_https off
	http_port ${port}
	https_port ${httpsPort}
	servers {
		protocols h1 h2
	}
}
http://127.0.0.1:${port} {
	bind 127.0.0.1
	root * ${root}
	file_server
}
https://${host}:${httpsPort} {
	bind 127.0.0.1
	tls ${chainFile} ${keyFile}
	root * ${root}
	file_server
}
`,
    )
    return await startPeer({
      ...place,
      label: 'Caddy',
      command: ['caddy', 'run', '--adapter', 'caddyfile', '--config', configFile],
      env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      port,
      readyPath: path,
    })
  })
}

async function startTlsPeer(
  place: ServerPlace,
  page: TlsPage,
  start: (files: Files) => Promise<Server>,
): Promise<TlsServer> {
  const file = (name: string): string => join(place.folder, name)
  const files: Files = {
    ...place,
    host: page.host,
    chainFile: file('chain.pem'),
    keyFile: file('key.pem'),
    chainAndKeyFile: file('chain-and-key.pem'),
    root: file('files'),
    httpsPort: await findFreePort(),
  }
  mkdirSync(files.root, { recursive: true })
  writeFileSync(files.chainFile, page.chain)
  writeFileSync(files.keyFile, page.key)
  writeFileSync(files.chainAndKeyFile, page.chain + page.key)
  writeFileSync(join(files.root, path), page.text)
  const server = await start(files)
  return { ...server, httpsPort: files.httpsPort, hosts: [page.host], path }
}
