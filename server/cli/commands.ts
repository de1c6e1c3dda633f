// Every command, in the order of the help.
import { accountsCommands, tokensCommands } from './accounts/accounts.ts'
import { animalsCommands } from './animals/animals.ts'
import { api } from './api/api.ts'
import { backupCommands } from './backups/backups.ts'
import { type Command, print } from './command-line/command.ts'
import { connectCommands } from './connect/connect.ts'
import { deploy } from './deploys/deploy.ts'
import { doctor } from './doctor/doctor.ts'
import { certificatesRoot } from './domains/certificates.ts'
import { domainsCommands } from './domains/domains.ts'
import { keysCommands } from './keys/keys.ts'
import { secretRotate } from './secrets/secrets.ts'
import { lab } from './serve/lab.ts'

const serve: Command = {
  name: 'serve',
  summary: 'Starts the server: the store, the dashboard and the published sites.',
  options: {},
  run: async ({ json }) => await (await import('./serve/serve-store.ts')).serveStore(json),
}

/** ./animal-store has built everything when it runs this. */
const build: Command = {
  name: 'build',
  summary:
    'Installs the packages and builds the program, for a folder that the service cannot write.',
  options: {},
  run: async (input) => {
    const { readProgramVersion } = await import('#kit/config/program-version.ts')
    const version = readProgramVersion()
    print(input, { version }, `Animal Store ${version} is ready to start.`)
    return undefined
  },
}

export const commands: Command[] = [
  serve,
  build,
  doctor,
  ...keysCommands,
  ...animalsCommands,
  deploy,
  ...domainsCommands,
  certificatesRoot,
  ...connectCommands,
  ...accountsCommands,
  ...tokensCommands,
  api,
  secretRotate,
  ...backupCommands,
  lab,
]
