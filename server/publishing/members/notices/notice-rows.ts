// The queue of mails about projects. A row stays for a while after its mail was sent: by these the next ones are limited.
import { transaction } from '#accounts/lock-accounts.ts'
import { type Database, each, findOne, getOne } from '#kit/database/database.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import { type Lease, leasesOf } from '#kit/jobs/lease.ts'
import { lockPublishing } from '../../database/publishing-state.ts'
import { type PublishingTables, prepareQuery } from '../../database/tables.ts'
import type { NoticeKind } from './queue-notice.ts'

export interface ProjectNotice extends Leased {
  recipient: string
  kind: NoticeKind
  createdAt: number
  tries: number
}

type Leased = Lease<{ id: string }>

/** A lease lasts as long as an attempt can take. */
export const noticeLeases = leasesOf<PublishingTables>()()({
  table: 'project_notices',
  key: ['id'],
  token: 'claim',
  expiresAt: 'due_at',
  durationMs: 60_000,
  lock: lockPublishing,
})
const leased = prepareQuery<Leased>()((db, param) =>
  db
    .selectFrom('project_notices')
    .select(['recipient', 'kind', 'created_at', 'tries'])
    .where((eb) => eb.and({ id: param('id'), claim: param('token') })),
)
const release = prepareQuery<Leased & { at: number | null }>()((db, param) =>
  db
    .updateTable('project_notices')
    .set((eb) => ({ claim: null, due_at: param('at'), tries: eb('tries', '+', 1n) }))
    .where((eb) => eb.and({ id: param('id'), claim: param('token') })),
)
const factsOfNotice = prepareQuery<{ id: string }>()((db, param) =>
  db
    .selectFrom('project_notices as notices')
    .innerJoin('projects', 'projects.id', 'notices.project_id')
    .innerJoin('slugs', (join) =>
      join.onRef('slugs.project_id', '=', 'projects.id').on('slugs.is_current', '=', 1n),
    )
    .innerJoin('accounts as readers', 'readers.id', 'notices.recipient')
    .leftJoin('accounts', 'accounts.id', 'notices.actor')
    // One that was renewed since is the same.
    .leftJoin('project_invitations as invitations', (join) =>
      join
        .onRef('invitations.project_id', '=', 'notices.project_id')
        .onRef('invitations.email_key', '=', 'readers.email_key'),
    )
    .select([
      'projects.name as project',
      'slugs.slug',
      'accounts.name as actor',
      'invitations.role',
      'invitations.expires_at',
    ])
    .where('notices.id', '=', param('id')),
)

export const leaseNoticesTransaction = each(
  async (session, claim: { max: number; now: number }): Promise<ProjectNotice[]> => {
    const leases = await noticeLeases.claim(session, claim)
    return await Promise.all(
      leases.map(async (lease) => {
        const { created_at, kind, recipient, tries } = await getOne(session, leased, lease)
        const counts = { createdAt: Number(created_at), tries: Number(tries) }
        return { ...lease, ...counts, recipient, kind: kind as NoticeKind }
      }),
    )
  },
)

/** Null: it is sent, or given up. Without effect when the lease has expired. */
export const finishNotice = transaction(
  async (session, { id, token }: Leased, at: number | null): Promise<void> => {
    await session.all(release, { id, token, at })
  },
)

/** What its text needs. Without the role of an invitation, `owner` for an offer, that has ended; undefined if the project was deleted. */
export async function findNoticeFacts({ read }: Pick<Database, 'read'>, id: string) {
  return await findOne(read, factsOfNotice, { id })
}

/** Longer than a mail is retried, and than sent ones count. */
const keptMs = 3 * 24 * 3_600_000
const old = { table: 'project_notices', key: ['id'], time: 'created_at' } as const

export const deleteOldNotices = oldRowsOf<PublishingTables>()({
  ...old,
  keptMs,
  lock: lockPublishing,
})
/** Without a mail server, so that configuring one later sends no old news. */
export const deleteUnsentNotices = oldRowsOf<PublishingTables>()({ ...old, lock: lockPublishing })
