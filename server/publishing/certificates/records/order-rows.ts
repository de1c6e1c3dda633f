// Open orders: at most one per domain, stored so that any process can continue it.
import { findOne, type Session } from '../../../platform/database/database.ts'
import type { ChallengeType } from '../../acme/resources/authorizations.ts'
import { prepareQuery } from '../../database/tables.ts'

/** `new`: not ordered yet, the self-check token is served. `answered`: the authority was told to validate. */
export type OrderStep = 'new' | 'ordered' | 'answered' | 'ready' | 'finalized'

export interface CertificateOrder {
  domainId: string
  host: string
  registeredDomain: string
  directory: string
  step: OrderStep
  orderUrl: string | null
  challengeType: ChallengeType | null
  /** The token that is served: that of the self-check at first, then the authority's. */
  token: string
  keyAuthorization: string
  /** The new certificate's key, encrypted. */
  privateKey: string
  /** The certificate that this order replaces at the same authority (RFC 9773). */
  replaces: string | null
  begunAt: number
}

const byDomain = prepareQuery<{ id: string }>()((db, param) =>
  db.selectFrom('certificate_orders').selectAll().where('domain_id', '=', param('id')),
)
const insert = prepareQuery<CertificateOrder>()((db, param) =>
  db.insertInto('certificate_orders').values({
    domain_id: param('domainId'),
    host: param('host'),
    registered_domain: param('registeredDomain'),
    directory: param('directory'),
    step: param('step'),
    order_url: param('orderUrl'),
    challenge_type: param('challengeType'),
    token: param('token'),
    key_authorization: param('keyAuthorization'),
    private_key: param('privateKey'),
    replaces: param('replaces'),
    begun_at: param('begunAt'),
  }),
)
const update = prepareQuery<Omit<CertificateOrder, 'host' | 'registeredDomain' | 'begunAt'>>()(
  (db, param) =>
    db
      .updateTable('certificate_orders')
      .set({
        directory: param('directory'),
        step: param('step'),
        order_url: param('orderUrl'),
        challenge_type: param('challengeType'),
        token: param('token'),
        key_authorization: param('keyAuthorization'),
        private_key: param('privateKey'),
        replaces: param('replaces'),
      })
      .where('domain_id', '=', param('domainId')),
)
const remove = prepareQuery<{ id: string }>()((db, param) =>
  db.deleteFrom('certificate_orders').where('domain_id', '=', param('id')),
)

export async function findOrder(
  session: Session,
  domainId: string,
): Promise<CertificateOrder | undefined> {
  const row = await findOne(session, byDomain, { id: domainId })
  if (!row) return undefined
  return {
    domainId: row.domain_id,
    host: row.host,
    registeredDomain: row.registered_domain,
    directory: row.directory,
    step: row.step as OrderStep,
    orderUrl: row.order_url,
    challengeType: row.challenge_type as ChallengeType | null,
    token: row.token,
    keyAuthorization: row.key_authorization,
    privateKey: row.private_key,
    replaces: row.replaces,
    begunAt: Number(row.begun_at),
  }
}

/** Within the lock. The domain must not have an order. */
export async function addOrder(session: Session, order: CertificateOrder): Promise<void> {
  await session.all(insert, order)
}

/** Within the lock. */
export async function changeOrder(session: Session, order: CertificateOrder): Promise<void> {
  await session.all(update, order)
}

/** Within the lock. */
export async function removeOrder(session: Session, domainId: string): Promise<void> {
  await session.all(remove, { id: domainId })
}
