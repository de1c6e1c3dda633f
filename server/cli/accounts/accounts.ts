// The declarations of accounts email | list | invite | plan | reset | second-factor-off and tokens create | list | revoke | revoke-all. run-accounts.ts
// and run-tokens.ts, which only they load, run them.
import { plans, roles } from '#kit/management/caller.ts'
import { deployScope, projectScopes, tokenScopes } from '#kit/management/token-scopes.ts'
import type { Command } from '../command-line/command.ts'

const load = () => import('./run-accounts.ts')
const loadTokens = () => import('./run-tokens.ts')

const account = { value: 'EMAIL', meaning: 'The owner of the token.', required: true }

export const accountsCommands: Command[] = [
  {
    name: 'accounts email',
    summary: 'Changes the email address of an account at once. The owner can confirm it later.',
    operands: ['<email>', '<new-email>'],
    options: {},
    run: async (input) => (await load()).setEmail(input),
  },
  {
    name: 'accounts invite',
    summary: 'Creates an invitation link for a new account. It works once, for 7 days.',
    options: {
      email: {
        value: 'ADDRESS',
        meaning: 'The email address of the account.',
        required: true,
      },
      role: { choices: roles, meaning: 'Default: member.' },
      plan: { choices: plans, meaning: 'Default: free. Operators are always on the paid plan.' },
    },
    run: async (input) => (await load()).invite(input),
  },
  {
    name: 'accounts list',
    summary: 'Lists accounts.',
    options: {},
    run: async (input) => (await load()).list(input),
  },
  {
    name: 'accounts plan',
    summary: 'Sets the plan of an account.',
    operands: ['<email>', '<free|paid>'],
    options: {},
    run: async (input) => (await load()).setPlan(input),
  },
  {
    name: 'accounts reset',
    summary: 'Creates a link to reset the password of an account. It works once, for 24 hours.',
    operands: ['<email>'],
    options: {},
    run: async (input) => (await load()).reset(input),
  },
  {
    name: 'accounts second-factor-off',
    summary: 'Turns off the one-time codes of an account whose owner has lost the device.',
    operands: ['<email>'],
    options: {},
    run: async (input) => (await load()).turnSecondFactorOff(input),
  },
]

export const tokensCommands: Command[] = [
  {
    name: 'tokens create',
    summary: 'Creates an access token and prints it. It is shown only once.',
    options: {
      account,
      label: { value: 'TEXT', meaning: 'A name for the token.', required: true },
      scopes: {
        value: 'LIST',
        meaning: `Comma-separated permissions: ${tokenScopes.join(', ')}. Default: all. With --project: ${projectScopes.join(' or ')}. Default: ${deployScope}.`,
      },
      project: {
        value: 'SLUG',
        meaning:
          'Creates a deploy token, which can only deploy to this project and read its deploys, or a site token, which can only read its site.',
      },
      // The days are as in access-tokens.ts, which is too large to load for the help; a test compares them.
      expires: {
        value: 'DURATION',
        meaning: 'How long the token is valid, such as 90d or 12h, at most 366d. Default: 90d.',
      },
    },
    run: async (input) => (await loadTokens()).create(input),
  },
  {
    name: 'tokens list',
    summary: 'Lists the access tokens of an account, without secrets.',
    options: { account },
    run: async (input) => (await loadTokens()).list(input),
  },
  {
    name: 'tokens revoke',
    summary: 'Revokes an access token. Takes effect immediately on every node.',
    operands: ['<id>'],
    options: {},
    run: async (input) => (await loadTokens()).revoke(input),
  },
  {
    name: 'tokens revoke-all',
    summary: 'Revokes all access tokens of an account. Takes effect immediately on every node.',
    options: { account },
    run: async (input) => (await loadTokens()).revokeAll(input),
  },
]
