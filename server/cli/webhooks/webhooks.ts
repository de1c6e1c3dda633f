// The declarations of webhooks create | list | deliveries | resend | test | disable | enable | rotate | remove.
// run-webhooks.ts, which only they load, runs them.
import { environmentNames } from '../../store/database/environment-name.ts'
import { eventTypes } from '../../store/webhooks/event-types.ts'
import type { Command } from '../command-line/command.ts'

const environment = {
  choices: environmentNames,
  meaning: 'The environment.',
}
const load = () => import('./run-webhooks.ts')

export const webhooksCommands: Command[] = [
  {
    name: 'webhooks create',
    summary: 'Creates a webhook and prints its signing secret. It is shown only once.',
    options: {
      environment: { ...environment, required: true },
      url: { value: 'URL', meaning: 'The endpoint: https, at a public address.', required: true },
      events: {
        value: 'LIST',
        meaning: `Comma-separated events: ${eventTypes.join(', ')}. Default: all.`,
      },
      label: { value: 'TEXT', meaning: 'A name for the webhook.' },
    },
    run: async (input) => (await load()).create(input),
  },
  {
    name: 'webhooks list',
    summary: 'Lists webhooks, without secrets.',
    options: { environment: { ...environment, meaning: 'Only this environment.' } },
    run: async (input) => (await load()).list(input),
  },
  {
    name: 'webhooks deliveries',
    summary: 'Shows the latest deliveries of a webhook and their attempts.',
    operands: ['<id>'],
    options: { failed: { meaning: 'Only deliveries with a failed attempt.' } },
    run: async (input) => (await load()).showDeliveries(input),
  },
  {
    name: 'webhooks resend',
    summary: 'Resends an event: to one webhook (msg_…:wh_…), or to all that received it (msg_…).',
    operands: ['<delivery or event id>'],
    options: {},
    run: async (input) => (await load()).resendEvent(input),
  },
  {
    name: 'webhooks test',
    summary: 'Sends a webhook.test event and shows the response.',
    operands: ['<id>'],
    options: {},
    run: async (input) => (await load()).test(input),
  },
  {
    name: 'webhooks disable',
    summary: 'Disables a webhook. It misses the events until it is enabled again.',
    operands: ['<id>'],
    options: {},
    run: async (input) => (await load()).disable(input),
  },
  {
    name: 'webhooks enable',
    summary: 'Enables a disabled webhook and sends its pending deliveries.',
    operands: ['<id>'],
    options: {},
    run: async (input) => (await load()).enable(input),
  },
  {
    name: 'webhooks rotate',
    summary: 'Rotates the signing secret. The old one keeps signing for a while.',
    operands: ['<id>'],
    options: {
      overlap: {
        value: 'DURATION',
        meaning: 'How long both secrets sign, such as 24h, 30m or 0s. Default: 24h.',
      },
    },
    run: async (input) => (await load()).rotate(input),
  },
  {
    name: 'webhooks remove',
    summary: 'Removes a webhook and its pending deliveries.',
    operands: ['<id>'],
    options: {},
    run: async (input) => (await load()).remove(input),
  },
]
