import type { Migration } from '#kit/database/migrate.ts'

/** Animals and categories by name: the key is as in `name-key.ts`, and orders as the bytes of UTF-8 do. */
export const migration0007: Migration = {
  id: 7,
  name: 'names',
  sql: ({ engine }) => {
    const key = engine === 'postgres' ? 'lower(name collate "C")' : 'lower(name)'
    return `
    create index pets_by_name on pets (${key}, id);
    create index categories_by_name on categories (${key}, id);
  `
  },
}
