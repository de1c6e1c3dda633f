// The command line of the hand-written stores: `serve` and `keys create`, with HTTP_PORT and DATA_DIR, as in the Animal
// Store, so that the harness starts all of them the same way.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createKey, hashKey } from './pet-rules.ts'
import { openPetsDatabase, type PetsDatabase } from './pets-database.ts'

/** `serve` returns a function that stops the server, which is called on SIGTERM. */
export function runPeerCommand(
  serve: (database: PetsDatabase, port: number, base: string) => () => void,
): void {
  const folder = process.env.DATA_DIR ?? './data'
  mkdirSync(folder, { recursive: true })
  const database = openPetsDatabase(join(folder, 'peer.db'))
  if (process.argv[2] === 'keys') {
    const key = createKey()
    database.insertKey(hashKey(key), 'bench')
    console.log(key)
    database.close()
    return
  }
  const port = Number(process.env.HTTP_PORT ?? 8080)
  const stop = serve(database, port, `http://localhost:${port}`)
  process.once('SIGTERM', () => {
    stop()
    database.close()
    process.exit(0)
  })
}
