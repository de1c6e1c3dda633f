// The management API for the commands of projects: that of a server, or its handlers on the local database.
import { createManagementClient, type ManagementClient } from '../../../client/management-client.ts'
import { createPasswords } from '../../platform/accounts/passwords.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Database } from '../../platform/database/database.ts'
import { createLog } from '../../platform/log.ts'
import type { Route } from '../../platform/management/route.ts'
import { watchFreeSpace } from '../../publishing/deploys/free-space.ts'
import { createDomainSummary } from '../../publishing/domains/api/summarise-domains.ts'
import { removeDomainsOf } from '../../publishing/domains/claims/remove-domain.ts'
import {
  findDomainsInTransfer,
  transferDomains,
} from '../../publishing/domains/claims/transfer-domains.ts'
import { memberRoutes } from '../../publishing/members/routes.ts'
import { openBucket } from '../../publishing/object-storage/bucket.ts'
import { createObjectReader } from '../../publishing/object-storage/read-objects.ts'
import { projectRoutes } from '../../publishing/projects/routes.ts'
import { siteOriginOf } from '../../publishing/projects/site-origin.ts'
import { siteImageRoutes } from '../../publishing/site-images/routes.ts'
import { siteSettingsRoutes } from '../../publishing/site-settings/routes.ts'
import { getAccount } from '../accounts/run-accounts.ts'
import { type Input, UsageError } from '../command-line/command.ts'
import { withPublishing } from '../command-line/local-database.ts'
import { asCommandError, chosenServer } from '../command-line/server-choice.ts'
import { createLocalManagement } from '../domains/domains-client.ts'

const clock = systemClock
/** A running server, or the next start of one, builds what is waiting. */
const builds = { wake() {} }

export type Call = ManagementClient['call']

/** Resolves to what `use` returns. Error responses of the API are thrown as CommandErrors. */
export async function withProjects<T>(
  { options }: Pick<Input, 'options'>,
  use: (call: Call) => Promise<T>,
): Promise<T> {
  try {
    const server = chosenServer(options)
    if (server) return await use(createManagementClient({ ...server, address: server.url }).call)
    return await withLocalProjects(use)
  } catch (error) {
    throw asCommandError(error)
  }
}

/**
 * For what access tokens cannot do: as an operator, or as the account with an email address. Throws a UsageError where
 * the environment names a server, and a CommandError where there is no such account.
 */
export async function withLocalProjects<T>(
  use: (call: Call) => Promise<T>,
  email?: string,
): Promise<T> {
  if (process.env.ANIMAL_STORE_URL) {
    throw new UsageError(
      'access tokens cannot do this: use the dashboard, or run the command on the server without ANIMAL_STORE_URL',
    )
  }
  return await withPublishing(async (database, config) => {
    const account = email === undefined ? undefined : await getAccount(database, email)
    const log = createLog('silent', false)
    const bucket = config.objectStorage && openBucket(config.objectStorage)
    const objects = createObjectReader(bucket, log)
    const freeSpace = watchFreeSpace(config, log)
    const site = { builds, clock, database, freeSpace, objects }
    const settings = [...siteSettingsRoutes(site), ...siteImageRoutes(site)]
    try {
      const routes = [...localRoutes(database, config), ...settings]
      return await use(createLocalManagement(routes, account).call)
    } finally {
      bucket?.close()
    }
  })
}

/** A running server follows with its next request. */
function localRoutes(database: Database, config: Config): Route[] {
  const projectsChanged = () => {}
  const domains = { find: findDomainsInTransfer, move: transferDomains }
  return [
    ...projectRoutes(
      { database, clock, projectsChanged, builds, siteOrigin: siteOriginOf(config) },
      {
        hashPassword: createPasswords().hashingOf,
        removeDomains: removeDomainsOf,
        summariseDomains: createDomainSummary(database.read, clock),
      },
    ),
    ...memberRoutes({ clock, database, domains, projectsChanged }),
  ]
}
