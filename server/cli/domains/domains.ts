// domains: what its commands are called by. What they do is loaded only when they run.
import type { Command } from '../command-line/command.ts'
import { serverOptions } from '../command-line/server-options.ts'
import { fixOption, waitOptions } from './domains-options.ts'

export const domainsCheck: Command = {
  name: 'domains check',
  summary: 'Check whether a domain leads here, and say what to mend.',
  details:
    'Works without adding the domain. Exit status 0 when it leads here, 1 when something is to be done.',
  operands: ['NAME'],
  options: {
    planned: {
      value: 'FILE',
      meaning:
        'Judge these records instead of those there are: zone-file lines or JSON; - is standard input.',
    },
    evidence: { value: 'FILE', meaning: 'Write all that was asked and answered to a file.' },
    ...fixOption,
  },
  async run(input) {
    const { runDomainsCheck } = await import('./run-domains-check.ts')
    return await runDomainsCheck(input)
  },
}

const project = { value: 'SLUG', meaning: 'The project.', required: true }
const load = () => import('./run-domains.ts')

export const domainsAdd: Command = {
  name: 'domains add',
  summary: 'Add a custom domain to a project, and show the DNS record to create.',
  details:
    'With --wait, exit status 0 when it is served over HTTPS, 1 when something is to be done or the time is up; with --json then a line for each change.',
  operands: ['NAME'],
  options: { project, ...waitOptions, ...fixOption, ...serverOptions },
  run: async (input) => (await load()).add(input),
}

export const domainsList: Command = {
  name: 'domains list',
  summary: 'List the custom domains of a project, and what each of them waits for.',
  options: { project, ...serverOptions },
  run: async (input) => (await load()).list(input),
}

export const domainsVerify: Command = {
  name: 'domains verify',
  summary: 'Verify a custom domain now.',
  details:
    'Exit status 0 when it is verified, 1 when something is to be done. With --wait, 0 when it is served over HTTPS.',
  operands: ['NAME'],
  options: { project, ...waitOptions, ...fixOption, ...serverOptions },
  run: async (input) => (await load()).verify(input),
}

export const domainsConfig: Command = {
  name: 'domains config',
  summary: 'Show which domain of a project is the primary and which ones redirect, or set it.',
  operands: ['PROJECT'],
  options: {
    file: {
      value: 'FILE',
      meaning:
        'Set it from this file, in the JSON that --json shows: {"primary":NAME,"redirects":[{"from":NAME,"to":NAME,"status":301}]}; - is standard input.',
    },
    ...serverOptions,
  },
  async run(input) {
    const { runDomainsConfig } = await import('./run-domains-config.ts')
    return await runDomainsConfig(input)
  },
}

export const domainsRemove: Command = {
  name: 'domains remove',
  summary: 'Remove a custom domain at once, and show the DNS records to delete.',
  operands: ['NAME'],
  options: { project, ...serverOptions },
  run: async (input) => (await load()).remove(input),
}
