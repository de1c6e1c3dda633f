// openapi.yaml at the root of the repository: the document of a store with the default base URLs. `npm run openapi`
// writes it; openapi.test.ts checks that it is current.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeYaml } from '#kit/api/openapi.ts'
import { readConfig } from '#kit/config/config.ts'
import { createLog } from '#kit/log.ts'
import { createMetrics } from '#kit/metrics.ts'
import { prepareStore } from '#store/prepare-store.ts'
import { openStore } from '#store/store.ts'
import { createTestDatabase } from './database.ts'

export const openApiFile = join(import.meta.dirname, '../openapi.yaml')

/** The expected text of the file. */
export async function currentOpenApi(): Promise<string> {
  const place = await createTestDatabase('sqlite')
  try {
    const config = readConfig({
      DATA_DIR: place.dataDir,
      DATABASE_TIMEOUT_MS: String(place.databaseTimeoutMs),
    })
    await prepareStore(config, Date.now)
    const store = await openStore(config, Date.now, createMetrics(), createLog('silent', false))
    const text = writeYaml(store.openApi())
    await store.close()
    return text
  } finally {
    await place.release()
  }
}

if (import.meta.main) await writeFile(openApiFile, await currentOpenApi())
