// The internal authority for localhost and private networks: one root for all processes, stored encrypted. Issuing
// needs neither network nor validation.
import { findOne, getOne, transaction } from '../../../platform/database/database.ts'
import { assignments } from '../../../platform/database/plain-row.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import type { CertificateWithKey } from '../../acme/x509/certificate-facts.ts'
import { createInternalRoot, issueInternally } from '../../acme/x509/internal-issuer.ts'
import type { PublishingContext } from '../../database/publishing-context.ts'
import { prepareQuery } from '../../database/tables.ts'

type RootContext = Pick<PublishingContext, 'database' | 'clock'> & { secrets: Secrets }

export const internalIssuer = 'Animal Store Internal'
const lifeDays = 90
const context = 'internal root'

const select = prepareQuery()((db) =>
  db.selectFrom('internal_roots').select(['chain', 'private_key as privateKey']),
)
const insert = prepareQuery<{ chain: string; privateKey: string }>()((db, param) =>
  db
    .insertInto('internal_roots')
    .values({ id: 1n, ...assignments(['chain', 'private_key'], param) })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

/** Returns the root that was stored first. */
const saveRoot = transaction(async (session, root: { chain: string; privateKey: string }) => {
  await session.all(insert, root)
  return await getOne(session, select, {})
})

/** The root with its key, created on first use and shared by all processes. */
export async function getInternalRoot({
  clock,
  database,
  secrets,
}: RootContext): Promise<CertificateWithKey> {
  let row = await findOne(database.read, select, {})
  if (!row) {
    const made = await createInternalRoot(internalIssuer, clock())
    const privateKey = secrets.encrypt(Buffer.from(made.key), context)
    row = await saveRoot(database, { chain: made.chain, privateKey })
  }
  return { chain: row.chain, key: secrets.decrypt(row.privateKey, context).toString() }
}

/** A certificate of the internal authority, valid for 90 days. */
export async function issueFromInternalRoot(context: RootContext, host: string) {
  const root = await getInternalRoot(context)
  return await issueInternally(root, [host], { days: lifeDays, now: context.clock() })
}
