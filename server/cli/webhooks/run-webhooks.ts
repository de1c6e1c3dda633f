// Runs the webhooks commands on the local database, with or without a running server. The id of a webhook
// contains its environment. Secrets are printed only when they are created.
import { commandLineOrigin } from '../../platform/audit/record-audit.ts'
import type { Config } from '../../platform/config/config.ts'
import { checkDestination, findUrlProblem, resolveBy } from '../../platform/network/http-client.ts'
import { judgeAddresses } from '../../platform/network/public-address.ts'
import { openSecrets } from '../../platform/secrets.ts'
import { environmentNames } from '../../store/database/environment-name.ts'
import { type Delivery, listDeliveries, resend } from '../../store/webhooks/delivery-log.ts'
import { eventTypes } from '../../store/webhooks/event-types.ts'
import { showDelivery, showWebhook } from '../../store/webhooks/routes.ts'
import { testWebhook } from '../../store/webhooks/test-webhook.ts'
import {
  type Audited,
  createWebhook,
  disableWebhook,
  enableWebhook,
  environmentOfWebhook,
  findWebhook,
  type Keeper,
  listWebhooks,
  removeWebhook,
  rotateWebhook,
  type Webhook,
} from '../../store/webhooks/webhooks.ts'
import {
  CommandError,
  type Input,
  print,
  readDuration,
  readList,
  UsageError,
} from '../command-line/command.ts'
import { columns } from '../command-line/help.ts'
import { withStore } from '../command-line/local-database.ts'

const maxResolveMs = 8000

export async function create(input: Input): Promise<undefined> {
  const { environment, events: list, label = '', url = '' } = input.options
  if (!/^[^\p{Cc}]{0,100}$/u.test(label))
    throw new UsageError('--label accepts up to 100 characters')
  const events = list === undefined ? undefined : readList(eventTypes, list, '--events')
  const problem = findUrlProblem(url)
  if (problem) throw new UsageError(`--url ${problem}`)
  const created = await withKeeper(environment, async (keeper, config) => {
    const signal = AbortSignal.timeout(maxResolveMs)
    const checked = await checkDestination(new URL(url), destinationsOf(config), signal)
    if ('refused' in checked) {
      throw new CommandError(`this address is not allowed: ${checked.refused} (see WEBHOOK_ALLOW)`)
    }
    return await createWebhook(keeper, { url, events, label }, commandLineOrigin(Date.now()))
  })
  if (!created) throw new CommandError('the limit of 100 webhooks is reached; remove one first')
  const { secret, webhook } = created
  if (!input.json) process.stderr.write(`Created ${webhook.id}. Its secret:\n`)
  print(input, { ...webhookAsJson(webhook), secret }, secret)
}

export async function list(input: Input): Promise<undefined> {
  const names = environmentNames.filter((name) => (input.options.environment ?? name) === name)
  const webhooks: Webhook[] = []
  for (const name of names) {
    webhooks.push(...(await withStore(name, listWebhooks)))
  }
  const empty = 'No webhooks yet. Create one with animal-store webhooks create.'
  print(input, webhooks.map(webhookAsJson), webhooks.length ? webhooksTable(webhooks) : empty)
}

export async function showDeliveries(input: Input): Promise<undefined> {
  const failed = input.options.failed !== undefined
  const deliveries = await onWebhook(input, ({ database }, { id }) =>
    listDeliveries(database, id, { failed }),
  )
  const empty = failed ? 'No failed deliveries.' : 'No deliveries yet.'
  const text = deliveries.length > 0 ? deliveriesTable(deliveries) : empty
  print(input, deliveries.map(showDelivery), text)
}

export async function resendEvent(input: Input): Promise<undefined> {
  const [id = ''] = input.operands
  const due: string[] = []
  for (const name of environmentNames) {
    due.push(...(await withStore(name, (database) => resend(database, id, Date.now()))))
  }
  if (due.length === 0) {
    throw new CommandError(
      `cannot resend ${id}: it does not exist, is still being sent, or its webhook is disabled`,
    )
  }
  print(input, { resent: due }, `Resending ${due.join(', ')}.`)
}

export async function test(input: Input): Promise<undefined> {
  const sent = await onWebhook(input, (keeper, { id }, config) =>
    testWebhook(keeper, id, destinationsOf(config), Date.now()),
  )
  const { durationMs, error, status } = sent
  if (input.json) print(input, { durationMs, status: status ?? null, error: error ?? null }, '')
  if (error !== undefined) throw new CommandError(`the endpoint failed: ${error}`)
  if (!input.json) print(input, {}, `The endpoint responded with ${status} in ${durationMs} ms.`)
}

export async function disable(input: Input): Promise<undefined> {
  const webhook = await onWebhook(input, (keeper, { id }) =>
    disableWebhook(keeper.database, id, auditOf(keeper)),
  )
  print(input, webhookAsJson(webhook), `Disabled ${webhook.id}.`)
}

export async function enable(input: Input): Promise<undefined> {
  const webhook = await onWebhook(input, (keeper, { id }) =>
    enableWebhook(keeper.database, id, auditOf(keeper)),
  )
  print(input, webhookAsJson(webhook), `Enabled ${webhook.id}.`)
}

export async function rotate(input: Input): Promise<undefined> {
  const overlapMs = readDuration(input.options.overlap ?? '24h')
  if (overlapMs === undefined)
    throw new UsageError('--overlap accepts a duration such as 24h, 30m or 0s')
  const rotated = await onWebhook(input, (keeper, { id }) =>
    rotateWebhook(keeper, id, overlapMs, commandLineOrigin(Date.now())),
  )
  const { secret, webhook } = rotated
  print(input, { ...webhookAsJson(webhook), secret }, secret)
}

export async function remove(input: Input): Promise<undefined> {
  await onWebhook(input, (keeper, { id }) => removeWebhook(keeper.database, id, auditOf(keeper)))
  print(input, { id: input.operands[0], removed: true }, `Removed ${input.operands[0]}.`)
}

function auditOf({ environment }: Keeper): Audited {
  return { origin: commandLineOrigin(Date.now()), environment }
}

/** Runs `use` with the webhook of the operand. Throws a CommandError if it does not exist. */
async function onWebhook<T extends object | boolean>(
  input: Input,
  use: (keeper: Keeper, webhook: Webhook, config: Config) => Promise<T | undefined>,
): Promise<T> {
  const [id = ''] = input.operands
  const name = environmentOfWebhook(id)
  if (!name) throw unknown(input)
  return await withKeeper(name, async (keeper, config) => {
    const webhook = await findWebhook(keeper.database.read, id)
    const result = webhook && (await use(keeper, webhook, config))
    if (!result) throw unknown(input)
    return result
  })
}

function withKeeper<T>(
  environment: string | undefined,
  use: (keeper: Keeper, config: Config) => Promise<T>,
): Promise<T> {
  return withStore(environment, (database, name, config) =>
    use({ database, environment: name, secrets: openSecrets(config) }, config),
  )
}

function destinationsOf(config: Config) {
  return { judge: judgeAddresses(config.webhookAllow), resolve: resolveBy(config.dnsServers) }
}

function unknown(input: Input): CommandError {
  return new CommandError(`there is no webhook ${input.operands[0]}`)
}

function webhooksTable(webhooks: Webhook[]): string {
  const rows = webhooks.map((webhook) => [
    webhook.id,
    statusOf(webhook),
    webhook.url,
    webhook.events?.join(',') ?? 'all',
    webhook.label,
  ])
  return columns([['ID', 'STATUS', 'URL', 'EVENTS', 'LABEL'], ...rows]).trimEnd()
}

/** One row for each attempt, and one for each delivery without attempts. */
function deliveriesTable(deliveries: Delivery[]): string {
  const rows = deliveries.flatMap(({ attempts, createdAt, messageId, state, type }) => {
    if (attempts.length === 0) {
      return [[messageId, type, state, '0', formatSecond(createdAt), '-', '-', '-']]
    }
    return attempts.map(({ at, attempt, durationMs, error, nextAt, status }) => [
      messageId,
      type,
      state,
      String(attempt),
      formatSecond(at),
      error ?? String(status),
      `${durationMs} ms`,
      formatSecond(nextAt),
    ])
  })
  const head = ['EVENT', 'TYPE', 'STATUS', 'ATTEMPT', 'AT', 'RESPONSE', 'DURATION', 'NEXT']
  return columns([head, ...rows]).trimEnd()
}

function webhookAsJson(webhook: Webhook): object {
  const { disabledReason: _, ...shown } = showWebhook(webhook)
  return { ...shown, state: statusOf(webhook) }
}

function statusOf({ disabledAt, disabledReason, failingSince }: Webhook): string {
  if (disabledAt !== undefined) return `disabled (${disabledReason})`
  return failingSince === undefined ? 'active' : 'failing'
}

function formatSecond(value: number | undefined): string {
  return value === undefined ? '-' : new Date(value).toISOString().slice(0, 19).replace('T', ' ')
}
