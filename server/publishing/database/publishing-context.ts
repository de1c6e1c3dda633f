// What the rooms of publishing share in one process.
import type { Clock } from '#kit/clock.ts'
import type { Database } from '#kit/database/database.ts'
import type { Logger } from '#kit/log.ts'

export interface PublishingContext {
  database: Database
  /** Rate counters, shared by all processes. */
  allowances: Database
  clock: Clock
  log: Logger
  /** Such as `http://animal-store.docs.localhost:8080`. */
  siteOrigin(slug: string): string
  platformHost: string
  /** How long a preview exists after its last deploy. */
  previewAgeMs: number
  /** Builds deploys and deletes removed ones in the background. */
  builds: { wake(): void }
  /** Refuses deploys while the disk is nearly full. */
  freeSpace: { isEnough(): Promise<boolean>; require(): Promise<void> }
  /** Called when projects or their slugs were added or removed. */
  projectsChanged(): void
  /** Aborts when the process stops: requests that wait for progress end. */
  stopping: AbortSignal
}
