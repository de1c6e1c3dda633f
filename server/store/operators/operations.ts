// The operations of operators on the records of an environment: the store's own, mounted a second time, and the
// import and export of files.
import { Type } from 'typebox'
import { declareOperations } from '#kit/management/operation.ts'
import { operations as animals } from '../animals/operations.ts'
import { Pet, SearchPetsQuery } from '../animals/schema.ts'
import { operations as categories } from '../categories/operations.ts'
import { operations as orders } from '../orders/operations.ts'
import { mediaTypes } from '../transfer/forms.ts'
import {
  AnimalChanges,
  AnimalDeletions,
  ChangedAnimals,
  DeletedAnimals,
  FoundRecords,
  SearchStoreQuery,
} from './bulk-schema.ts'
import { maxBytes, maxRecords } from './import-limits.ts'
import { forOperators } from './mount.ts'
import { Animal, Animals, Categories, Category, Orders } from './schema.ts'
import { ExportAnimalsQuery, ImportAnimalsQuery, ImportOfAnimals } from './transfer-schema.ts'

export const operations = {
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

export const bulkOperations = declareOperations(
  { tag: 'animals', access: 'operator', errors: ['route_not_found'] },
  {
    changeAnimals: {
      route: 'POST /store/{environment}/animals/changes',
      summary: 'Change the status of many animals',
      description:
        'Each animal is changed or refused on its own, as a single change would be. With the versions of the response, a second request undoes the first one where nobody has changed an animal since.',
      scope: 'store:write',
      body: AnimalChanges,
      returns: ChangedAnimals,
    },
    deleteAnimals: {
      route: 'POST /store/{environment}/animals/deletions',
      summary: 'Remove many animals',
      description: 'Each animal is removed or refused on its own. Their ids are never given again.',
      scope: 'store:write',
      body: AnimalDeletions,
      returns: DeletedAnimals,
    },
    searchStore: {
      route: 'GET /store/{environment}/search',
      summary: 'Find animals, categories and orders by name or id',
      scope: 'store:read',
      query: SearchStoreQuery,
      returns: FoundRecords,
    },
  },
)

export const transferOperations = declareOperations(
  { tag: 'animals', access: 'operator', errors: ['route_not_found'] },
  {
    importAnimals: {
      route: 'POST /store/{environment}/animals/import',
      summary: 'Add the animals of a file',
      description: `At most ${maxRecords.toLocaleString('en')} in ${maxBytes / 1024 / 1024} MiB, each validated like a creation; the command \`animals import\` takes more. A dry run reports problems with a 200; otherwise invalid records are a 400 whose details name the line, unless they are to be skipped. No webhook events are sent.`,
      scope: 'store:write',
      query: ImportAnimalsQuery,
      upload: { mediaTypes: Object.values(mediaTypes), maxBytes },
      returns: ImportOfAnimals,
      errors: ['invalid_body'],
    },
    exportAnimals: {
      route: 'GET /store/{environment}/animals/export',
      summary: 'Get the animals as a file',
      description:
        'By ascending id: every animal that is there throughout is in it exactly once. An import takes it back.',
      scope: 'store:read',
      query: ExportAnimalsQuery,
      download: {
        [mediaTypes.csv]: Type.String({ description: 'RFC 4180, in UTF-8, with a header line.' }),
        [mediaTypes.ndjson]: Type.String({ description: 'An animal on each line.' }),
        [mediaTypes.json]: Type.Array(Pet),
      },
    },
  },
)
