// What the plans allow. Everything that a deploy may have is bounded here.
import type { Plan } from '../../platform/management/caller.ts'
import type { ArchiveLimits } from '../archives/archive-limits.ts'

const megabyte = 1024 * 1024

/** Of one file, on any plan. */
export const maxFileBytes = 25 * megabyte

export interface PlanLimits extends ArchiveLimits {
  projects: number
  /** Custom domains of one project. */
  domains: number
}

export const planLimits: Record<Plan, PlanLimits> = {
  free: {
    projects: 3,
    domains: 0,
    files: 5_000,
    entries: 20_000,
    bytes: 50 * megabyte,
    fileBytes: maxFileBytes,
  },
  paid: {
    projects: 100,
    domains: 50,
    files: 20_000,
    entries: 80_000,
    bytes: 250 * megabyte,
    fileBytes: maxFileBytes,
  },
}

/** An archive, compressed. */
export const maxArchiveBytes = planLimits.paid.bytes

/** What is published may be larger than what was sent, because pages are rendered: by so much. */
export const renderedGrowth = { files: 4, bytes: 4 }

/** Deploys that are kept besides the live one. */
export const keptDeploys = { superseded: 10, failed: 5 }

/** How long an uploaded file waits for its deploy. */
export const uploadKeptMs = 24 * 3_600_000

/** How long the sources of a deploy may take to be bound to it. */
export const receivedWithinMs = 3_600_000
