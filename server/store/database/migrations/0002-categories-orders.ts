import type { Migration } from '#kit/database/migrate.ts'

const counters = ['last_category_id', 'categories', 'last_order_id']
const statuses = ['placed', 'approved', 'delivered', 'cancelled']

/** Categories and orders. An animal has at most one open order; a unique index enforces it. */
export const migration0002: Migration = {
  id: 2,
  name: 'categories and orders',
  sql: ({ int64, strict }) => `
    ${[...counters, ...statuses]
      .map((column) => `alter table store_state add column ${column} ${int64} not null default 0;`)
      .join('\n    ')}

    create table categories (
      id ${int64} not null primary key,
      name text not null
    ) ${strict};

    create table orders (
      id ${int64} not null primary key,
      pet_id ${int64} not null,
      status text not null check (status in ('placed', 'approved', 'delivered', 'cancelled')),
      created_at ${int64} not null
    ) ${strict};
    create index orders_by_status on orders (status, id);
    create index orders_by_pet on orders (pet_id, id);
    create unique index one_open_order_for_each_pet on orders (pet_id)
      where status in ('placed', 'approved');
  `,
}
