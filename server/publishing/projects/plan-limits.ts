// The limits of each plan, and the plan that applies to a project.

import type { Plan } from '#kit/caller.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { maxDeployFileBytes } from '../../../client/values/limits.ts'
import type { ArchiveLimits } from '../archives/entry-checker.ts'
import { prepare } from '../database/tables.ts'
import type { FoundProject } from './find-project.ts'

const megabyte = 1024 * 1024

export interface PlanLimits extends ArchiveLimits {
  projects: number
  /** Custom domains per project. */
  domains: number
  /** Previews per project. */
  previews: number
  /** Of all deploys and uploads of all projects together. */
  storedFiles: number
  storedBytes: number
}

export const planLimits: Record<Plan, PlanLimits> = {
  free: {
    projects: 3,
    domains: 0,
    previews: 5,
    storedFiles: 100_000,
    storedBytes: 1_000_000_000,
    files: 5_000,
    entries: 20_000,
    bytes: 50 * megabyte,
    fileBytes: maxDeployFileBytes,
  },
  paid: {
    projects: 100,
    domains: 50,
    previews: 25,
    storedFiles: 2_000_000,
    storedBytes: 20_000_000_000,
    files: 20_000,
    entries: 80_000,
    bytes: 250 * megabyte,
    fileBytes: maxDeployFileBytes,
  },
}

/** Maximum size of an archive, compressed. */
export const maxArchiveBytes = planLimits.paid.bytes

/** Rendered pages make a site larger than its sources: at most by these factors. */
export const maxRenderedGrowth = { files: 4, bytes: 4 }

/** Uploads of an owner that no deploy uses may be this many times what one deploy may have. */
export const maxUploadedDeploys = 2

/** How long an uploaded file is kept without a deploy. */
export const uploadRetentionMs = 24 * 3_600_000

/** How long adding the sources to a deploy may take. */
export const maxReceiveMs = 3_600_000

const planOfOwner = prepare.select('accounts', ['plan'], { id: 'id' })

/** The plan of the owner. Projects without an owner, which belong to all operators, are on the paid plan. */
export async function planOf(session: Session, project: FoundProject): Promise<Plan> {
  if (project.ownerId === null) return 'paid'
  const owner = await findOne(session, planOfOwner, { id: project.ownerId })
  return owner?.plan === 'paid' ? 'paid' : 'free'
}
