// Caddy with TLS and HTTP/2: the page is a file. It runs one thread of Go at a time where it has one core.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../http-client.ts'
import { readRestBytes, type ServerPlace, startServer } from './start-server.ts'
import type { TlsPage, TlsServer } from './tls-server.ts'

export async function startCaddy(place: ServerPlace, page: TlsPage): Promise<TlsServer> {
  const { folder } = place
  const [port, httpsPort] = [await findFreePort(), await findFreePort()]
  const root = join(folder, 'files')
  mkdirSync(root, { recursive: true })
  writeFileSync(join(folder, 'chain.pem'), page.chain)
  writeFileSync(join(folder, 'key.pem'), page.key)
  writeFileSync(join(root, 'guide.html'), page.text)
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
https://${page.host}:${httpsPort} {
	bind 127.0.0.1
	tls ${folder}/chain.pem ${folder}/key.pem
	root * ${root}
	file_server
}
`,
  )
  const path = '/guide.html'
  const started = await startServer({
    ...place,
    label: 'Caddy',
    command: ['caddy', 'run', '--adapter', 'caddyfile', '--config', configFile],
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    address: { port, headers: {} },
    readyPath: path,
  })
  return {
    label: 'Caddy',
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
