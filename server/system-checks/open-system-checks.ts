// The checks of an installation, for `animal-store doctor` and the System page, in the order in which they are shown: first
// what the others depend on. All run at the same time, and end in bounded time.

import type { DnsNetwork } from '#dns/queries/dns-network.ts'
import type { BackupStatus } from '#kit/backups/open-backups.ts'
import type { Clock } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import { routesOf } from '#kit/management/route.ts'
import type { ForwardedRequests } from '#kit/network/client-addresses.ts'
import { within } from '#kit/promises.ts'
import type { Secrets } from '#kit/secrets.ts'
import { type Finding, findingsOf, SystemChecks } from '#kit/system/schema.ts'
import { checkConnect } from '#optional/domain-connect/open.ts'
import {
  type AuthoritiesContext,
  checkAuthorities,
  checkMail,
  checkObjectStorage,
} from './check-external-systems.ts'
import {
  type CheckedDatabase,
  checkBackups,
  checkConfiguration,
  checkDatabases,
  checkDisk,
} from './check-installation.ts'
import { checkHosts, checkPorts, checkProxies } from './check-network.ts'

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
  const forAuthorities = { ...context, database, publishing }
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
    { area: 'authority', run: (signal) => checkAuthorities(forAuthorities, signal) },
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

interface SystemCheck {
  area: Finding['area']
  /** What it throws becomes a problem. It gives up when `signal` aborts. */
  run(signal: AbortSignal): Promise<Finding[]> | Finding[]
}

/** Of each check; all run at the same time. */
const maxCheckMs = 10_000

/** Findings are in the order of the checks. Never throws. */
async function runSystemChecks(checks: readonly SystemCheck[], now: number): Promise<SystemChecks> {
  const started = performance.now()
  const findings = (await Promise.all(checks.map(runInTime))).flat()
  const has = (status: Finding['status']) => findings.some((each) => each.status === status)
  return {
    ranAt: new Date(now).toISOString(),
    milliseconds: Math.round(performance.now() - started),
    status: (['problem', 'warning'] as const).find(has) ?? 'ok',
    findings,
  }
}

async function runInTime({ area, run }: SystemCheck): Promise<Finding[]> {
  const late = new AbortController()
  const { problem } = findingsOf(area)
  try {
    return await within(maxCheckMs, Promise.resolve(run(late.signal)), () => {
      late.abort()
      const message = `The check was not finished within ${maxCheckMs / 1000} seconds.`
      const fix = 'Run it again. If it happens again, look at the load and the network.'
      return [problem('', message, fix)]
    })
  } catch (error) {
    const { code, name } = error as { code?: unknown; name?: unknown }
    const message = `The check failed (${String(code ?? name)}).`
    return [problem('', message, 'Report this with the version of the program.')]
  }
}

const route = routesOf<{ clock: Clock; run(): Promise<SystemChecks> }>({
  tag: 'system',
  access: 'operator',
})

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
