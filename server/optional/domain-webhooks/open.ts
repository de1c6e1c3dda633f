// Webhooks of domains, as the rest of the program uses them: the operations on the webhook of a project (find the project
// for the caller, call, reply), and how a process opens them.

import { createDomainView } from '#domains/api/domain-response.ts'
import * as schema from '#domains/api/event-schema.ts'
import { timeOrNull } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import type { EncryptedColumn } from '#kit/database/re-encrypt.ts'
import { AppError } from '#kit/errors.ts'
import { bindRoutes } from '#kit/management/route.ts'
import { judgeAddresses } from '#kit/network/addresses.ts'
import { resolveBy } from '#kit/network/http-client.ts'
import { toWire } from '#kit/schema/described-schema.ts'
import { openSecrets } from '#kit/secrets.ts'
import { checkUrl, createId, createSecret, messageBody } from '#kit/webhooks/send-message.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { throwDeleted } from '#publishing/projects/find-project.ts'
import { projectRoutesOf } from '#publishing/projects/routes.ts'
import {
  createWebhookNotifier,
  type FoundWebhook,
  findDomainWebhook,
  removeDomainWebhook,
  sendToWebhook,
  setDomainWebhook,
  type WebhookContext,
  webhookSecretContext,
} from './domain-webhook.ts'

const route = projectRoutesOf<WebhookContext>('domains')

export const domainWebhookRoutes = [
  route('GET /projects/{slug}/domain-webhook', 'getDomainWebhook', {
    summary: 'Get the domain webhook of a project, with its last delivery',
    scope: 'projects:read',
    returns: schema.DomainWebhook,
    needs: 'read',
    errors: ['webhook_not_found'],
    handle: async ({ project }, context) => show(await getWebhook(context, project.id)),
  }),
  route('PUT /projects/{slug}/domain-webhook', 'setDomainWebhook', {
    summary: 'Set the domain webhook of a project',
    description:
      'It receives the events active, at_risk, failed, lost, removed, challenge_requested, certificate_prepared and preparation_ended. Setting it creates a new secret, which only this response contains.',
    scope: 'domains:write',
    body: schema.NewDomainWebhook,
    returns: schema.MadeDomainWebhook,
    needs: 'edit',
    async handle({ body: { url }, origin, project: { id } }, context) {
      const { database, destinations, secrets } = context
      await checkUrl(url, destinations)
      const { bytes, text } = createSecret()
      const secret = secrets.encrypt(bytes, webhookSecretContext(id))
      const webhook = { projectId: id, url, secret, createdAt: origin.at }
      if (!(await setDomainWebhook(database, webhook, origin))) throwDeleted()
      return { ...show(await getWebhook(context, id)), secret: text }
    },
  }),
  route('DELETE /projects/{slug}/domain-webhook', 'removeDomainWebhook', {
    summary: 'Remove the domain webhook of a project',
    scope: 'domains:write',
    needs: 'edit',
    errors: ['webhook_not_found'],
    async handle({ origin, project }, { database }) {
      if (!(await removeDomainWebhook(database, project.id, origin))) throw webhookNotFound()
    },
  }),
  route('POST /projects/{slug}/domain-webhook/test', 'testDomainWebhook', {
    summary: 'Send a test message to the domain webhook',
    scope: 'domains:write',
    returns: schema.DomainWebhookTest,
    needs: 'edit',
    errors: ['webhook_not_found'],
    async handle({ origin, project: { id, slug } }, context) {
      const webhook = await getWebhook(context, id)
      const data = JSON.stringify({ project: slug })
      const sent = await sendToWebhook(context, id, webhook, {
        id: createId('msg_'),
        body: messageBody('domain.test', origin.at, data),
      })
      const { durationMs, error = null, status = null } = sent
      return { status, error, durationMs }
    },
  }),
] as const

/** What the database of publishing keeps encrypted. */
export const domainWebhookColumn: EncryptedColumn = {
  table: 'domain_webhooks',
  column: 'secret',
  key: 'project_id',
  contextOf: webhookSecretContext,
}

export function openDomainWebhooks(
  config: Config,
  { clock, database }: Pick<PublishingContext, 'clock' | 'database'>,
) {
  const { dnsServers, platformHost, projectWebhookAllow } = config
  const context = {
    ...{ clock, database, secrets: openSecrets(config) },
    view: createDomainView(database.read, clock, platformHost),
    destinations: { judge: judgeAddresses(projectWebhookAllow), resolve: resolveBy(dnsServers) },
  }
  return {
    /** Part of the management API. */
    routes: bindRoutes(domainWebhookRoutes, context),
    send: createWebhookNotifier(context),
  }
}

async function getWebhook({ database }: WebhookContext, projectId: string): Promise<FoundWebhook> {
  const webhook = await findDomainWebhook(database.read, projectId)
  if (!webhook) throw webhookNotFound()
  return webhook
}

function show(webhook: FoundWebhook): schema.DomainWebhook {
  const failingSince = timeOrNull(webhook.failingSince)
  return toWire(schema.DomainWebhook, { ...webhook, failingSince })
}

function webhookNotFound(): AppError {
  return new AppError('webhook_not_found', 'The project has no webhook for its domains.')
}
