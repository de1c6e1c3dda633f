// Where the commands on domains work: over the management API of a server, or on this machine's database.
import { createManagementClient, type ManagementClient } from '../../../client/management-client.ts'
import { systemClock } from '../../platform/clock.ts'
import { authoritiesOf } from '../../publishing/certificates/open-certificates.ts'
import { createRateLimitReader } from '../../publishing/certificates/rate-limits/remaining-attempts.ts'
import { openDomains } from '../../publishing/domains/domains.ts'
import { createRemovalVerifier } from '../../publishing/edge/removal/verify-removal.ts'
import type { Input } from '../command-line/command.ts'
import { onPublishing } from '../command-line/on-publishing.ts'
import { asCommandError, chosenServer } from '../command-line/server-choice.ts'
import { createLocalManagement } from './local-management.ts'

export type Call = ManagementClient['call']

/** Gives what `use` gives. Throws a CommandError with the words of the server. */
export async function onDomains<T>(
  { options }: Pick<Input, 'options'>,
  use: (call: Call) => Promise<T>,
): Promise<T> {
  try {
    const server = chosenServer(options)
    if (server) {
      const { token, url } = server
      return await use(createManagementClient({ address: url, token }).call)
    }
    return await onPublishing(async (database, config) => {
      const { signal: stopping } = new AbortController()
      const clock = systemClock
      const authorities = authoritiesOf(config, { clock, database })
      const { forCaa } = authorities
      const budgetOf = createRateLimitReader(database, clock, config.acme.directory)
      const verifyRemoval = createRemovalVerifier({ config, database, clock, node: undefined })
      const context = { database, clock, stopping, authorities: forCaa, budgetOf, verifyRemoval }
      const { routes } = openDomains(config, context)
      try {
        return await use(createLocalManagement(routes).call)
      } finally {
        authorities.stop()
      }
    })
  } catch (error) {
    throw asCommandError(error)
  }
}
