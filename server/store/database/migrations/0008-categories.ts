import type { Migration } from '#kit/database/migrate.ts'

/** Animals by category. */
export const migration0008: Migration = {
  id: 8,
  name: 'pets-by-category',
  sql: () => 'create index pets_by_category on pets (category_id, id);',
}
