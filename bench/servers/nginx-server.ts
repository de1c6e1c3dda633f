// Starts nginx with one worker process.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../test/lab/free-addresses.ts'
import type { ServerPlace } from '../harness/context.ts'
import type { SeededHost } from '../seed/seed-domains.ts'
import type { Server, TlsServer } from './server.ts'
import { startServer } from './start-server.ts'

/** Settings for files that stay open. */
const fileSettings = `
    tcp_nopush on;
    open_file_cache max=1000 inactive=1h;
    open_file_cache_valid 1h;
    types { text/html html; }`

/** Serves `body` from memory, which is faster than from a file. */
export function startNginxList(place: ServerPlace, body: string): Promise<Server> {
  if (/[$'\\]/.test(body)) throw new Error('nginx: the body has characters that need escaping')
  return startNginx(place, '/v1/pets', `location = /v1/pets { return 200 '${body}'; }`)
}

export function startNginxFiles(
  place: ServerPlace,
  files: Record<string, string>,
  moreSettings = '',
): Promise<Server> {
  const root = join(place.folder, 'files')
  mkdirSync(root)
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text)
  const settings = `
    root ${root};
    sendfile on;${fileSettings}${moreSettings}`
  return startNginx(place, `/${Object.keys(files)[0]}`, settings)
}

export interface TlsPage extends SeededHost {
  text: string
}

/** With one page, over HTTPS (HTTP/2 and HTTP/1.1) and HTTP. */
export async function startNginxTls(
  place: ServerPlace,
  { chain, host, key, text }: TlsPage,
): Promise<TlsServer> {
  const path = '/guide.html'
  const httpsPort = await freePort()
  const file = (name: string): string => join(place.folder, name)
  writeFileSync(file('chain.pem'), chain)
  writeFileSync(file('key.pem'), key)
  const server = await startNginxFiles(
    place,
    { [path.slice(1)]: text },
    `
    listen 127.0.0.1:${httpsPort} ssl http2;
    ssl_certificate ${file('chain.pem')};
    ssl_certificate_key ${file('key.pem')};
    ssl_protocols TLSv1.2 TLSv1.3;`,
  )
  return { ...server, httpsPort, hosts: [host], path }
}

async function startNginx(
  place: ServerPlace,
  readyPath: string,
  settings: string,
): Promise<Server> {
  const port = await freePort()
  mkdirSync(join(place.folder, 'temp'))
  const configFile = join(place.folder, 'nginx.conf')
  writeFileSync(configFile, createConfiguration(place.folder, port, settings))
  return await startServer({
    ...place,
    label: 'nginx',
    command: ['nginx', '-p', place.folder, '-c', configFile, '-e', 'error.log'],
    port,
    readyPath,
    api: { listPath: '/v1/pets', maxPetId: 0, parseList: (text) => JSON.parse(text) },
  })
}

function createConfiguration(folder: string, port: number, settings: string): string {
  const isRoot = process.getuid?.() === 0
  return `
${isRoot ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 2048; }
http {
  access_log off;
  tcp_nodelay on;
  keepalive_requests 100000000;
  keepalive_timeout 65s;
  default_type application/json;
  client_body_temp_path ${folder}/temp/body;
  proxy_temp_path ${folder}/temp/proxy;
  fastcgi_temp_path ${folder}/temp/fastcgi;
  uwsgi_temp_path ${folder}/temp/uwsgi;
  scgi_temp_path ${folder}/temp/scgi;
  server {
    listen 127.0.0.1:${port};
    ${settings}
  }
}
`
}
