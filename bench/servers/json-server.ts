// Starts json-server. It keeps its rows in memory and writes the whole file at each create, without fsync. It has a
// hundredth of the rows of the stores, because it filters all of them for each list.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerPlace } from '../harness/context.ts'
import { findFreePort } from '../harness/http-client.ts'
import { seededAnimal } from '../seed/seed-animals.ts'
import type { Server } from './server.ts'
import { packageCommand, startPeer } from './start-server.ts'

const rows = 1000
const pages = Math.floor(rows / 3 / 20)

export async function startJsonServer(place: ServerPlace): Promise<Server> {
  const port = await findFreePort()
  const file = join(place.folder, 'db.json')
  // json-server also serves ./public, and in production the folder must exist.
  mkdirSync(join(place.folder, 'public'))
  const pets = Array.from({ length: rows }, (_, index) => seededAnimal(index + 1))
  writeFileSync(file, JSON.stringify({ pets }))
  return await startPeer({
    ...place,
    label: 'json-server',
    command: [
      ...packageCommand('json-server/lib/bin.js'),
      ...['--host', '127.0.0.1', '--port', String(port), file],
    ],
    port,
    readyPath: '/pets/1',
    api: {
      listPath: '/pets?_page=1&_per_page=20',
      findColdPaths: async (_address, count) =>
        Array.from(
          { length: count },
          (_, n) => `/pets?status=available&_page=${(n % pages) + 1}&_per_page=20`,
        ),
      petPath: (id) => `/pets/${id}`,
      createPath: '/pets',
      maxPetId: rows,
      parseList: (body) => JSON.parse(body).data,
    },
  })
}
