// All migrations, in order.
import { auditMigration, auditOwnerMigration } from '#kit/audit/migration-audit.ts'
import type { Migration } from '#kit/database/migrate.ts'
import { migration0001 } from './0001-store.ts'
import { migration0002 } from './0002-categories-orders.ts'
import { migration0003 } from './0003-webhooks.ts'
import { migration0004 } from './0004-deprecated-calls.ts'
import { migration0007 } from './0007-names.ts'
import { migration0008 } from './0008-categories.ts'

/** The migrations of an environment's database. */
export const storeMigrations: Migration[] = [
  migration0001,
  migration0002,
  migration0003,
  migration0004,
  auditMigration(5),
  auditOwnerMigration(6),
  migration0007,
  migration0008,
]
