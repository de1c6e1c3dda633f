// Verification tokens that are in links to DNS providers (Domain Connect). Such a link does not expire: who opens it and
// consents proves the name for the account that made it. So an unproven claim gets a new token, which makes its links
// worthless, when another account adds the host; no link is made for it from then on.
import type { Session } from '#kit/database/database.ts'
import { prepareQuery } from '#publishing/database/tables.ts'
import { createVerificationToken } from './verification-record.ts'

/** More competing claims than occur in practice. */
const maxClaims = 100

const linked = prepareQuery<{ host: string; id: string; max: number }>()((db, param) =>
  db
    .selectFrom('domains')
    .select('id')
    .where('host', '=', param('host'))
    .where('id', '!=', param('id'))
    .where('ownership', '!=', 'proven')
    .where('connect_linked_at', 'is not', null)
    .limit(param('max')),
)
const replace = prepareQuery<{ id: string; token: string }>()((db, param) =>
  db
    .updateTable('domains')
    .set((eb) => ({
      verification_token: param('token'),
      connect_linked_at: null,
      version: eb('version', '+', 1n),
    }))
    .where('id', '=', param('id')),
)

/** Of the other claims on the host of a new one. */
export async function replaceLinkedTokens(
  session: Session,
  { host, id }: { host: string; id: string },
): Promise<void> {
  for (const claim of await session.all(linked, { host, id, max: maxClaims }))
    await session.all(replace, { id: claim.id, token: createVerificationToken() })
}
