// domains: what its commands are called by. What they do is loaded only when they run.
import type { Command } from './command.ts'

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
  },
  async run(input) {
    const { runDomainsCheck } = await import('./run-domains-check.ts')
    return await runDomainsCheck(input)
  },
}
