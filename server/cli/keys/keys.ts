// keys create | list | rotate | revoke, as they are typed. What they do is in run-keys.ts, which only they load.
import { environmentNames } from '../../store/database/environment-name.ts'
import { scopes } from '../../store/keys/scopes.ts'
import type { Command, Option } from '../command-line/command.ts'

const environment: Option = {
  value: environmentNames.join('|'),
  meaning: 'Which environment.',
  required: true,
}
const load = () => import('./run-keys.ts')

export const keysCreate: Command = {
  name: 'keys create',
  summary: 'Create an API key; it is printed alone, this once.',
  options: {
    environment,
    label: { value: 'TEXT', meaning: 'What you will know it by.', required: true },
    scopes: {
      value: 'LIST',
      meaning: `Separated by commas: ${scopes.join(', ')}. All without it.`,
    },
    expires: {
      value: 'WHEN',
      meaning: 'A span such as 90d, 12h, or a date such as 2030-12-05. Never without it.',
    },
    'rate-limit': { value: 'LIMIT', meaning: 'Such as 600/60s. The configured one without it.' },
  },
  run: async (input) => (await load()).create(input),
}

export const keysList: Command = {
  name: 'keys list',
  summary: 'List the API keys of an environment, without their secrets.',
  options: { environment },
  run: async (input) => (await load()).list(input),
}

export const keysRotate: Command = {
  name: 'keys rotate',
  summary: 'Create a successor of an API key; the old one goes on for a while.',
  operands: ['<id>'],
  options: {
    environment,
    overlap: {
      value: 'SPAN',
      meaning: 'How long the old key goes on, such as 24h, 30m or 0s. 24h without it.',
    },
  },
  run: async (input) => (await load()).rotate(input),
}

export const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'End an API key at once: refused on every node from the next request on.',
  operands: ['<id>'],
  options: { environment },
  run: async (input) => (await load()).revoke(input),
}
