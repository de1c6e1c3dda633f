// webhooks create | list | deliveries | resend | test | disable | enable | rotate | remove, as they are typed.
// What they do is in run-webhooks.ts, which only they load.
import { environmentNames } from '../../store/database/environment-name.ts'
import { eventTypes } from '../../store/webhooks/event-types.ts'
import type { Command } from '../command-line/command.ts'

const environment = {
  value: environmentNames.join('|'),
  meaning: 'Which environment.',
}
const load = () => import('./run-webhooks.ts')

export const webhooksCreate: Command = {
  name: 'webhooks create',
  summary: 'Send events to an address; the secret that signs them is printed alone, this once.',
  options: {
    environment: { ...environment, required: true },
    url: { value: 'URL', meaning: 'Where to: https, at a public address.', required: true },
    events: {
      value: 'LIST',
      meaning: `Separated by commas: ${eventTypes.join(', ')}. All without it.`,
    },
    label: { value: 'TEXT', meaning: 'What you will know it by.' },
  },
  run: async (input) => (await load()).create(input),
}

export const webhooksList: Command = {
  name: 'webhooks list',
  summary: 'List the webhooks, without their secrets.',
  options: { environment: { ...environment, meaning: 'Only this environment.' } },
  run: async (input) => (await load()).list(input),
}

export const webhooksDeliveries: Command = {
  name: 'webhooks deliveries',
  summary: 'Show the newest deliveries of a webhook with their attempts.',
  operands: ['<id>'],
  options: { failed: { meaning: 'Only those with an attempt that failed.' } },
  run: async (input) => (await load()).showDeliveries(input),
}

export const webhooksResend: Command = {
  name: 'webhooks resend',
  summary: 'Send an event anew: to one webhook (msg_…:wh_…), or to all that had it (msg_…).',
  operands: ['<delivery or event id>'],
  options: {},
  run: async (input) => (await load()).sendAnew(input),
}

export const webhooksTest: Command = {
  name: 'webhooks test',
  summary: 'Send a webhook.test event now, and say what came back.',
  operands: ['<id>'],
  options: {},
  run: async (input) => (await load()).test(input),
}

export const webhooksDisable: Command = {
  name: 'webhooks disable',
  summary: 'Stop a webhook: it hears of nothing that happens until it is enabled.',
  operands: ['<id>'],
  options: {},
  run: async (input) => (await load()).disable(input),
}

export const webhooksEnable: Command = {
  name: 'webhooks enable',
  summary: 'Let a disabled webhook go on; what it had not been sent yet is sent.',
  operands: ['<id>'],
  options: {},
  run: async (input) => (await load()).enable(input),
}

export const webhooksRotate: Command = {
  name: 'webhooks rotate',
  summary: 'Give a webhook a new secret; for a while the old one signs, too.',
  operands: ['<id>'],
  options: {
    overlap: {
      value: 'SPAN',
      meaning: 'How long both sign, such as 24h, 30m or 0s. 24h without it.',
    },
  },
  run: async (input) => (await load()).rotate(input),
}

export const webhooksRemove: Command = {
  name: 'webhooks remove',
  summary: 'Remove a webhook with all that it has not been sent.',
  operands: ['<id>'],
  options: {},
  run: async (input) => (await load()).remove(input),
}
