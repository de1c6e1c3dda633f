// The wire shapes of categories in the management API: the store's own, with a version.
import { Type } from 'typebox'
import {
  Category as CategorySchema,
  ListCategoriesQuery as ListCategoriesQuerySchema,
  type NewCategory,
  NewCategory as NewCategorySchema,
} from '../../categories/schema.ts'
import type { ListQuery } from '../../pages/schema.ts'
import { pageOf } from '../paging.ts'
import { resolved } from '../resolved-schema.ts'
import { type Versioned, version } from '../version.ts'

export interface Category extends Versioned {
  id: number
  name: string
}

export const Category = resolved<Category>(
  Type.Object(
    { ...CategorySchema.properties, version },
    { $id: 'Category', description: 'A name for the number that animals carry.' },
  ),
)
export const Categories = pageOf(Category, 'Categories', 'How many there are.')
export const NewNamedCategory = resolved<NewCategory>(NewCategorySchema)
export const ListCategoriesQuery = resolved<ListQuery>(ListCategoriesQuerySchema)
