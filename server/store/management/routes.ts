// All operations on the store, for the management API.
import type { Route } from '../../platform/management/route.ts'
import { animalRoutes } from './animals/routes.ts'
import { keyRoutes } from './keys/routes.ts'
import type { StoreManagement } from './store-management.ts'

export function storeManagementRoutes(management: StoreManagement): Route[] {
  return [...animalRoutes(management), ...keyRoutes(management)]
}
