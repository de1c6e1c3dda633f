// The wire shapes of categories.
import { type Static, Type } from 'typebox'
import {
  assignedId,
  cursor,
  limitOf,
  operatorPageOf,
  pageOf,
  pathOf,
  recordName,
  version,
} from '../operations/shared-schema.ts'

const name = recordName("The category's name. Kept exactly as sent; need not be unique.", 'Dogs')

export const NewCategory = Type.Object(
  { name },
  { $id: 'NewCategory', description: 'A category to add, or the new name of one.' },
)

export const Category = Type.Object(
  {
    id: assignedId('Unique identifier, assigned by the service on creation; never given twice.'),
    name,
  },
  {
    $id: 'Category',
    description: 'A category of animals. The categoryId of an animal need not be one of these.',
  },
)

export const Categories = pageOf(Category, 'Categories', 'categories')

/** For operators. */
export const OperatorCategory = Type.Object(
  { ...Category.properties, version },
  { $id: 'Category', description: 'A named category of animals.' },
)
export type OperatorCategory = Static<typeof OperatorCategory>

export const OperatorCategories = operatorPageOf(
  OperatorCategory,
  'Categories',
  'Number of records.',
)

export const CategoryPath = pathOf('categoryId', 'category')

export const ListCategoriesQuery = Type.Object({ limit: limitOf('categories'), cursor })
export type ListCategoriesQuery = Static<typeof ListCategoriesQuery>
