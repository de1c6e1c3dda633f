// tokens create | list | revoke, as they are typed. What they do is in run-tokens.ts, which only they load.
import { tokenScopes } from '../../platform/management/token-scopes.ts'
import type { Command } from '../command-line/command.ts'

const account = { value: 'E-MAIL', meaning: 'Whose.', required: true }
const load = () => import('./run-tokens.ts')

export const tokensCreate: Command = {
  name: 'tokens create',
  summary: 'Make a personal access token of an account; it is printed alone, this once.',
  options: {
    account,
    label: { value: 'TEXT', meaning: 'What its owner will know it by.', required: true },
    scopes: {
      value: 'LIST',
      meaning: `Separated by commas: ${tokenScopes.join(', ')}. All without it.`,
    },
    // Its days are those of access-tokens.ts, which is not loaded for a help: a test holds them together.
    expires: {
      value: 'SPAN',
      meaning: 'How long it works, such as 90d or 12h, at most 366d. 90d without it.',
    },
  },
  run: async (input) => (await load()).create(input),
}

export const tokensList: Command = {
  name: 'tokens list',
  summary: 'List the access tokens of an account, without their secrets.',
  options: { account },
  run: async (input) => (await load()).list(input),
}

export const tokensRevoke: Command = {
  name: 'tokens revoke',
  summary: 'End an access token at once.',
  operands: ['<id>'],
  options: {},
  run: async (input) => (await load()).revoke(input),
}
