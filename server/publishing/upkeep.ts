// What publishing does at each upkeep: it deletes what is old.
import type { Upkeep } from '#kit/jobs/delete-old-rows.ts'
import { deleteOldWithdrawnHosts } from './database/withdrawn-hosts.ts'
import { abandonOldReceptions } from './deploys/create-deploy.ts'
import { deleteOldUploads } from './deploys/files.ts'
import { deleteExpiredInvitations } from './members/member-rows.ts'
import { removeExcessDeploys } from './projects/stored-space.ts'
import { deleteExpiredAccessCodes } from './site-access/access-codes.ts'
import { deleteOldVisits } from './visits/visit-rows.ts'

export const publishingUpkeep: Upkeep[] = [
  deleteOldUploads,
  abandonOldReceptions,
  removeExcessDeploys,
  deleteExpiredInvitations,
  deleteExpiredAccessCodes,
  deleteOldWithdrawnHosts,
  deleteOldVisits,
]
