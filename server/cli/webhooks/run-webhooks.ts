// What the webhooks commands do: straight on the database, with the server running or not. A webhook's id
// says which environment it belongs to.
import type { Config } from '../../platform/config/config.ts'
import type { Database } from '../../platform/database/database.ts'
import {
  checkDestination,
  findUrlProblem,
  systemResolve,
} from '../../platform/network/http-client.ts'
import { judgeAddresses } from '../../platform/network/public-address.ts'
import { openSecrets } from '../../platform/secrets.ts'
import { environmentNames } from '../../store/database/environment-name.ts'
import { listDeliveries, resend } from '../../store/webhooks/delivery-log.ts'
import { type EventType, eventTypes, isEventType } from '../../store/webhooks/event-types.ts'
import { testWebhook } from '../../store/webhooks/test-webhook.ts'
import {
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
import { CommandError, type Input, loadConfig, print, UsageError } from '../command-line/command.ts'
import { onStore } from '../command-line/on-store.ts'
import { readSpan } from '../command-line/read-span.ts'
import { deliveriesTable, plainDelivery, plainWebhook, webhooksTable } from './webhooks-view.ts'

const resolveWithinMs = 8000

export async function create(input: Input): Promise<undefined> {
  const { label = '', url = '' } = input.options
  if (!/^[^\p{Cc}]{0,100}$/u.test(label))
    throw new UsageError('--label accepts up to 100 characters')
  const events = readEvents(input.options.events)
  const problem = findUrlProblem(url)
  if (problem) throw new UsageError(`--url ${problem}`)
  const created = await withKeeper(input, async (keeper, config) => {
    const signal = AbortSignal.timeout(resolveWithinMs)
    const checked = await checkDestination(new URL(url), destinationsOf(config), signal)
    if ('refused' in checked) {
      throw new CommandError(`events cannot go there: ${checked.refused} (see WEBHOOK_ALLOW)`)
    }
    return await createWebhook(keeper, { url, events, label }, Date.now())
  })
  if (!created) throw new CommandError('there are 100 webhooks already; remove one')
  const { secret, webhook } = created
  if (!input.json) process.stderr.write(`Created ${webhook.id}. Its secret:\n`)
  print(input, { ...plainWebhook(webhook), secret }, secret)
}

export async function list(input: Input): Promise<undefined> {
  const names = environmentNames.filter((name) => (input.options.environment ?? name) === name)
  if (names.length === 0)
    throw new UsageError(`--environment accepts ${environmentNames.join(' or ')}`)
  const webhooks: Webhook[] = []
  for (const name of names) {
    webhooks.push(...(await onStore(inEnvironment(input, name), listWebhooks)))
  }
  const empty = 'No webhooks yet: animal-store webhooks create makes one.'
  print(input, webhooks.map(plainWebhook), webhooks.length ? webhooksTable(webhooks) : empty)
}

export async function showDeliveries(input: Input): Promise<undefined> {
  const failed = input.options.failed !== undefined
  const deliveries = await onWebhook(input, ({ database }, { id }) =>
    listDeliveries(database, id, { failed }),
  )
  const empty = failed ? 'No delivery has failed.' : 'No event yet.'
  const text = deliveries.length > 0 ? deliveriesTable(deliveries) : empty
  print(input, deliveries.map(plainDelivery), text)
}

export async function sendAnew(input: Input): Promise<undefined> {
  const [id = ''] = input.operands
  const due: string[] = []
  for (const name of environmentNames) {
    const again = (database: Database): Promise<string[]> => resend(database, id, Date.now())
    due.push(...(await onStore(inEnvironment(input, name), again)))
  }
  if (due.length === 0) {
    throw new CommandError(
      `there is nothing to send anew for ${id}: it is unknown, on its way, or its webhook is disabled`,
    )
  }
  print(input, { resent: due }, `To be sent anew: ${due.join(', ')}.`)
}

export async function test(input: Input): Promise<undefined> {
  const sent = await onWebhook(input, (keeper, { id }, config) =>
    testWebhook(keeper, id, destinationsOf(config), Date.now()),
  )
  if (!sent) throw unknown(input)
  const { durationMs, error, status } = sent
  if (input.json) print(input, { durationMs, status: status ?? null, error: error ?? null }, '')
  if (error !== undefined) throw new CommandError(`the receiver failed: ${error}`)
  if (!input.json) print(input, {}, `The receiver answered ${status} in ${durationMs} ms.`)
}

export async function disable(input: Input): Promise<undefined> {
  const webhook = await onWebhook(input, ({ database }, { id }) =>
    disableWebhook(database, id, Date.now()),
  )
  if (!webhook) throw unknown(input)
  print(input, plainWebhook(webhook), `Disabled ${webhook.id}.`)
}

export async function enable(input: Input): Promise<undefined> {
  const webhook = await onWebhook(input, ({ database }, { id }) => enableWebhook(database, id))
  if (!webhook) throw unknown(input)
  print(input, plainWebhook(webhook), `Enabled ${webhook.id}.`)
}

export async function rotate(input: Input): Promise<undefined> {
  const overlapMs = readSpan(input.options.overlap ?? '24h')
  if (overlapMs === undefined)
    throw new UsageError('--overlap accepts a span such as 24h, 30m or 0s')
  const rotated = await onWebhook(input, (keeper, { id }) =>
    rotateWebhook(keeper, id, overlapMs, Date.now()),
  )
  if (!rotated) throw unknown(input)
  const { secret, webhook } = rotated
  print(input, { ...plainWebhook(webhook), secret }, secret)
}

export async function remove(input: Input): Promise<undefined> {
  const removed = await onWebhook(input, ({ database }, { id }) =>
    removeWebhook(database, id, Date.now()),
  )
  if (!removed) throw unknown(input)
  print(input, { id: input.operands[0], removed: true }, `Removed ${input.operands[0]}.`)
}

/** Runs `use` with the webhook that the operand names. */
async function onWebhook<T>(
  input: Input,
  use: (keeper: Keeper, webhook: Webhook, config: Config) => Promise<T>,
): Promise<T> {
  const [id = ''] = input.operands
  const name = environmentOfWebhook(id)
  if (!name) throw unknown(input)
  return await withKeeper(inEnvironment(input, name), async (keeper, config) => {
    const webhook = await findWebhook(keeper.database.read, id)
    if (!webhook) throw unknown(input)
    return await use(keeper, webhook, config)
  })
}

async function withKeeper<T>(
  input: Input,
  use: (keeper: Keeper, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfig()
  const secrets = openSecrets(config)
  return await onStore(input, (database, name) =>
    use({ database, environment: name, secrets }, config),
  )
}

function inEnvironment(input: Input, name: string): Input {
  return { ...input, options: { ...input.options, environment: name } }
}

function destinationsOf(config: Config) {
  return { judge: judgeAddresses(config.webhookAllow), resolve: systemResolve }
}

function unknown(input: Input): CommandError {
  return new CommandError(`there is no webhook ${input.operands[0]}`)
}

function readEvents(text: string | undefined): EventType[] | undefined {
  if (text === undefined) return undefined
  const list = [...new Set(text.split(',').map((part) => part.trim()))]
  const stranger = list.find((part) => !isEventType(part))
  if (stranger !== undefined) {
    const shown = JSON.stringify(stranger)
    throw new UsageError(`--events cannot have ${shown}: it accepts ${eventTypes.join(', ')}`)
  }
  return list.filter(isEventType)
}
