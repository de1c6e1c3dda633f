// The internal authority for localhost and private networks: one root for all processes, stored encrypted. Issuing
// needs neither network nor validation.
import type { Clock } from '../../../platform/clock.ts'
import { type Database, each, findOne, getOne } from '../../../platform/database/database.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import type { CertificateWithKey } from '../../acme/x509/certificate-facts.ts'
import { createInternalRoot, issueInternally } from '../../acme/x509/internal-issuer.ts'
import { prepareQuery } from '../../database/tables.ts'

export interface RootContext {
  database: Database
  clock: Clock
  secrets: Secrets
}

export const internalIssuer = 'Animal Store Internal'
const lifeDays = 90
const context = 'internal root'

interface RootRow {
  chain: string
  privateKey: string
}

const select = prepareQuery()((db) =>
  db.selectFrom('internal_roots').select(['chain', 'private_key as privateKey']),
)
const insert = prepareQuery<RootRow>()((db, param) =>
  db
    .insertInto('internal_roots')
    .values({ id: 1n, chain: param('chain'), private_key: param('privateKey') })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

/** Returns the root that was stored first. For a group commit. */
const saveRootTransaction = each(async (session, row: RootRow): Promise<RootRow> => {
  await session.all(insert, row)
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
    row = await database.write(saveRootTransaction, { chain: made.chain, privateKey })
  }
  return { chain: row.chain, key: secrets.decrypt(row.privateKey, context).toString() }
}

/** The root certificate, PEM, for clients to trust. Undefined before first use. */
export async function findInternalRootChain(
  database: Pick<Database, 'read'>,
): Promise<string | undefined> {
  return (await findOne(database.read, select, {}))?.chain
}

/** A certificate of the internal authority, valid for 90 days. */
export async function issueFromInternalRoot(
  context: RootContext,
  host: string,
): Promise<CertificateWithKey> {
  const root = await getInternalRoot(context)
  return await issueInternally(root, [host], { days: lifeDays, now: context.clock() })
}
