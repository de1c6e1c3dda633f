// What publishing gives to the process: its operations of the management API, and what it deletes at each upkeep.

import type { Upkeep } from '#kit/jobs/delete-old-rows.ts'
import { deleteOldWithdrawnHosts } from './database/publishing-state.ts'
import { deployTokenRoutes } from './deploy-tokens.ts'
import { abandonOldReceptions } from './deploys/create-deploy.ts'
import { deleteOldUploads } from './deploys/files.ts'
import { deployRoutes } from './deploys/routes.ts'
import { deleteExpiredAccessCodes, siteAccessRoutes } from './member-access.ts'
import { deleteExpiredInvitations } from './members/member-rows.ts'
import { memberRoutes } from './members/routes.ts'
import { previewRoutes } from './previews/routes.ts'
import { projectRoutes } from './projects/routes.ts'
import { removeExcessDeploys } from './projects/stored-space.ts'
import { siteSettingsRoutes } from './site-settings/routes.ts'
import { deleteOldVisits } from './visits/visit-rows.ts'

export const publishingRoutes = [
  ...projectRoutes,
  ...deployRoutes,
  ...deployTokenRoutes,
  ...memberRoutes,
  ...previewRoutes,
  ...siteAccessRoutes,
  ...siteSettingsRoutes,
] as const

export const publishingUpkeep: Upkeep[] = [
  deleteOldUploads,
  abandonOldReceptions,
  removeExcessDeploys,
  deleteExpiredInvitations,
  deleteExpiredAccessCodes,
  deleteOldWithdrawnHosts,
  deleteOldVisits,
]
