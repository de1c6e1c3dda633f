// What was encrypted with a key that is lost, and can be issued again, counts as missing: certificates, open orders and
// the accounts at authorities. The internal root is replaced by a command only, because people have to trust the new one.
import { sql } from 'kysely'
import { transactionsUnder } from '#kit/database/database.ts'
import { keyIdPosition } from '#kit/secrets.ts'
import { lockPublishing } from '#publishing/database/publishing-state.ts'
import { prepareQuery } from '#publishing/database/tables.ts'
import { applyEvent } from '../database/apply-event.ts'
import { findDomainById } from '../database/find-domains.ts'
import { listLivingNodes } from '../edge/removal/node-presence.ts'

const { length, start } = keyIdPosition
const keyId = sql<string>`substr(private_key, ${sql.lit(start)}, ${sql.lit(length)})`
const domainsServed = prepareQuery<{ lost: string }>()((db, param) =>
  db
    .selectFrom('certificates')
    .select('domain_id as id')
    .where('is_current', '=', 1n)
    .where(keyId, '=', param('lost')),
)
const removals = (['acme_accounts', 'certificate_orders', 'certificates'] as const).map((table) =>
  prepareQuery<{ lost: string }>()((db, param) =>
    db.deleteFrom(table).where(keyId, '=', param('lost')),
  ),
)

/**
 * The number of certificates that are issued again. Undefined, and nothing is changed, while another process serves:
 * it may have the key, and only this one may have been given a wrong one.
 */
export const replaceUnreadable = transactionsUnder(lockPublishing)(
  async (session, lost: string, now: number): Promise<number | undefined> => {
    if ((await listLivingNodes(session, now)).length > 0) return undefined
    const served = await session.all(domainsServed, { lost })
    for (const remove of removals) await session.all(remove, { lost })
    for (const { id } of served) {
      const domain = await findDomainById(session, id)
      const event = { type: 'renewal', at: now, renewAt: now, lookAt: now } as const
      if (domain) await applyEvent(session, domain, event)
    }
    return served.length
  },
)
