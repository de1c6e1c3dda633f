// The declarations of keys create | list | rotate | revoke. run-keys.ts, which only they load, runs them.
import { environmentNames } from '#store/database/environment-name.ts'
import { scopes } from '#store/keys/scopes.ts'
import type { Command, Option } from '../command-line/command.ts'

const environment: Option = {
  choices: environmentNames,
  meaning: 'The environment.',
  required: true,
}
const load = () => import('./run-keys.ts')

export const keysCommands: Command[] = [
  {
    name: 'keys create',
    summary: 'Creates an API key and prints it. It is shown only once.',
    options: {
      environment,
      label: { value: 'TEXT', meaning: 'A name for the key.', required: true },
      scopes: {
        value: 'LIST',
        meaning: `Comma-separated permissions: ${scopes.join(', ')}. Default: all.`,
      },
      expires: {
        value: 'WHEN',
        meaning: 'A duration such as 90d or 12h, or a date such as 2030-12-05. Default: never.',
      },
      'rate-limit': {
        value: 'LIMIT',
        meaning: 'Requests per window, such as 600/60s. Default: as configured.',
      },
    },
    run: async (input) => (await load()).create(input),
  },
  {
    name: 'keys list',
    summary: 'Lists keys with status and last use.',
    options: { environment },
    run: async (input) => (await load()).list(input),
  },
  {
    name: 'keys rotate',
    summary: 'Creates a key that replaces another. The old key keeps working for a while.',
    operands: ['<id>'],
    options: {
      environment,
      overlap: {
        value: 'DURATION',
        meaning: 'How long the old key keeps working, such as 24h, 30m or 0s. Default: 24h.',
      },
    },
    run: async (input) => (await load()).rotate(input),
  },
  {
    name: 'keys revoke',
    summary: 'Revokes a key. Takes effect immediately on every node.',
    operands: ['<id>'],
    options: { environment },
    run: async (input) => (await load()).revoke(input),
  },
]
