// The ACME clients of this process: one for each directory, configured or not.
import { readFileSync } from 'node:fs'
import { type AcmeClient, closeAcmeClient, createAcmeClient } from '#acme/requests/acme-client.ts'
import type { Clock } from '#kit/clock.ts'
import { type Config, ConfigError } from '#kit/config/config.ts'
import { readProgramVersion } from '#kit/config/program-version.ts'

/** Stands for the internal authority in place of a directory URL. */
export const internalDirectory = 'internal'

export type AuthorityClients = ReturnType<typeof createAuthorityClients>

/** Throws ConfigError when ACME_CA_FILE cannot be read. */
export function createAuthorityClients(acme: Config['acme'], clock: Clock) {
  const { caFile, directory, fallbackDirectory } = acme
  const trustedRoots = caFile === undefined ? undefined : readRoots(caFile)
  const directories =
    directory === internalDirectory || !fallbackDirectory || fallbackDirectory === directory
      ? [directory]
      : [directory, fallbackDirectory]
  const userAgent = `Animal-Store/${readProgramVersion()}`
  const clients = new Map<string, AcmeClient>()
  return {
    /** In order of preference: `internal` alone, or directory URLs. */
    directories,
    /** For any directory, configured or not. */
    clientOf(url: string): AcmeClient {
      let client = clients.get(url)
      if (!client) {
        client = createAcmeClient({ directoryUrl: url, trustedRoots, userAgent, now: clock })
        clients.set(url, client)
      }
      return client
    },
    close() {
      for (const client of clients.values()) closeAcmeClient(client)
    },
  }
}

function readRoots(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code
    throw new ConfigError(`ACME_CA_FILE cannot be ${file} (${reason}): it accepts a PEM file.`)
  }
}
