// A message that nothing happened for, to see whether a receiver is there.
import { findOne } from '#kit/database/database.ts'
import type { Destinations } from '#kit/network/http-client.ts'
import { messageBody, type Sent, sendMessage } from '#kit/webhooks/send-message.ts'
import { createId } from '#kit/webhooks/signature.ts'
import { prepare } from '#store/database/tables.ts'
import { type Keeper, secretContext } from './webhooks.ts'

const byId = prepare.select('webhooks', ['url', 'secret'], { id: 'id', removed_at: null })

/**
 * Sends a `webhook.test` event at once, active or not, outside of outbox and log. Undefined without such a
 * webhook. Throws SecretError when the key of its secret is not here.
 */
export async function testWebhook(
  { database, environment, secrets }: Keeper,
  id: string,
  destinations: Destinations,
  now: number,
): Promise<Sent | undefined> {
  const row = await findOne(database.read, byId, { id })
  if (!row) return undefined
  const message = {
    url: row.url,
    secrets: [secrets.decrypt(row.secret, secretContext(environment, id))],
    id: createId('msg_'),
    body: messageBody('webhook.test', now, JSON.stringify({ webhookId: id })),
  }
  return await sendMessage(message, now, destinations)
}
