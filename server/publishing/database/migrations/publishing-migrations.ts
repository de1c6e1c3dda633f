// All migrations of the publishing database, in order. It also stores accounts.
import { accountsMigration } from '#accounts/migration-accounts.ts'
import { deployTokensMigration } from '#accounts/migration-deploy-tokens.ts'
import { identitiesMigration } from '#accounts/migration-identities.ts'
import { pendingEmailsMigration } from '#accounts/migration-pending-emails.ts'
import { signInMethodsMigration } from '#accounts/migration-sign-in-methods.ts'
import { auditMigration, auditOwnerMigration } from '#kit/audit/migration-audit.ts'
import type { Migration } from '#kit/database/migrate.ts'
import { migration0002 } from './0002-projects.ts'
import { migration0003 } from './0003-domains.ts'
import { migration0004 } from './0004-certificates.ts'
import { migration0005 } from './0005-domain-events.ts'
import { migration0006 } from './0006-domain-words.ts'
import { migration0007 } from './0007-removed-claims.ts'
import { migration0008 } from './0008-fair-shares.ts'
import { migration0013 } from './0013-cleared-slugs.ts'
import { migration0014 } from './0014-turns-of-platform-hosts.ts'
import { migration0016 } from './0016-objects.ts'
import { migration0017 } from './0017-bucket-owner.ts'
import { migration0018 } from './0018-deploy-origins.ts'
import { migration0020 } from './0020-previews.ts'
import { migration0021 } from './0021-visits.ts'
import { migration0022 } from './0022-build-reports.ts'
import { migration0023 } from './0023-project-members.ts'
import { migration0024 } from './0024-visibility.ts'
import { migration0025 } from './0025-site-settings.ts'
import { migration0026 } from './0026-page-connections.ts'
import { migration0030 } from './0030-prepared-certificates.ts'
import { migration0033 } from './0033-domain-previews.ts'
import { migration0036 } from './0036-domain-connect.ts'
import { migration0037 } from './0037-persistent-records.ts'
import { migration0038 } from './0038-removed-domains.ts'
import { migration0040 } from './0040-rebuilds.ts'
import { migration0041 } from './0041-site-images.ts'
import { migration0042 } from './0042-project-notices.ts'
import { migration0043 } from './0043-retired.ts'

export const publishingMigrations: Migration[] = [
  { id: 1, ...accountsMigration },
  migration0002,
  migration0003,
  migration0004,
  migration0005,
  migration0006,
  migration0007,
  migration0008,
  auditMigration(9),
  { id: 10, ...signInMethodsMigration },
  { id: 11, ...pendingEmailsMigration },
  { id: 12, ...identitiesMigration },
  migration0013,
  migration0014,
  auditOwnerMigration(15),
  migration0016,
  migration0017,
  migration0018,
  { id: 19, ...deployTokensMigration },
  migration0020,
  migration0021,
  migration0022,
  migration0023,
  migration0024,
  migration0025,
  migration0026,
  migration0030,
  migration0033,
  migration0036,
  migration0037,
  migration0038,
  migration0040,
  migration0041,
  migration0042,
  migration0043,
]
