// Every command, in the order of the help.
import { accountsCommands, tokensCommands } from './accounts/accounts.ts'
import { animalsCommands } from './animals/animals.ts'
import { backupCommands } from './backups/backups.ts'
import type { Command } from './command-line/command.ts'
import { deploy } from './deploys/deploy.ts'
import { certificatesRoot } from './domains/certificates.ts'
import { domainsCommands } from './domains/domains.ts'
import { keysCommands } from './keys/keys.ts'
import { secretRotate } from './secrets/secrets.ts'
import { lab } from './serve/lab.ts'
import { webhooksCommands } from './webhooks/webhooks.ts'

const serve: Command = {
  name: 'serve',
  summary: 'Starts the server: the store, the dashboard and the published sites.',
  options: {},
  run: async ({ json }) => await (await import('./serve/serve-store.ts')).serveStore(json),
}

export const commands: Command[] = [
  serve,
  ...keysCommands,
  ...animalsCommands,
  deploy,
  ...domainsCommands,
  certificatesRoot,
  ...accountsCommands,
  ...tokensCommands,
  ...webhooksCommands,
  secretRotate,
  ...backupCommands,
  lab,
]
