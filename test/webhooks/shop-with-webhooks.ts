// A running store that may send webhooks to receivers on this machine.

import { expect, onTestFinished } from 'vitest'
import { commandLineOrigin } from '#kit/audit/record-audit.ts'
import { openSecrets } from '#kit/secrets.ts'
import { listDeliveries } from '#optional/webhooks/delivery-log.ts'
import {
  changeWebhook,
  createWebhook,
  type Keeper,
  type NewWebhook,
} from '#optional/webhooks/webhooks.ts'
import type { Engine } from '../database.ts'
import { type StartOptions, startStore } from '../running-store.ts'
import { type Reply, startReceiver } from './receiver.ts'

export type WebhookShop = Awaited<ReturnType<typeof startShop>>

export async function startShop(engine: Engine, options: StartOptions = {}) {
  const env = { WEBHOOK_ALLOW: '127.0.0.1', ...options.env }
  const store = await startStore(engine, { ...options, env })
  onTestFinished(() => store.release())
  const { databases } = store.running.store
  const webhooks = store.running.webhooks.dispatchers
  const secrets = openSecrets({ dataDir: store.place.dataDir, secretKeys: [] })
  const keeper: Keeper = { database: databases.production, environment: 'production', secrets }
  const ofStaging: Keeper = { database: databases.staging, environment: 'staging', secrets }
  const audited = () => ({
    origin: commandLineOrigin(store.clock.now),
    environment: 'production' as const,
  })
  const deliveries = (webhookId: string, list?: Parameters<typeof listDeliveries>[2]) =>
    listDeliveries(keeper.database, webhookId, list)
  return {
    ...store,
    ...{ keeper, ofStaging, audited, deliveries },
    /** Disables or enables a webhook. */
    disable: (webhookId: string, disabled: boolean) =>
      changeWebhook(keeper.database, webhookId, { disabled }, audited()),
    /** Creates a webhook. */
    async hook(webhook: NewWebhook, by = keeper) {
      const created = await createWebhook(by, webhook, commandLineOrigin(store.clock.now))
      if (!created) throw new Error('there are too many webhooks')
      return created
    },
    /** Creates an animal and returns its id. */
    async pet(name = 'Rex') {
      const response = await store.ask('/pets', { body: { name, categoryId: 1 } })
      if (response.status !== 201) throw new Error(response.text)
      return (response.json as { id: number }).id
    },
    async patch(id: number, patch: object) {
      const headers = { 'content-type': 'application/merge-patch+json' }
      return (await store.ask(`/pets/${id}`, { method: 'PATCH', body: patch, headers })).status
    },
    /** Advances the clock and runs the dispatcher. */
    pass(ms: number) {
      store.clock.now += ms
      webhooks.production.wake()
    },
    /** Resolves once this many attempts of the webhook are recorded. */
    async logged(webhookId: string, attempts: number) {
      const count = async (): Promise<number> => {
        const all = await deliveries(webhookId, { limit: 1000 })
        return all.reduce((sum, each) => sum + each.attempts.length, 0)
      }
      await expect.poll(count, { interval: 5 }).toBeGreaterThanOrEqual(attempts)
    },
  }
}

/** The same with a receiver, and a webhook that sends to it. */
export async function startHooked(engine: Engine, reply?: Reply, options: StartOptions = {}) {
  const shop = await startShop(engine, options)
  const receiver = await startReceiver(reply)
  const { secret, webhook } = await shop.hook({ url: receiver.url })
  return { shop, receiver, secret, webhook, database: shop.keeper.database }
}
