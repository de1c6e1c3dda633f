// The plans, what each one includes, and the plan that applies to a project.
import { findOne, type Session } from '../../platform/database/database.ts'
import type { Plan } from '../../platform/management/caller.ts'
import type { ArchiveLimits } from '../archives/archive-limits.ts'
import { prepareQuery } from '../database/tables.ts'
import type { FoundProject } from './find-project.ts'

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
export const maxRenderedGrowth = { files: 4, bytes: 4 }

/** Deploys that are kept besides the live one. */
export const maxKeptDeploys = { superseded: 10, failed: 5 }

/** How long an uploaded file waits for its deploy. */
export const uploadRetentionMs = 24 * 3_600_000

/** How long the sources of a deploy may take to be bound to it. */
export const maxReceiveMs = 3_600_000

const planOfOwner = prepareQuery<{ id: string }>()((db, param) =>
  db.selectFrom('accounts').select('plan').where('id', '=', param('id')),
)

/** Its owner's. What the operators have in common is paid. */
export async function planOf(session: Session, project: FoundProject): Promise<Plan> {
  if (project.ownerId === null) return 'paid'
  const owner = await findOne(session, planOfOwner, { id: project.ownerId })
  return owner?.plan === 'paid' ? 'paid' : 'free'
}
