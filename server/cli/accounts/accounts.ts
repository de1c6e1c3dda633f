// accounts list | invite | plan | reset, as they are typed. What they do is in run-accounts.ts, which only
// they load.
import { plans, roles } from '../../platform/management/caller.ts'
import type { Command } from '../command-line/command.ts'

const load = () => import('./run-accounts.ts')

export const accountsList: Command = {
  name: 'accounts list',
  summary: 'List the accounts.',
  options: {},
  run: async (input) => (await load()).list(input),
}

export const accountsInvite: Command = {
  name: 'accounts invite',
  summary: 'Make a link by which somebody gets an account; it works once, for 7 days.',
  options: {
    email: { value: 'ADDRESS', meaning: 'The address that the account must get. Any without it.' },
    role: { value: roles.join('|'), meaning: 'member without it.' },
    plan: { value: plans.join('|'), meaning: "free without it; an operator's is paid." },
  },
  run: async (input) => (await load()).invite(input),
}

export const accountsPlan: Command = {
  name: 'accounts plan',
  summary: 'Set the plan of an account.',
  operands: ['<e-mail>', '<free|paid>'],
  options: {},
  run: async (input) => (await load()).setPlan(input),
}

export const accountsReset: Command = {
  name: 'accounts reset',
  summary: 'Make a link by which an account gets a new password; it works once, for 24 hours.',
  operands: ['<e-mail>'],
  options: {},
  run: async (input) => (await load()).reset(input),
}
