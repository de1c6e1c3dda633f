// What was encrypted with a key that is lost, and can be issued again, counts as missing: certificates, open orders and
// the accounts at authorities. The internal root is replaced by a command only, because people have to trust the new one.
import { sql } from 'kysely'
import { type Database, transaction } from '../../platform/database/database.ts'
import { keyIdPosition } from '../../platform/secrets.ts'
import { lockPublishing } from '../database/publishing-state.ts'
import { prepareQuery } from '../database/tables.ts'
import { applyEvent } from '../domains/database/apply-event.ts'
import { findDomainById } from '../domains/database/find-domains.ts'
import { listLivingNodes } from '../edge/removal/node-presence.ts'

const { length, start } = keyIdPosition
const keyId = sql<string>`substr(private_key, ${sql.lit(start)}, ${sql.lit(length)})`
const removeOf = (table: 'acme_accounts' | 'certificate_orders') =>
  prepareQuery<{ keyId: string }>()((db, param) =>
    db.deleteFrom(table).where(keyId, '=', param('keyId')),
  )
const removeAccounts = removeOf('acme_accounts')
const removeOrders = removeOf('certificate_orders')
const removeCertificates = prepareQuery<{ keyId: string }>()((db, param) =>
  db
    .deleteFrom('certificates')
    .where(keyId, '=', param('keyId'))
    .returning(['domain_id as domainId', 'is_current as isCurrent']),
)

/**
 * The number of certificates that are issued again. Undefined, and nothing is changed, while another process serves:
 * it may have the key, and only this one may have been given a wrong one.
 */
export const replaceUnreadable = (database: Database, lostKeyId: string, now: number) =>
  replaceTransaction(database, { keyId: lostKeyId, now })

const replaceTransaction = transaction(
  async (session, lost: { keyId: string; now: number }): Promise<number | undefined> => {
    const { keyId, now } = lost
    await lockPublishing(session)
    if ((await listLivingNodes(session, now)).length > 0) return undefined
    await session.all(removeAccounts, { keyId })
    await session.all(removeOrders, { keyId })
    const removed = await session.all(removeCertificates, { keyId })
    const current = removed.filter(({ isCurrent }) => isCurrent === 1n)
    for (const { domainId } of current) {
      const domain = await findDomainById(session, domainId)
      const event = { type: 'renewal', at: now, renewAt: now, lookAt: now } as const
      if (domain) await applyEvent(session, domain, event)
    }
    return current.length
  },
)
