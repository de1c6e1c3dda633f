// The declarations of the connect commands. The file that runs them is loaded only then.
import type { Command } from '#cli/command-line/command.ts'

const load = () => import('./setup/run-connect.ts')

export const connectCommands: Command[] = [
  {
    name: 'connect template',
    summary: 'Writes the Domain Connect template that DNS providers need for one-click records.',
    details:
      'Send it to the public collection of templates, and to the DNS providers of your customers (docs/connect.md).',
    operands: ['[FILE]'],
    options: {
      'provider-name': {
        value: 'TEXT',
        meaning: 'Your name, as customers see it at their DNS provider. Default: the host.',
      },
      'service-name': {
        value: 'TEXT',
        meaning: 'Name of the service. Default: Documentation site.',
      },
      logo: { value: 'URL', meaning: 'An https address of your logo. Default: none.' },
    },
    run: async (input) => (await load()).writeTemplate(input),
  },
  {
    name: 'connect key',
    summary: 'Creates the key that signs links to DNS providers, and prints its TXT records.',
    details:
      'The first call creates the key, later ones print it again. A new key signs only after connect check has found it at all name servers.',
    options: {
      rotate: { meaning: 'Create the key that replaces the present one.' },
    },
    run: async (input) => (await load()).showKey(input),
  },
  {
    name: 'connect check',
    summary: 'Checks the published key and the DNS providers, and puts a new key into use.',
    details: 'Exit status 1 if there is a problem.',
    run: async (input) => (await load()).checkSetup(input),
  },
]
