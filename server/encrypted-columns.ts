// What the database of publishing and accounts keeps encrypted.
import { codeSecretContext } from '#accounts/second-factor.ts'
import { accountContext } from '#domains/certificates/authorities/authorities.ts'
import { internalRootContext } from '#domains/certificates/authorities/internal-authority.ts'
import { keyContext } from '#domains/certificates/records/certificate-rows.ts'
import { webhookSecretContext } from '#domains/notifications/domain-webhook.ts'
import type { EncryptedColumn } from '#kit/database/re-encrypt.ts'
import { connectKeyContext } from '#optional/domain-connect/signing/signing-keys.ts'

const privateKeyOf = (
  table: string,
  key: string,
  contextOf: EncryptedColumn['contextOf'],
): EncryptedColumn => ({ table, column: 'private_key', key, contextOf })

export const encryptedColumns: readonly EncryptedColumn[] = [
  // There is one root, which its certificate identifies.
  privateKeyOf('internal_roots', 'chain', () => internalRootContext),
  privateKeyOf('acme_accounts', 'directory', accountContext),
  privateKeyOf('certificate_orders', 'domain_id', (id) => keyContext('order', id)),
  privateKeyOf('certificates', 'id', (id) => keyContext('certificate', id)),
  privateKeyOf('connect_keys', 'label', connectKeyContext),
  { table: 'one_time_codes', column: 'secret', key: 'account_id', contextOf: codeSecretContext },
  {
    table: 'domain_webhooks',
    column: 'secret',
    key: 'project_id',
    contextOf: webhookSecretContext,
  },
]
