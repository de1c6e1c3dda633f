// Remembers with a domain whether its authority offers dns-persist-01: only then may its owner choose it.
import { type AcmeSession, getDirectory } from '../../acme/requests/acme-client.ts'
import {
  type Authorization,
  type PersistentChallenge,
  persistentType,
} from '../../acme/resources/authorizations.ts'
import { prepareQuery } from '../../database/tables.ts'
import type { PersistOffer } from '../../domains/database/domain-row.ts'
import type { IssuanceContext } from './issuance-context.ts'
import { leasedWrite } from './leased-write.ts'

const update = prepareQuery<{ id: string; offer: string | null }>()((db, param) =>
  db
    .updateTable('domains')
    .set({ persist_offer: param('offer') })
    .where('id', '=', param('id')),
)

const saveOfferTransaction = leasedWrite(
  async (session, { id, persistOffer }, { offer }: { offer: PersistOffer | undefined }) => {
    const [before, now] = [persistOffer, offer].map((each) => (each ? JSON.stringify(each) : null))
    if (now !== undefined && now !== before) await session.all(update, { id, offer: now })
  },
)

/** What an authorization for the host offers. */
export async function saveOffer(
  { client, context: { database }, lease, signal }: IssuanceContext & AcmeSession,
  { challenges }: Pick<Authorization, 'challenges'>,
): Promise<void> {
  const { recordForm } = await getDirectory(client, { signal })
  const offered = challenges.find(
    (each): each is PersistentChallenge => each.type === persistentType,
  )
  const directory = client.directoryUrl
  const offer = offered && recordForm ? { directory, issuers: offered.issuers } : undefined
  await database.write(saveOfferTransaction, { lease, offer })
}
