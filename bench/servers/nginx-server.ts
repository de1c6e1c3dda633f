// nginx, one worker process, that serves the bytes of our first page as a static file.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../http-client.ts'
import type { Server } from './server.ts'
import { readRestBytes, type ServerPlace, startServer } from './start-server.ts'

export async function startNginx(place: ServerPlace, body: string): Promise<Server> {
  const port = await findFreePort()
  mkdirSync(join(place.folder, 'www', 'v1'), { recursive: true })
  mkdirSync(join(place.folder, 'temp'))
  writeFileSync(join(place.folder, 'www', 'v1', 'pets'), body)
  const configFile = join(place.folder, 'nginx.conf')
  writeFileSync(configFile, configuration(place.folder, port))
  const address = { port, headers: {} }
  const started = await startServer({
    ...place,
    label: 'nginx',
    command: ['nginx', '-p', place.folder, '-c', configFile, '-e', 'error.log'],
    address,
    readyPath: '/v1/pets',
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

function configuration(folder: string, port: number): string {
  const asRoot = process.getuid?.() === 0
  return `
${asRoot ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 2048; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  tcp_nodelay on;
  keepalive_requests 100000000;
  keepalive_timeout 65s;
  open_file_cache max=16 inactive=60s;
  open_file_cache_valid 60s;
  default_type application/json;
  client_body_temp_path ${folder}/temp/body;
  proxy_temp_path ${folder}/temp/proxy;
  fastcgi_temp_path ${folder}/temp/fastcgi;
  uwsgi_temp_path ${folder}/temp/uwsgi;
  scgi_temp_path ${folder}/temp/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${folder}/www;
  }
}
`
}
