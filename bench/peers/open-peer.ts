// `serve` and `keys create` of a hand-written store, with HTTP_PORT and DATA_DIR, as in the Animal Store, so that the harness
// starts all the same way.

import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { hashKey } from './pet-rules.ts'
import { openPetsDatabase } from './pets-database.ts'

/** For `serve`; `keys create` ends the process here. `untilStop` ends a server at SIGTERM. */
export function openPeer() {
  const { DATA_DIR: folder = './data', HTTP_PORT = '8080' } = process.env
  mkdirSync(folder, { recursive: true })
  const database = openPetsDatabase(join(folder, 'peer.db'))
  if (process.argv[2] === 'keys') {
    const key = `as_live_${randomBytes(32).toString('base64url')}`
    database.insertKey(hashKey(key), 'bench')
    console.log(key)
    database.close()
    process.exit()
  }
  const port = Number(HTTP_PORT)
  function untilStop(server: { close(): unknown }): void {
    process.once('SIGTERM', () => {
      server.close()
      database.close()
      process.exit(0)
    })
  }
  return { database, port, base: `http://localhost:${port}`, untilStop }
}
