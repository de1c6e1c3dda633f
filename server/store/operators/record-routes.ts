// The operations of operators on the records of an environment: the store's own, mounted a second time.
import type { Endpoint } from '#kit/management/route.ts'
import { operations as animals } from '../animals/operations.ts'
import { animalRoutes } from '../animals/routes.ts'
import { SearchPetsQuery } from '../animals/schema.ts'
import { operations as categories } from '../categories/operations.ts'
import { categoryRoutes } from '../categories/routes.ts'
import type { StoreRoute } from '../operations/store-route.ts'
import { operations as orders } from '../orders/operations.ts'
import { orderRoutes } from '../orders/routes.ts'
import { forOperators, mountForOperators, type OperatorsContext } from './mount.ts'
import { Animal, Animals, Categories, Category, Orders } from './schema.ts'

const operations = {
  listPets: forOperators(animals.listPets, {
    description:
      'A page of animals, by ascending id or as `sort` says. By id, a walk along `next` sees every animal that was there throughout exactly once. With a filter beside the name or the order by name, a page may have fewer records than `limit`, even none, while more follow: each page searches 20,000 names.',
    query: SearchPetsQuery,
    returns: Animals,
  }),
  createPet: forOperators(animals.createPet, { returns: Animal }),
  getPet: forOperators(animals.getPet, {
    description: 'One animal by its identifier.',
    returns: Animal,
  }),
  updatePet: forOperators(animals.updatePet, { returns: Animal }),
  deletePet: forOperators(animals.deletePet),

  listCategories: forOperators(categories.listCategories, {
    description: 'A page of categories, by ascending id.',
    returns: Categories,
  }),
  createCategory: forOperators(categories.createCategory, { returns: Category }),
  getCategory: forOperators(categories.getCategory, { returns: Category }),
  renameCategory: forOperators(categories.renameCategory, { returns: Category }),
  deleteCategory: forOperators(categories.deleteCategory),

  listOrders: forOperators(orders.listOrders, {
    description: 'A page of orders, by ascending id.',
    returns: Orders,
  }),
  placeOrder: forOperators(orders.placeOrder),
  getOrder: forOperators(orders.getOrder),
  approveOrder: forOperators(orders.approveOrder),
  deliverOrder: forOperators(orders.deliverOrder),
  cancelOrder: forOperators(orders.cancelOrder),
}

type Operations = typeof operations

export const recordRoutes = [animalRoutes, categoryRoutes, orderRoutes]
  .flatMap((routes): StoreRoute[] => Object.values(routes))
  .map((route) => {
    const id = route.operation.operationId as keyof Operations
    return mountForOperators(operations[id], route)
  }) as Endpoint<OperatorsContext, Operations[keyof Operations]>[]
