// All operations of publishing in the management API.
import { deployTokenRoutes } from './deploy-tokens/routes.ts'
import { deployRoutes } from './deploys/routes.ts'
import { memberRoutes } from './members/routes.ts'
import { previewRoutes } from './previews/routes.ts'
import { projectRoutes } from './projects/routes.ts'
import { siteAccessRoutes } from './site-access/routes.ts'
import { siteSettingsRoutes } from './site-settings/routes.ts'

export const publishingRoutes = [
  ...projectRoutes,
  ...deployRoutes,
  ...deployTokenRoutes,
  ...memberRoutes,
  ...previewRoutes,
  ...siteAccessRoutes,
  ...siteSettingsRoutes,
] as const
