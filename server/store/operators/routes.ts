// All routes of operators to the records of an environment.
import type { Operation } from '../../platform/management/operation.ts'
import type { Route } from '../../platform/management/route.ts'
import { animalRoutes } from '../animals/routes.ts'
import { categoryRoutes } from '../categories/routes.ts'
import type { StoreRoute } from '../operations/store-route.ts'
import { orderRoutes } from '../orders/routes.ts'
import { mountForOperators, type OperatorsContext } from './mount.ts'
import * as operations from './operations.ts'
import { transferRoutes } from './transfer-routes.ts'

export function operatorRoutes(context: OperatorsContext): Route[] {
  const mount = (operation: Operation, route: StoreRoute): Route =>
    mountForOperators(context, operation, route)
  return [
    ...transferRoutes(context),
    mount(operations.listPets, animalRoutes.list),
    mount(operations.createPet, animalRoutes.create),
    mount(operations.getPet, animalRoutes.get),
    mount(operations.updatePet, animalRoutes.update),
    mount(operations.deletePet, animalRoutes.delete),
    mount(operations.listCategories, categoryRoutes.list),
    mount(operations.createCategory, categoryRoutes.create),
    mount(operations.getCategory, categoryRoutes.get),
    mount(operations.renameCategory, categoryRoutes.rename),
    mount(operations.deleteCategory, categoryRoutes.delete),
    mount(operations.listOrders, orderRoutes.list),
    mount(operations.placeOrder, orderRoutes.place),
    mount(operations.getOrder, orderRoutes.get),
    mount(operations.approveOrder, orderRoutes.approve),
    mount(operations.deliverOrder, orderRoutes.deliver),
    mount(operations.cancelOrder, orderRoutes.cancel),
  ]
}
