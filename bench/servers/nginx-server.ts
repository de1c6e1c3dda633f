// nginx, one worker process. For the store it answers with the bytes of our first page from memory:
// sending a file takes it longer, even from an open descriptor. For a site it sends files.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../http-client.ts'
import type { Server } from './server.ts'
import { readRestBytes, type ServerPlace, startServer } from './start-server.ts'

export function startNginx(place: ServerPlace, body: string): Promise<Server> {
  if (/[$'\\]/.test(body)) throw new Error('nginx: a body that its configuration cannot hold')
  return startNginxWith(place, '/v1/pets', `location = /v1/pets { return 200 '${body}'; }`)
}

/** With its usual settings for files, and descriptors that stay open. */
export function startNginxFiles(
  place: ServerPlace,
  files: Record<string, string>,
): Promise<Server> {
  const root = join(place.folder, 'files')
  mkdirSync(root)
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text)
  const settings = `
    root ${root};
    sendfile on;
    tcp_nopush on;
    open_file_cache max=1000 inactive=1h;
    open_file_cache_valid 1h;
    types { text/html html; }`
  return startNginxWith(place, `/${Object.keys(files)[0]}`, settings)
}

export async function startNginxWith(
  place: ServerPlace,
  readyPath: string,
  settings: string,
): Promise<Server> {
  const port = await findFreePort()
  mkdirSync(join(place.folder, 'temp'))
  const configFile = join(place.folder, 'nginx.conf')
  writeFileSync(configFile, configuration(place.folder, port, settings))
  const address = { port, headers: {} }
  const started = await startServer({
    ...place,
    label: 'nginx',
    command: ['nginx', '-p', place.folder, '-c', configFile, '-e', 'error.log'],
    address,
    readyPath,
  })
  return {
    label: 'nginx',
    engine: '',
    ...address,
    pid: started.pid,
    dialect: { hot: '/v1/pets', petCount: 0, readPets: (text) => JSON.parse(text) },
    restBytes: await readRestBytes(started.pid),
    stop: () => started.stop(),
    lastWords: () => started.lastWords(),
  }
}

function configuration(folder: string, port: number, settings: string): string {
  const asRoot = process.getuid?.() === 0
  return `
${asRoot ? 'user root;' : ''}
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
