// Opens the store of a process: its databases, both environments with their APIs for keys, and the operations of operators
// in the management API.
import type { Clock } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import { findServers, openDatabase } from '#kit/database/engines/open.ts'
import { isDiskFull } from '#kit/disk.ts'
import type { RequestBatches } from '#kit/http/request-batches.ts'
import type { Logger } from '#kit/log.ts'
import { bindRoutes } from '#kit/management/route.ts'
import type { Metrics } from '#kit/metrics.ts'
import { maxSkewMs, watchClock } from '#kit/system/clock-watch.ts'
import { animalRoutes } from './animals/routes.ts'
import { createPageCache, createPageMakers, type Environment } from './api/hot-path.ts'
import { createStoreApp } from './api/store-app.ts'
import { categoryRoutes } from './categories/routes.ts'
import {
  type ByEnvironment,
  type EnvironmentName,
  environmentNames,
} from './database/environment-name.ts'
import { commitNothing, watchVersions } from './database/state.ts'
import { environmentRoutes } from './environments/routes.ts'
import { deleteOldUses } from './idempotency/idempotency.ts'
import { createAuthenticator, findKey, recordUses } from './keys/authenticate.ts'
import { createRateLimiter } from './keys/rate-limit.ts'
import { keyRoutes } from './keys/routes.ts'
import { bulkRoutes } from './operators/bulk-routes.ts'
import { recordRoutes } from './operators/mount.ts'
import { transferRoutes } from './operators/transfer-routes.ts'
import { orderRoutes } from './orders/routes.ts'
import { importRoute } from './transfer/routes.ts'

interface StoreOptions {
  /** Of the requests that the store answers. */
  batches?: RequestBatches
  /** Origins whose pages may call staging, in addition to the configured ones. */
  stagingOrigins?: readonly string[]
}

/** The operations of operators in the management API. */
export const storeRoutes = [
  ...environmentRoutes,
  ...transferRoutes,
  ...bulkRoutes,
  ...keyRoutes,
  ...recordRoutes,
] as const

export type Store = Awaited<ReturnType<typeof openStore>>

/** Opens the store that `prepareStore` has prepared. */
export async function openStore(
  config: Config,
  clock: Clock,
  metrics: Metrics,
  log: Logger,
  options: StoreOptions = {},
) {
  const { batches } = options
  const allowedOrigins = {
    production: new Set(config.corsOrigins),
    staging: new Set([...config.corsOrigins, ...(options.stagingOrigins ?? [])]),
  }
  const onError = (error: Error): void =>
    log.warn({ event: 'database.connection_lost', err: error }, 'database connection lost')
  const postgres = findServers(config)
  /** A database of the process. */
  const open = (name: string): Database =>
    openDatabase(config, name, { onError, metrics, clock, batches, servers: postgres })
  const databases = { production: open('production'), staging: open('staging') }
  const limits = openDatabase(config, 'limits', {
    onError,
    durability: 'off',
    clock,
    servers: postgres,
  })
  const clockWatch = await watchClock(limits, metrics, log)
  const addresses: ByEnvironment<URL> = {
    production: config.baseUrl,
    staging: config.stagingBaseUrl,
  }
  const servers = environmentNames.map((name) => ({ url: addresses[name].href, description: name }))

  const environment = (name: EnvironmentName): Environment => ({
    name,
    baseUrl: addresses[name].href,
    prefix: addresses[name].pathname,
    database: databases[name],
    versions: watchVersions(databases[name]),
    authenticator: createAuthenticator(name, databases, metrics),
    // On PostgreSQL through its own connections, in the round trips of its reads.
    limiter: createRateLimiter(postgres ? databases[name] : limits, config.rateLimit),
    pages: createPageCache(),
    makers: createPageMakers(addresses[name].pathname),
    keyUses: new Map(),
    corsOrigins: allowedOrigins[name],
    clock,
    metrics,
    log,
  })
  const environments = { production: environment('production'), staging: environment('staging') }
  if (!postgres) {
    // On SQLite at once: the first request needs neither to compile these statements nor to read the versions.
    for (const name of environmentNames) {
      await Promise.allSettled([environments[name].versions(), findKey(databases[name].read, '')])
    }
  }
  const records = [...animalRoutes, ...categoryRoutes, ...orderRoutes, importRoute]
  const production = createStoreApp(environments.production, records, servers)
  const staging = createStoreApp(environments.staging, records, servers)

  // Both environments are in one database server, or on one disk.
  const checkWrites = createWriteCheck(() => commitNothing(databases.production))
  const { rateLimit: limit } = config
  const routes = bindRoutes(storeRoutes, {
    databases,
    clock,
    addresses: { production: addresses.production.href, staging: addresses.staging.href },
    standardLimit: limit && `${limit.requests}/${limit.windowSeconds}s`,
  })

  return {
    /** Part of the management API. */
    routes,
    handlers: { production: production.handle, staging: staging.handle },
    databases,
    open,
    /** Counters by which anything may be limited, not only requests to the store. */
    limits,
    /** Whether the clock of this machine is exact enough for leases. */
    mayClaim: clockWatch.isUsable,
    /** The document that /openapi.json serves. */
    openApi: production.document,
    /** What keeps this process from serving: the clock, a database that does not respond, or one without writes. */
    async findObstacles(): Promise<string[]> {
      if (!clockWatch.isUsable())
        return [
          `the clock of this machine differs by ${maxSkewMs / 1000} seconds or more from the database's`,
        ]
      if (!postgres && isDiskFull(config.dataDir)) return ['the disk of DATA_DIR is full']
      const versions = environmentNames.map(async (name) => {
        await environments[name].versions()
      })
      const [writes, ...reads] = await Promise.allSettled([checkWrites(), ...versions])
      const silent = environmentNames.filter((_, i) => reads[i]?.status === 'rejected')
      if (silent.length > 0) return silent.map((name) => `the ${name} database does not respond`)
      return writes.status === 'fulfilled' ? [] : ['the database takes no writes']
    },
    /** Writes down what is kept in memory for a while, and forgets what is old. */
    async maintain() {
      for (const name of environmentNames) {
        const { database, keyUses } = environments[name]
        await recordUses(database, keyUses)
        await deleteOldUses(database, clock())
      }
    },
    async close() {
      await clockWatch.stop()
      await Promise.all([...Object.values(databases), limits].map((database) => database.close()))
    },
  }
}

const answerCountsForMs = 1000

/**
 * Whether a database takes writes, for /readyz: a standby, a full disk and a lost primary answer reads. `write` commits
 * something that changes nothing; the returned function throws as it does. Balancers ask often and on every node, so an
 * answer counts for a second.
 */
function createWriteCheck(write: () => Promise<unknown>): () => Promise<void> {
  let last: { at: number; response: Promise<unknown> } | undefined
  return async () => {
    const now = performance.now()
    if (!last || now - last.at >= answerCountsForMs) last = { at: now, response: write() }
    await last.response
  }
}
