// One environment of the store: production or staging. Each has a database, keys and caches of its own.

import type { Clock } from '#kit/clock.ts'
import type { Awaitable, Database } from '#kit/database/database.ts'
import type { Logger } from '#kit/log.ts'
import type { Metrics } from '#kit/metrics.ts'
import type { EnvironmentName } from '../database/environment-name.ts'
import type { Versions } from '../database/state.ts'
import type { Authenticator } from '../keys/authenticate.ts'
import type { KeyUses } from '../keys/key-uses.ts'
import type { RateLimiter } from '../keys/rate-limit.ts'
import type { PageCache } from '../pages/page-cache.ts'
import type { PageMakers } from '../pages/page-makers.ts'

export interface Environment {
  name: EnvironmentName
  /** Without a slash at the end. */
  baseUrl: string
  /** The path of the base address: what all routes begin with. */
  prefix: string
  database: Database
  versions: () => Awaitable<Versions>
  authenticator: Authenticator
  limiter: RateLimiter
  /** Answers that are ready, and what makes those that are not. */
  pages: PageCache
  makers: PageMakers
  keyUses: KeyUses
  corsOrigins: ReadonlySet<string>
  clock: Clock
  metrics: Metrics
  log: Logger
}
