// The management API for the commands of previews: that of a server, or its handlers on the local database.
import { createManagementClient, type ManagementClient } from '../../../client/management-client.ts'
import { createPasswords } from '../../platform/accounts/passwords.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Database } from '../../platform/database/database.ts'
import { previewRoutes } from '../../publishing/previews/routes.ts'
import { siteOriginOf } from '../../publishing/projects/site-origin.ts'
import type { Input } from '../command-line/command.ts'
import { withPublishing } from '../command-line/local-database.ts'
import { asCommandError, chosenServer } from '../command-line/server-choice.ts'
import { createLocalManagement } from '../domains/domains-client.ts'

type Call = ManagementClient['call']

/** A running server deletes the files of previews that ended. */
export function localPreviews(database: Database, config: Config): Call {
  const { platformHost, previewAgeMs } = config
  return createLocalManagement(
    previewRoutes({
      ...{ database, platformHost, previewAgeMs, clock: systemClock },
      builds: { wake() {} },
      projectsChanged() {},
      siteOrigin: siteOriginOf(config),
      hashPassword: createPasswords().hashingOf,
    }),
  ).call
}

/** Resolves to what `use` returns. Error responses of the API are thrown as CommandErrors. */
export async function withPreviews<T>(
  { options }: Pick<Input, 'options'>,
  use: (call: Call) => Promise<T>,
): Promise<T> {
  try {
    const server = chosenServer(options)
    if (server) return await use(createManagementClient({ ...server, address: server.url }).call)
    return await withPublishing((database, config) => use(localPreviews(database, config)))
  } catch (error) {
    throw asCommandError(error)
  }
}
