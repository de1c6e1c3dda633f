// Opens the local databases with everything that they keep encrypted.
import type { Config } from '#kit/config/config.ts'
import { withDatabase } from '#kit/database/engines/open.ts'
import type { StoredSecrets } from '#kit/database/re-encrypt.ts'
import { knownDatabases } from '../../known-databases.ts'
import { loadConfig } from '../command-line/command.ts'

/** Opens all databases, migrated, for as long as `use` runs. */
export function withAllSecrets<T>(
  use: (stored: StoredSecrets, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfig()
  const openNext = (stored: StoredSecrets): Promise<T> => {
    const next = knownDatabases[stored.length]
    if (!next) return use(stored, config)
    return withDatabase(config, next, (database) => openNext([...stored, { ...next, database }]))
  }
  return openNext([])
}
