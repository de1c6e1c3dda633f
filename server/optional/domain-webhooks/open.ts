// Webhooks of domains, as the rest of the program uses them: the operations on the webhook of a project (find the project
// for the caller, call, reply), and how a process opens them.

import { createDomainView } from '#domains/api/domain-response.ts'
import * as schema from '#domains/api/event-schema.ts'
import { originOf } from '#kit/audit/record-audit.ts'
import { timeOrNull } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import type { EncryptedColumn } from '#kit/database/re-encrypt.ts'
import { AppError } from '#kit/errors.ts'
import { bindRoutes, routesOf } from '#kit/management/route.ts'
import { judgeAddresses } from '#kit/network/addresses.ts'
import { resolveBy } from '#kit/network/http-client.ts'
import { toWire } from '#kit/schema/described-schema.ts'
import { openSecrets } from '#kit/secrets.ts'
import { checkUrl, createId, createSecret, messageBody } from '#kit/webhooks/send-message.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { getOwnProject } from '#publishing/projects/routes.ts'
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

const route = routesOf<WebhookContext>({
  tag: 'domains',
  access: 'account',
  errors: ['project_not_found'],
})

export const domainWebhookRoutes = [
  route('GET /projects/{slug}/domain-webhook', 'getDomainWebhook', {
    summary: 'Get the domain webhook of a project, with its last delivery',
    scope: 'projects:read',
    returns: schema.DomainWebhook,
    errors: ['webhook_not_found'],
    async handle({ caller, params }, context) {
      const { id } = await getOwnProject(context.database.read, caller, params.slug, 'read')
      return show(await getWebhook(context, id))
    },
  }),
  route('PUT /projects/{slug}/domain-webhook', 'setDomainWebhook', {
    summary: 'Set the domain webhook of a project',
    description:
      'It receives the events active, at_risk, failed, lost, removed, challenge_requested, certificate_prepared and preparation_ended. Setting it creates a new secret, which only this response contains.',
    scope: 'domains:write',
    body: schema.NewDomainWebhook,
    returns: schema.MadeDomainWebhook,
    errors: ['role_required'],
    async handle(call, context) {
      const { clock, database, destinations, secrets } = context
      const { body, caller, params } = call
      const { id } = await getOwnProject(database.read, caller, params.slug, 'edit')
      const { url } = body
      await checkUrl(url, destinations)
      const { bytes, text } = createSecret()
      const secret = secrets.encrypt(bytes, webhookSecretContext(id))
      const webhook = { projectId: id, url, secret, createdAt: clock() }
      if (!(await setDomainWebhook(database, webhook, originOf(call, clock())))) {
        throw new AppError('project_not_found', 'The project has been deleted.')
      }
      return { ...show(await getWebhook(context, id)), secret: text }
    },
  }),
  route('DELETE /projects/{slug}/domain-webhook', 'removeDomainWebhook', {
    summary: 'Remove the domain webhook of a project',
    scope: 'domains:write',
    errors: ['role_required', 'webhook_not_found'],
    async handle(call, { clock, database }) {
      const { caller, params } = call
      const { id } = await getOwnProject(database.read, caller, params.slug, 'edit')
      const origin = originOf(call, clock())
      if (!(await removeDomainWebhook(database, id, origin))) throw webhookNotFound()
    },
  }),
  route('POST /projects/{slug}/domain-webhook/test', 'testDomainWebhook', {
    summary: 'Send a test message to the domain webhook',
    scope: 'domains:write',
    returns: schema.DomainWebhookTest,
    errors: ['role_required', 'webhook_not_found'],
    async handle({ caller, params }, context) {
      const { clock } = context
      const { id, slug } = await getOwnProject(context.database.read, caller, params.slug, 'edit')
      const webhook = await getWebhook(context, id)
      const data = JSON.stringify({ project: slug })
      const sent = await sendToWebhook(context, id, webhook, {
        id: createId('msg_'),
        body: messageBody('domain.test', clock(), data),
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
