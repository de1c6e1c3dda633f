// The wire shapes of categories.
import { Type } from 'typebox'
import { plainText } from '../pages/names.ts'
import { cursor, type ListQuery, limitOf } from '../pages/schema.ts'

const name = plainText("The category's name. Kept exactly as sent; need not be unique.", 'Dogs')

export const NewCategory = Type.Object(
  { name },
  { $id: 'NewCategory', description: 'A category to add, or the new name of one.' },
)
export interface NewCategory {
  name: string
}

export const Category = Type.Object(
  {
    id: Type.Integer({
      format: 'int64',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Unique identifier, assigned by the service on creation; never given twice.',
      examples: [1],
    }),
    name,
  },
  {
    $id: 'Category',
    description: 'A category of animals. The categoryId of an animal need not be one of these.',
  },
)

export const Categories = Type.Array(Type.Ref('Category'), {
  $id: 'Categories',
  description: 'A page of categories.',
  maxItems: 100,
})

export const CategoryPath = Type.Object({
  categoryId: Type.Integer({
    format: 'int64',
    description: 'Identifier of the category.',
    examples: [1],
  }),
})

export const ListCategoriesQuery = Type.Object({ limit: limitOf('categories'), cursor })
export type ListCategoriesQuery = ListQuery
