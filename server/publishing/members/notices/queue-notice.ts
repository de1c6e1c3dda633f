// Queues a mail about a project, in the transaction of what it tells. Only accounts that have confirmed their address
// get one; there is at most one for an invitation, and a limited number for a project and a recipient in a day.
import { sql } from 'kysely'
import type { AuditOrigin } from '#kit/audit/record-audit.ts'
import { findOne, type WriteSession } from '#kit/database/database.ts'
import { createRecordId } from '#kit/record-id.ts'
import { prepareInsert, prepareQuery } from '../../database/tables.ts'

export type NoticeKind = 'invited' | 'offered' | 'accepted' | 'declined'

interface NewNotice {
  projectId: string
  kind: NoticeKind
  /** An account, or the key of an e-mail address. */
  to: { id: string } | { emailKey: string }
  origin: AuditOrigin
}

const dayMs = 24 * 3_600_000
/** In a day; more are not sent. */
const maxOfProject = 20
const maxOfRecipient = 20

const confirmedAccount = prepareQuery<{ id: string; key: string }>()((db, param) =>
  db
    .selectFrom('accounts')
    .innerJoin('email_confirmations as confirmation', (join) =>
      join
        .onRef('confirmation.account_id', '=', 'accounts.id')
        .onRef('confirmation.email_key', '=', 'accounts.email_key'),
    )
    .select('accounts.id')
    .where('confirmation.confirmed_at', 'is not', null)
    .where((eb) =>
      eb.or([eb('accounts.id', '=', param('id')), eb('accounts.email_key', '=', param('key'))]),
    ),
)
const ofLastDay = prepareQuery<{
  project: string
  recipient: string
  kind: string
  since: number
}>()((db, param) =>
  db
    .selectFrom('project_notices')
    .select((eb) => {
      const isOfProject = eb('project_id', '=', param('project'))
      const isOfRecipient = eb('recipient', '=', param('recipient'))
      const isSame = eb.and([isOfProject, isOfRecipient, eb('kind', '=', param('kind'))])
      const countOf = (condition: typeof isOfProject) =>
        eb.fn.count<bigint>(eb.case().when(condition).then(sql.lit(1)).end())
      return [
        countOf(isOfProject).as('of_project'),
        countOf(isOfRecipient).as('of_recipient'),
        countOf(isSame).as('same'),
      ]
    })
    .where('created_at', '>', param('since'))
    .where((eb) =>
      eb.or([eb('project_id', '=', param('project')), eb('recipient', '=', param('recipient'))]),
    ),
)
const insert = prepareInsert('project_notices', [
  'id',
  'project_id',
  'recipient',
  'actor',
  'kind',
  'created_at',
  'due_at',
])

/** Inside a write that has the lock. */
export async function queueNotice(
  session: WriteSession,
  { kind, origin, projectId, to }: NewNotice,
): Promise<void> {
  const { actorId, at: now } = origin
  const target = 'id' in to ? { id: to.id, key: '' } : { id: '', key: to.emailKey }
  const account = await findOne(session, confirmedAccount, target)
  if (!account) return
  const recipient = account.id
  const asked = { project: projectId, recipient, kind, since: now - dayMs }
  const found = await findOne(session, ofLastDay, asked)
  // An invitation that is renewed is the same one.
  const isRepeated = (kind === 'invited' || kind === 'offered') && Number(found?.same) > 0
  if (isRepeated || Number(found?.of_project) >= maxOfProject) return
  if (Number(found?.of_recipient) >= maxOfRecipient) return
  await session.all(insert, {
    ...{ id: createRecordId('ntc', now), project_id: projectId, recipient, actor: actorId },
    ...{ kind, created_at: now, due_at: now },
  })
  session.announce?.()
}
