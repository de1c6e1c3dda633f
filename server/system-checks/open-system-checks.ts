// The checks of this installation, in the order in which they are shown: first what the others depend on.

import type { DnsNetwork } from '#dns/queries/dns-network.ts'
import type { BackupStatus } from '#kit/backups/open-backups.ts'
import type { Clock } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import { routesOf } from '#kit/management/route.ts'
import type { ForwardedRequests } from '#kit/network/client-addresses.ts'
import type { Secrets } from '#kit/secrets.ts'
import { SystemChecks } from '#kit/system/schema.ts'
import { checkConnect } from '#optional/domain-connect/open.ts'
import { type AuthoritiesContext, checkAuthorities } from './check-authorities.ts'
import { checkConfiguration } from './check-configuration.ts'
import { type CheckedDatabase, checkDatabases } from './check-databases.ts'
import { checkHosts } from './check-hosts.ts'
import { checkMail } from './check-mail.ts'
import { checkObjectStorage } from './check-object-storage.ts'
import { checkPorts } from './check-ports.ts'
import { checkProxies } from './check-proxies.ts'
import { checkBackups, checkDisk } from './check-storage.ts'
import { runSystemChecks, type SystemCheck } from './system-check.ts'

export interface SystemChecksContext {
  config: Config
  clock: Clock
  databases: readonly CheckedDatabase[]
  authorities: AuthoritiesContext['authorities']
  network: DnsNetwork
  /** Undefined before the first start. */
  secrets: Secrets | undefined
  readBackups(): Promise<BackupStatus | undefined>
  /** What this process has seen of proxies; undefined outside of a server. */
  forwardedRequests?(): ForwardedRequests
}

/** Gives a function that runs all checks; concurrent calls share one run. */
export function openSystemChecks(context: SystemChecksContext): () => Promise<SystemChecks> {
  const { clock, config, databases, forwardedRequests, readBackups, secrets } = context
  const { database } = databases.findLast((each) => each.database) ?? {}
  const publishing = databases.find(({ name }) => name === 'publishing')?.database
  const checks: SystemCheck[] = [
    { area: 'configuration', run: () => checkConfiguration(config, databases, secrets, clock()) },
    { area: 'database', run: () => checkDatabases(databases, config) },
    { area: 'disk', run: () => checkDisk(config) },
    { area: 'backups', run: () => checkBackups(readBackups, clock) },
    {
      area: 'objects',
      run: (signal) => checkObjectStorage(config.objectStorage, publishing, signal),
    },
    { area: 'ports', run: () => checkPorts(config, secrets) },
    { area: 'dns', run: (signal) => checkHosts(context, signal) },
    { area: 'authority', run: (signal) => checkAuthorities({ ...context, database }, signal) },
    { area: 'connect', run: (signal) => checkConnect(context, publishing, signal) },
    { area: 'mail', run: () => checkMail(config.mail) },
    { area: 'proxies', run: () => checkProxies(config, forwardedRequests?.()) },
  ]
  let running: Promise<SystemChecks> | undefined
  return () => {
    running ??= runSystemChecks(checks, clock()).finally(() => {
      running = undefined
    })
    return running
  }
}

const route = routesOf<{ run(): Promise<SystemChecks> }>({ tag: 'system', access: 'operator' })

/** Part of the management API. */
export const systemCheckRoutes = [
  route('GET /system/checks', 'getSystemChecks', {
    summary: 'Check the installation',
    description:
      'Checks configuration, databases, disks, backups, object storage, ports, DNS, certificate authorities, clocks, mail and proxies, each with what to do. The checks run now, for at most ten seconds; concurrent requests share one run. `animal-store doctor` runs the same checks on the command line.',
    returns: SystemChecks,
    handle: (_, { run }) => run(),
  }),
] as const
