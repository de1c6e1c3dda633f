// All operations on the store, for the management API.
import type { Route } from '../../platform/management/route.ts'
import type { StoreManagement } from '../database/environment-name.ts'
import { environmentRoutes } from '../environments/routes.ts'
import { keyRoutes } from '../keys/routes.ts'
import { webhookRoutes } from '../webhooks/routes.ts'
import { animalRoutes } from './animals/routes.ts'
import { categoryRoutes } from './categories/routes.ts'
import { orderRoutes } from './orders/routes.ts'
import { transferRoutes } from './transfer/routes.ts'

export function storeManagementRoutes(management: StoreManagement): Route[] {
  return [
    ...environmentRoutes(management),
    // Before the animals, of which each is at a path of its own.
    ...transferRoutes(management),
    ...animalRoutes(management),
    ...categoryRoutes(management),
    ...orderRoutes(management),
    ...keyRoutes(management),
    ...webhookRoutes(management),
  ]
}
