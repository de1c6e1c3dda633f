// The webhook for the domain events of a project: its URL and signing secret. A project has at most one; setting
// it again creates a new secret.
import { each, findOne, type Session } from '../../../platform/database/database.ts'
import { lockPublishing } from '../../database/publishing-state.ts'
import { prepareQuery } from '../../database/tables.ts'

export interface FoundWebhook {
  url: string
  /** Encrypted. */
  secret: string
  /** Milliseconds since the epoch. */
  createdAt: number
  /** Of the last attempt; undefined before the first one. */
  attemptedAt: number | undefined
  status: number | undefined
  error: string | undefined
  failingSince: number | undefined
}

/** The encryption context of the secret of a project's webhook. */
export function webhookSecretContext(projectId: string): string {
  return `domain webhook secret ${projectId}`
}

const ofProject = prepareQuery<{ project: string }>()((db, param) =>
  db.selectFrom('domain_webhooks').selectAll().where('project_id', '=', param('project')),
)
const project = prepareQuery<{ id: string }>()((db, param) =>
  db.selectFrom('projects').select('id').where('id', '=', param('id')),
)
const insert = prepareQuery<{ project: string; url: string; secret: string; now: number }>()(
  (db, param) =>
    db.insertInto('domain_webhooks').values({
      project_id: param('project'),
      url: param('url'),
      secret: param('secret'),
      created_at: param('now'),
      attempted_at: null,
      status: null,
      error: null,
      failing_since: null,
    }),
)
const remove = prepareQuery<{ project: string }>()((db, param) =>
  db
    .deleteFrom('domain_webhooks')
    .where('project_id', '=', param('project'))
    .returning('project_id'),
)
const dropNotices = prepareQuery<{ project: string }>()((db, param) =>
  db
    .deleteFrom('domain_notices')
    .where('project_id', '=', param('project'))
    .where('channel', '=', 'webhook'),
)
const setAttempt = prepareQuery<{
  project: string
  secret: string
  at: number
  status: number | null
  error: string | null
}>()((db, param) =>
  db
    .updateTable('domain_webhooks')
    .set((eb) => ({
      attempted_at: param('at'),
      status: param('status'),
      error: param('error'),
      failing_since: eb
        .case()
        .when(eb.cast(eb.val(param('error')), 'text'), 'is', null)
        .then(null)
        .else(eb.fn.coalesce('failing_since', eb.cast<bigint>(eb.val(param('at')), 'bigint')))
        .end(),
    }))
    .where('project_id', '=', param('project'))
    .where('secret', '=', param('secret')),
)

export async function findDomainWebhook(
  session: Session,
  projectId: string,
): Promise<FoundWebhook | undefined> {
  const row = await findOne(session, ofProject, { project: projectId })
  if (!row) return undefined
  const moment = (at: bigint | null) => (at === null ? undefined : Number(at))
  return {
    url: row.url,
    secret: row.secret,
    createdAt: Number(row.created_at),
    attemptedAt: moment(row.attempted_at),
    status: moment(row.status),
    error: row.error ?? undefined,
    failingSince: moment(row.failing_since),
  }
}

/** `secret` is encrypted. False when the project has gone. For a group commit. */
export const setWebhookTransaction = each(
  async (session, input: { project: string; url: string; secret: string; now: number }) => {
    await lockPublishing(session)
    if (!(await findOne(session, project, { id: input.project }))) return false
    await session.all(remove, { project: input.project })
    await session.all(insert, input)
    return true
  },
)

/** Deletes its pending notices, too. False when there is none. For a group commit. */
export const removeWebhookTransaction = each(
  async (session, projectId: string): Promise<boolean> => {
    await lockPublishing(session)
    await session.all(dropNotices, { project: projectId })
    return (await findOne(session, remove, { project: projectId })) !== undefined
  },
)

/** Records the result of an attempt, unless the webhook was replaced since. For a group commit. */
export const recordWebhookAttemptTransaction = each(
  async (
    session,
    attempt: {
      project: string
      secret: string
      at: number
      status: number | null
      error: string | null
    },
  ): Promise<void> => {
    await lockPublishing(session)
    await session.all(setAttempt, attempt)
  },
)
