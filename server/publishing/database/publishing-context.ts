// What the rooms of publishing have in common in one process.
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Logger } from '../../platform/log.ts'

export interface PublishingContext {
  database: Database
  clock: Clock
  log: Logger
  /** Such as `http://animal-store.docs.localhost:8080`. */
  siteOrigin(slug: string): string
  /** Builds what is deployed and sweeps away what was removed, without anybody waiting for it. */
  builds: { wake(): void }
  /** A project, or its slug, has come or gone. */
  projectsChanged(): void
  /** Nobody waits any longer for what may still happen. */
  stopping: AbortSignal
}
