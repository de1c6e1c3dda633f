// The operations of operators on the records of an environment: the store's own, mounted a second time, and the
// import and export of files.
import { Type } from 'typebox'
import { operation } from '../../platform/management/operation.ts'
import * as animals from '../animals/operations.ts'
import { Pet, SearchPetsQuery } from '../animals/schema.ts'
import * as categories from '../categories/operations.ts'
import * as orders from '../orders/operations.ts'
import { mediaTypes } from '../transfer/forms.ts'
import { maxBytes, maxRecords } from './import-limits.ts'
import { forOperators } from './mount.ts'
import { Animal, Animals, Categories, Category, Orders } from './schema.ts'
import { ExportAnimalsQuery, ImportAnimalsQuery, ImportOfAnimals } from './transfer-schema.ts'

export const listPets = forOperators(animals.listPets, 'GET /store/{environment}/animals', {
  description:
    'A page of animals, by ascending id. A walk along `next` sees every animal that was there throughout exactly once. With a category filter, a page may have fewer records than `limit`, even none, while more follow: each page searches 200,000 ids.',
  query: SearchPetsQuery,
  answer: Animals,
})
export const createPet = forOperators(animals.createPet, 'POST /store/{environment}/animals', {
  answer: Animal,
})
export const getPet = forOperators(animals.getPet, 'GET /store/{environment}/animals/{petId}', {
  description: 'One animal by its identifier.',
  answer: Animal,
})
export const updatePet = forOperators(
  animals.updatePet,
  'PATCH /store/{environment}/animals/{petId}',
  { answer: Animal },
)
export const deletePet = forOperators(
  animals.deletePet,
  'DELETE /store/{environment}/animals/{petId}',
  {},
)

export const listCategories = forOperators(
  categories.listCategories,
  'GET /store/{environment}/categories',
  { description: 'A page of categories, by ascending id.', answer: Categories },
)
export const createCategory = forOperators(
  categories.createCategory,
  'POST /store/{environment}/categories',
  { answer: Category },
)
export const getCategory = forOperators(
  categories.getCategory,
  'GET /store/{environment}/categories/{categoryId}',
  { answer: Category },
)
export const renameCategory = forOperators(
  categories.renameCategory,
  'PATCH /store/{environment}/categories/{categoryId}',
  { answer: Category },
)
export const deleteCategory = forOperators(
  categories.deleteCategory,
  'DELETE /store/{environment}/categories/{categoryId}',
  {},
)

export const listOrders = forOperators(orders.listOrders, 'GET /store/{environment}/orders', {
  description: 'A page of orders, by ascending id.',
  answer: Orders,
})
export const placeOrder = forOperators(orders.placeOrder, 'POST /store/{environment}/orders', {})
export const getOrder = forOperators(
  orders.getOrder,
  'GET /store/{environment}/orders/{orderId}',
  {},
)
export const approveOrder = forOperators(
  orders.approveOrder,
  'POST /store/{environment}/orders/{orderId}/approve',
  {},
)
export const deliverOrder = forOperators(
  orders.deliverOrder,
  'POST /store/{environment}/orders/{orderId}/deliver',
  {},
)
export const cancelOrder = forOperators(
  orders.cancelOrder,
  'POST /store/{environment}/orders/{orderId}/cancel',
  {},
)

const transfer = { tag: 'animals', access: 'operator' } as const

export const importAnimals = operation({
  ...transfer,
  route: 'POST /store/{environment}/animals/import',
  operationId: 'importAnimals',
  summary: 'Add the animals of a file',
  description: `At most ${maxRecords.toLocaleString('en')} in ${maxBytes / 1024 / 1024} MiB, each validated like a creation; the command \`animals import\` takes more. A dry run reports problems with a 200; otherwise invalid records are a 400 whose details name the line, unless they are to be skipped. No webhook events are sent.`,
  scope: 'store:write',
  query: ImportAnimalsQuery,
  upload: { mediaTypes: Object.values(mediaTypes), maxBytes },
  status: 200,
  answer: ImportOfAnimals,
  errors: ['route_not_found', 'invalid_body'],
})

export const exportAnimals = operation({
  ...transfer,
  route: 'GET /store/{environment}/animals/export',
  operationId: 'exportAnimals',
  summary: 'Get the animals as a file',
  description:
    'By ascending id: every animal that is there throughout is in it exactly once. An import takes it back.',
  scope: 'store:read',
  query: ExportAnimalsQuery,
  status: 200,
  download: {
    [mediaTypes.csv]: Type.String({ description: 'RFC 4180, in UTF-8, with a header line.' }),
    [mediaTypes.ndjson]: Type.String({ description: 'An animal on each line.' }),
    [mediaTypes.json]: Type.Array(Pet),
  },
  errors: ['route_not_found'],
})
