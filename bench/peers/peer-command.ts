// The command line both hand-written stores share with ours, so that the harness starts all
// three the same way: `serve` and `keys create`, with HTTP_PORT and DATA_DIR.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { hashKey, newKey } from './pet-rules.ts'
import { openPetsDatabase, type PetsDatabase } from './pets-database.ts'

export interface ServeOptions {
  database: PetsDatabase
  port: number
  base: string
}

/** `serve` returns what ends the server; it is called once, on SIGTERM. */
export function runPeerCommand(serve: (options: ServeOptions) => () => void): void {
  const [command] = process.argv.slice(2)
  const folder = process.env.DATA_DIR ?? './data'
  mkdirSync(folder, { recursive: true })
  const database = openPetsDatabase(join(folder, 'peer.db'))
  if (command === 'keys') {
    const key = newKey()
    database.insertKey(hashKey(key), 'bench')
    console.log(key)
    return
  }
  const port = Number(process.env.HTTP_PORT ?? 8080)
  const stop = serve({ database, port, base: `http://localhost:${port}` })
  process.once('SIGTERM', () => {
    stop()
    database.close()
    process.exit(0)
  })
}
