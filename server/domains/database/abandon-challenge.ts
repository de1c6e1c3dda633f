// The owner has set, or was asked to set, a TXT record with a value that is not valid any more: it is kept, so that its
// owner is told why another one is needed, or that the record can be deleted.

import { dnsChallengeValue } from '#acme/resources/challenges.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { prepareQuery } from '#publishing/database/tables.ts'
import type { FormerChallenge } from '../evidence/evidence.ts'

const setFormer = prepareQuery<{ id: string; former: string }>()((db, param) =>
  db
    .updateTable('domains')
    .set({ former_challenge: param('former') })
    .where('id', '=', param('id')),
)
const orderOf = prepareQuery<{ id: string }>()((db, param) =>
  db
    .selectFrom('certificate_orders')
    .select(['challenge_type', 'key_authorization', 'expires_at'])
    .where('domain_id', '=', param('id')),
)
const removeOrder = prepareQuery<{ id: string }>()((db, param) =>
  db.deleteFrom('certificate_orders').where('domain_id', '=', param('id')),
)

/** Deletes an open order for whose challenge a TXT record was asked. Within the lock. True if there was one. */
export async function abandonChallenge(
  session: Session,
  { id }: { id: string },
  because: FormerChallenge['because'],
  at: number,
): Promise<boolean> {
  const order = await findOne(session, orderOf, { id })
  if (order?.challenge_type !== 'dns-01' || order.expires_at === null) return false
  const value = dnsChallengeValue(order.key_authorization)
  const former: FormerChallenge = { value, because, at }
  await session.all(setFormer, { id, former: JSON.stringify(former) })
  await session.all(removeOrder, { id })
  return true
}
