// The operations on the webhook of a project: find the project for the caller, call, reply.
import { originOf } from '#kit/audit/record-audit.ts'
import { timeOrNull } from '#kit/clock.ts'
import { AppError } from '#kit/errors.ts'
import { type Route, route } from '#kit/management/route.ts'
import { checkUrl } from '#kit/webhooks/check-url.ts'
import { messageBody } from '#kit/webhooks/message-body.ts'
import { createId, createSecret } from '#kit/webhooks/signature.ts'
import { getOwnProject } from '#publishing/projects/routes.ts'
import { operations } from '../api/event-operations.ts'
import type { DomainWebhook } from '../api/event-schema.ts'
import {
  type FoundWebhook,
  findDomainWebhook,
  removeDomainWebhook,
  setDomainWebhook,
  webhookSecretContext,
} from './domain-webhook.ts'
import { sendToWebhook, type WebhookContext } from './send-webhook.ts'

export function domainWebhookRoutes(context: WebhookContext): Route[] {
  const { clock, database, destinations, secrets } = context
  const { read } = database

  async function getWebhook(projectId: string): Promise<FoundWebhook> {
    const webhook = await findDomainWebhook(read, projectId)
    if (!webhook) throw webhookNotFound()
    return webhook
  }

  return [
    route(operations.getDomainWebhook, async ({ caller, params }) => {
      const { id } = await getOwnProject(read, caller, params.slug, 'read')
      return show(await getWebhook(id))
    }),
    route(operations.setDomainWebhook, async (call) => {
      const { body, caller, params } = call
      const { id } = await getOwnProject(read, caller, params.slug, 'edit')
      const { url } = body as { url: string }
      await checkUrl(url, destinations)
      const { bytes, text } = createSecret()
      const secret = secrets.encrypt(bytes, webhookSecretContext(id))
      const webhook = { projectId: id, url, secret, createdAt: clock() }
      if (!(await setDomainWebhook(database, webhook, originOf(call, clock())))) {
        throw new AppError('project_not_found', 'The project has been deleted.')
      }
      return { ...show(await getWebhook(id)), secret: text }
    }),
    route(operations.removeDomainWebhook, async (call) => {
      const { caller, params } = call
      const { id } = await getOwnProject(read, caller, params.slug, 'edit')
      const origin = originOf(call, clock())
      if (!(await removeDomainWebhook(database, id, origin))) throw webhookNotFound()
      return undefined
    }),
    route(operations.testDomainWebhook, async ({ caller, params }) => {
      const { id, slug } = await getOwnProject(read, caller, params.slug, 'edit')
      const webhook = await getWebhook(id)
      const data = JSON.stringify({ project: slug })
      const sent = await sendToWebhook(context, id, webhook, {
        id: createId('msg_'),
        body: messageBody('domain.test', clock(), data),
      })
      const { durationMs, error = null, status = null } = sent
      return { status, error, durationMs }
    }),
  ]
}

function show({ error, status, url, ...times }: FoundWebhook): DomainWebhook {
  const createdAt = new Date(times.createdAt).toISOString()
  const attemptedAt = timeOrNull(times.attemptedAt)
  return {
    url,
    createdAt,
    attemptedAt,
    status,
    error,
    failingSince: timeOrNull(times.failingSince),
  }
}

function webhookNotFound(): AppError {
  return new AppError('webhook_not_found', 'The project has no webhook for its domains.')
}
