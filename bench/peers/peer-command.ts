// The command line of the two hand-written stores: `serve` and `keys create`, with HTTP_PORT, DATA_DIR and DATABASE_URL,
// as in the Animal Store, so that the harness starts all three the same way. On PostgreSQL they only read.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createKey, hashKey } from './pet-rules.ts'
import { openPetsDatabase, type PetsDatabase, type PetsReader } from './pets-database.ts'
import { openPetsOnPostgres } from './pets-postgres.ts'

export interface ServeOptions {
  reader: PetsReader
  /** For writes, on SQLite. */
  database: PetsDatabase | undefined
  port: number
  base: string
}

/** `serve` returns a function that stops the server, which is called on SIGTERM. */
export async function runPeerCommand(serve: (options: ServeOptions) => () => void): Promise<void> {
  const [command] = process.argv.slice(2)
  const folder = process.env.DATA_DIR ?? './data'
  mkdirSync(folder, { recursive: true })
  const url = process.env.DATABASE_URL
  const database = url ? undefined : openPetsDatabase(join(folder, 'peer.db'))
  const store = database ?? (await openPetsOnPostgres(url as string))
  if (command === 'keys') {
    const key = createKey()
    await store.insertKey(hashKey(key), 'bench')
    console.log(key)
    await store.close()
    return
  }
  const port = Number(process.env.HTTP_PORT ?? 8080)
  const stop = serve({ reader: store, database, port, base: `http://localhost:${port}` })
  process.once('SIGTERM', () => {
    stop()
    void Promise.resolve(store.close()).then(() => process.exit(0))
  })
}
