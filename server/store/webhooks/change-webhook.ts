// Changing what a webhook is called, where it goes and what it hears of. What is open goes to the new
// address, too.
import { type Database, each } from '../../platform/database/database.ts'
import { lockState } from '../database/state.ts'
import { prepareQuery } from '../database/tables.ts'
import type { EventType } from './event-types.ts'
import { findWebhook, type Webhook } from './webhooks.ts'

/** What is left out stays. */
export interface WebhookChange {
  label?: string | undefined
  /** Checked by whoever calls. */
  url?: string | undefined
  /** Null means all. */
  events?: EventType[] | null | undefined
}

/** Undefined without such a webhook. */
export async function changeWebhook(
  database: Database,
  id: string,
  change: WebhookChange,
): Promise<Webhook | undefined> {
  return await database.write(changing, { id, change })
}

const update = prepareQuery<{ id: string; label: string; url: string; events: string }>()(
  (db, param) =>
    db
      .updateTable('webhooks')
      .set({ label: param('label'), url: param('url'), events: param('events') })
      .where('id', '=', param('id')),
)

const changing = each(async (session, input: { id: string; change: WebhookChange }) => {
  await lockState(session)
  const { change, id } = input
  const before = await findWebhook(session, id)
  if (!before) return undefined
  const { events = before.events ?? null, label = before.label, url = before.url } = change
  await session.all(update, { id, label, url, events: events?.join(' ') ?? '*' })
  return await findWebhook(session, id)
})
