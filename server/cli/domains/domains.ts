// The declarations of the domains commands; the run-domains*.ts files, which only they load, run them.
import type { Command, Option } from '../command-line/command.ts'
import { serverOptions } from '../command-line/server-choice.ts'

const project: Option = { value: 'SLUG', meaning: 'The project.', required: true }
const waitOptions: Record<'wait' | 'timeout', Option> = {
  wait: { meaning: 'Show the steps until the domain is served over HTTPS or needs you.' },
  timeout: {
    value: 'DURATION',
    meaning: 'The maximum time for --wait, such as 10m or 48h. Default: 30m.',
  },
}
const load = () => import('./run-domains.ts')

export const domainsCommands: Command[] = [
  {
    name: 'domains add',
    summary: 'Adds a custom domain to a project and shows the DNS record to create.',
    details:
      'With --wait, exit status 0 when it is served over HTTPS, 1 when something must be fixed or the timeout expires; --json then prints one line for each change.',
    operands: ['NAME'],
    options: {
      project,
      'before-switch': {
        meaning:
          'Issue the certificate before DNS points here, so that a live site moves without downtime; --wait then ends when DNS can be switched.',
      },
      ...waitOptions,
      ...serverOptions,
    },
    run: async (input) => (await load()).add(input),
  },
  {
    name: 'domains prepare',
    summary: 'Prepares a certificate before DNS is switched, and shows the TXT records to set.',
    details:
      'For a domain whose site is served elsewhere until then. With --wait, exit status 0 when DNS can be switched, 1 when something must be fixed or the timeout expires.',
    operands: ['NAME'],
    options: {
      project,
      cancel: { meaning: 'No longer request it.' },
      wait: { meaning: 'Show the steps until DNS can be switched, or something needs you.' },
      timeout: waitOptions.timeout,
      ...serverOptions,
    },
    run: async (input) => (await import('./run-domains.ts')).prepare(input),
  },
  {
    name: 'domains list',
    summary: 'Lists the custom domains of a project with their status.',
    options: { project, ...serverOptions },
    run: async (input) => (await load()).list(input),
  },
  {
    name: 'domains check',
    summary: 'Checks whether a domain points to this server and shows what to fix.',
    details:
      'The domain does not have to be added. Exit status 0 when it points here, 1 when something must be fixed.',
    operands: ['NAME'],
    options: {
      planned: {
        value: 'FILE',
        meaning:
          'Check these planned records instead: zone-file lines or JSON; - reads standard input.',
      },
      evidence: { value: 'FILE', meaning: 'Write all queries and responses to a file.' },
    },
    run: async (input) => (await import('./run-domains-check.ts')).runDomainsCheck(input),
  },
  {
    name: 'domains verify',
    summary: 'Verifies a custom domain now.',
    details:
      'Exit status 0 when it is verified, 1 when something must be fixed. With --wait, 0 when it is served over HTTPS.',
    operands: ['NAME'],
    options: { project, ...waitOptions, ...serverOptions },
    run: async (input) => (await load()).verify(input),
  },
  {
    name: 'domains connect',
    summary: 'Has the DNS provider set the records, after you confirm on its page.',
    details:
      'For subdomains at a DNS provider that takes part (docs/connect.md). Exit status 0 when the link is printed, with --wait when DNS has the records, 1 when it is not possible or the timeout expires.',
    operands: ['NAME'],
    options: {
      project,
      open: {
        meaning: 'Open the link in a browser: the program in BROWSER, or that of the desktop.',
      },
      wait: { meaning: 'Wait until every name server has the records.' },
      timeout: waitOptions.timeout,
      ...serverOptions,
    },
    run: async (input) => (await import('./run-domains-connect.ts')).connect(input),
  },
  {
    name: 'domains switch',
    summary: 'Shows whether a live domain can be switched to this server, and what to change.',
    details:
      'Nothing is changed. Exit status 0 when it can be switched or is switched already, 1 when something is missing.',
    operands: ['NAME'],
    options: {
      project,
      wait: { meaning: 'Wait until it can be switched.' },
      timeout: waitOptions.timeout,
      ...serverOptions,
    },
    run: async (input) => (await import('./run-domains-switch.ts')).switchDomain(input),
  },
  {
    name: 'domains config',
    summary: 'Shows or sets the primary domain of a project and the redirects.',
    operands: ['PROJECT'],
    options: {
      file: {
        value: 'FILE',
        meaning:
          'Read the new configuration from this file, as printed by --json: {"primary":NAME,"redirects":[{"from":NAME,"to":NAME,"status":301}]}; - reads standard input.',
      },
      ...serverOptions,
    },
    run: async (input) => (await load()).configure(input),
  },
  {
    name: 'domains remove',
    summary: 'Removes a custom domain immediately and shows the DNS records to delete.',
    operands: ['NAME'],
    options: { project, ...serverOptions },
    run: async (input) => (await load()).remove(input),
  },
]
