// json-server: holds its rows in memory and writes the whole file at each create, without fsync.
// It has a hundredth of the rows of the stores, for it filters all of them at each list.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../http-client.ts'
import { animalAt } from '../seed.ts'
import { nodeCommand, packageFile } from './peer-command-lines.ts'
import type { Server } from './server.ts'
import { readRestBytes, type ServerPlace, startServer } from './start-server.ts'

const rows = 1000
const pages = Math.floor(rows / 3 / 20)

export async function startJsonServer(place: ServerPlace): Promise<Server> {
  const port = await findFreePort()
  const file = join(place.folder, 'db.json')
  // It serves ./public beside the rows, and in production insists that the folder is there.
  mkdirSync(join(place.folder, 'public'))
  const pets = Array.from({ length: rows }, (_, index) => animalAt(index + 1))
  writeFileSync(file, JSON.stringify({ pets }))
  const address = { port, headers: {} }
  const started = await startServer({
    ...place,
    label: 'json-server',
    command: [
      ...nodeCommand(packageFile('json-server/lib/bin.js')),
      ...['--host', '127.0.0.1', '--port', String(port), file],
    ],
    address,
    readyPath: '/pets/1',
  })
  return {
    label: 'json-server',
    engine: '',
    ...address,
    pid: started.pid,
    dialect: {
      hot: '/pets?_page=1&_per_page=20',
      coldPaths: async (_address, count) =>
        Array.from(
          { length: count },
          (_, n) => `/pets?status=available&_page=${(n % pages) + 1}&_per_page=20`,
        ),
      petPath: (id) => `/pets/${id}`,
      create: '/pets',
      petCount: rows,
      readPets: (body) => JSON.parse(body).data,
    },
    restBytes: await readRestBytes(started.pid),
    stop: () => started.stop(),
    lastWords: () => started.lastWords(),
  }
}
