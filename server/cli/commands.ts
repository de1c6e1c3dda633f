// Every command, in the order of the help: its syntax and its help text. Each start loads this file; what running a command
// needs, such as run-keys.ts, is loaded only then.

import { deployScope, plans, projectScopes, roles, tokenScopes } from '#kit/caller.ts'
import { systemClock } from '#kit/clock.ts'
import { connectCommands } from '#optional/domain-connect/commands.ts'
import type { PetStatus } from '#store/animals/schema.ts'
import { environmentNames } from '#store/database/environment-name.ts'
import { scopes } from '#store/keys/scopes.ts'
import { forms } from '#store/transfer/forms.ts'
import { type Command, CommandError, type Option, print } from './command-line/command.ts'
import { serverOptions } from './command-line/server-choice.ts'
import { lab } from './serve/lab.ts'

const loadKeys = () => import('./run-keys.ts')
const loadAccounts = () => import('./run-accounts.ts')

const environment: Option = {
  choices: environmentNames,
  meaning: 'The environment.',
  required: true,
}
const account = { value: 'EMAIL', meaning: 'The owner of the token.', required: true }
/** As in the schema, which is too large to load for the help; a test compares them. */
const statuses: readonly PetStatus[] = ['available', 'pending', 'sold']

const project: Option = { value: 'SLUG', meaning: 'The project.', required: true }
const waitOptions: Record<'wait' | 'timeout', Option> = {
  wait: { meaning: 'Show the steps until the domain is served over HTTPS or needs you.' },
  timeout: {
    value: 'DURATION',
    meaning: 'The maximum time for --wait, such as 10m or 48h. Default: 30m.',
  },
}
const loadDomains = () => import('./domains/run-domains.ts')

export const commands: Command[] = [
  {
    name: 'serve',
    summary: 'Starts the server: the store, the dashboard and the published sites.',
    run: async ({ json }) => await (await import('./serve/serve-store.ts')).serveStore(json),
  },
  {
    // ./animal-store has built everything when it runs this.
    name: 'build',
    summary:
      'Installs the packages and builds the program, for a folder that the service cannot write.',
    run: async (input) => {
      const { readProgramVersion } = await import('#kit/config/config.ts')
      const version = readProgramVersion()
      print(input, { version }, `Animal Store ${version} is ready to start.`)
      return undefined
    },
  },
  {
    name: 'doctor',
    summary: 'Checks this installation, and says what to do about each problem.',
    details:
      'It checks configuration, databases, disks, backups, ports, DNS, certificate authorities, clocks and mail, with or without a running server, and changes nothing. The exit status is 1 if there is a problem.',
    run: async (input) => (await import('./run-doctor.ts')).runDoctor(input),
  },
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
    run: async (input) => (await loadKeys()).create(input),
  },
  {
    name: 'keys list',
    summary: 'Lists keys with status and last use.',
    options: { environment },
    run: async (input) => (await loadKeys()).list(input),
  },
  {
    name: 'keys rotate',
    summary: 'Creates a key that replaces another. The old key keeps working for a while.',
    operands: ['<id>'],
    options: {
      environment,
      overlap: {
        value: 'DURATION',
        meaning:
          'How long the old key keeps working, at most 30d, such as 24h, 30m or 0s. Default: 24h.',
      },
    },
    run: async (input) => (await loadKeys()).rotate(input),
  },
  {
    name: 'keys revoke',
    summary: 'Revokes a key. Takes effect immediately on every node.',
    operands: ['<id>'],
    options: { environment },
    run: async (input) => (await loadKeys()).revoke(input),
  },
  {
    name: 'animals import',
    summary: 'Imports animals from a file: all of them, or none.',
    details:
      'The file is CSV with a header line, NDJSON or a JSON array; - reads standard input. Every animal gets a new id.',
    operands: ['FILE'],
    options: {
      environment,
      format: {
        choices: forms,
        meaning:
          'The file format. Default: detected from the file name or, on standard input, the content.',
      },
      'dry-run': { meaning: 'Check everything, change nothing.' },
      'keep-going': { meaning: 'Import valid records and write the others to a file.' },
      rejected: {
        value: 'REJECTED',
        meaning:
          'The file for rejected records, which must not exist. Default: FILE.rejected.ndjson.',
      },
    },
    run: async (input) => (await import('./run-animals.ts')).runAnimalsImport(input),
  },
  {
    name: 'animals export',
    summary: 'Exports animals to a file or to standard output.',
    details: 'The format is CSV, NDJSON or a JSON array.',
    operands: ['[FILE]'],
    options: {
      environment,
      format: {
        choices: forms,
        meaning: 'The format. Default: by the file name; csv on standard output.',
      },
      status: { choices: statuses, meaning: 'Only animals with this status.' },
    },
    run: async (input) => (await import('./run-animals.ts')).runAnimalsExport(input),
  },
  {
    name: 'staging reset',
    summary: "Replaces staging's animals with the sample animals. API keys are kept.",
    async run(input) {
      const { withStore } = await import('./command-line/local-database.ts')
      const { resetSamples } = await import('#store/environments/first-start.ts')
      const animals = await withStore('staging', (database) => resetSamples(database))
      print(input, { animals }, `Staging has its ${animals} sample animals again.`)
      return undefined
    },
  },
  {
    name: 'deploy',
    summary: 'Publishes a folder, or a .zip or .tar.gz file, to a project.',
    details:
      'A folder with an index.html is published unchanged; Markdown and an openapi.yaml are rendered.',
    operands: ['FOLDER'],
    options: {
      project: { value: 'SLUG', meaning: 'The project.', required: true },
      message: {
        value: 'TEXT',
        meaning: 'What changes. Without it, the subject of the last Git commit in FOLDER.',
      },
      ...serverOptions,
      preview: {
        value: 'NAME',
        isOptional: true,
        meaning:
          'Deploy to a preview at an address of its own instead, such as one for each branch. Without a name, the address cannot be guessed.',
      },
      'password-file': {
        value: 'FILE',
        meaning:
          'With --preview. A file with the password that visitors have to enter; - reads standard input.',
      },
      strict: {
        meaning:
          'Fail if the sources have broken links, missing images, orphan pages or bad redirects.',
      },
      create: { meaning: 'Create the project if it does not exist.' },
    },
    run: async (input) => (await import('./deploys/run-deploy.ts')).runDeploy(input),
  },
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
    run: async (input) => (await loadDomains()).add(input),
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
    run: async (input) => (await loadDomains()).prepare(input),
  },
  {
    name: 'domains list',
    summary: 'Lists the custom domains of a project with their status.',
    options: { project, ...serverOptions },
    run: async (input) => (await loadDomains()).list(input),
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
    run: async (input) => (await import('./domains/run-domains-check.ts')).runDomainsCheck(input),
  },
  {
    name: 'domains verify',
    summary: 'Verifies a custom domain now.',
    details:
      'Exit status 0 when it is verified, 1 when something must be fixed. With --wait, 0 when it is served over HTTPS.',
    operands: ['NAME'],
    options: { project, ...waitOptions, ...serverOptions },
    run: async (input) => (await loadDomains()).verify(input),
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
    run: async (input) => (await import('./domains/run-domains-connect.ts')).connect(input),
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
    run: async (input) => (await import('./domains/run-domains-switch.ts')).switchDomain(input),
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
    run: async (input) => (await loadDomains()).configure(input),
  },
  {
    name: 'domains remove',
    summary: 'Removes a custom domain immediately and shows the DNS records to delete.',
    operands: ['NAME'],
    options: { project, ...serverOptions },
    run: async (input) => (await loadDomains()).remove(input),
  },
  {
    name: 'certificates root',
    summary: 'Prints the root certificate of the internal certificate authority.',
    details:
      'On localhost and private networks, which public authorities cannot reach, the program issues certificates itself (ACME_DIRECTORY=internal). Add this root to the trust store of browsers and programs. It is created if there is none yet.',
    options: {
      replace: {
        meaning:
          'Create a new root instead, such as when the encryption key of the old one is lost.',
      },
    },
    async run(input) {
      const { withPublishing } = await import('./command-line/local-database.ts')
      const { openSecrets } = await import('#kit/secrets.ts')
      const { forgetInternalRoot, getInternalRoot, internalHostsOf } = await import(
        '#domains/certificates/authorities/internal-authority.ts'
      )
      const chain = await withPublishing(async (database, config) => {
        const { directory } = config.acme
        if (directory !== 'internal') {
          throw new CommandError(`certificates are issued by ${directory}, which browsers trust`)
        }
        const secrets = openSecrets(config)
        const internalHosts = internalHostsOf(config)
        if (input.options.replace !== undefined) await forgetInternalRoot(database)
        return (await getInternalRoot({ database, clock: systemClock, secrets, internalHosts }))
          .chain
      })
      print(input, { root: chain }, chain.trimEnd())
      return undefined
    },
  },
  {
    name: 'certificates account',
    summary: 'Shows whether the certificate authorities accept the account of this installation.',
    details: 'The exit status is 1 if one refuses it: then no certificates are ordered there.',
    options: {
      replace: {
        meaning:
          'Create a new one if it is refused. CAA records that name the old one must change.',
      },
    },
    run: async (input) => (await import('./run-certificates.ts')).showAccounts(input),
  },
  ...connectCommands,
  {
    name: 'accounts email',
    summary: 'Changes the email address of an account at once. The owner can confirm it later.',
    operands: ['<email>', '<new-email>'],
    run: async (input) => (await loadAccounts()).setEmail(input),
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
    run: async (input) => (await loadAccounts()).invite(input),
  },
  {
    name: 'accounts list',
    summary: 'Lists accounts.',
    run: async (input) => (await loadAccounts()).printAccounts(input),
  },
  {
    name: 'accounts plan',
    summary: 'Sets the plan of an account.',
    operands: ['<email>', '<free|paid>'],
    run: async (input) => (await loadAccounts()).setPlan(input),
  },
  {
    name: 'accounts reset',
    summary: 'Creates a link to reset the password of an account. It works once, for 24 hours.',
    operands: ['<email>'],
    run: async (input) => (await loadAccounts()).reset(input),
  },
  {
    name: 'accounts second-factor-off',
    summary: 'Turns off the one-time codes of an account whose owner has lost the device.',
    operands: ['<email>'],
    run: async (input) => (await loadAccounts()).turnSecondFactorOff(input),
  },
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
          'Creates a deploy token, which can only deploy to this project, manage its previews and read both, or a site token, which can only read its site.',
      },
      // The days are as in access-tokens.ts, which is too large to load for the help; a test compares them.
      expires: {
        value: 'DURATION',
        meaning: 'How long the token is valid, such as 90d or 12h, at most 366d. Default: 90d.',
      },
    },
    run: async (input) => (await loadAccounts()).createAccessToken(input),
  },
  {
    name: 'tokens list',
    summary: 'Lists the access tokens of an account, without secrets.',
    options: { account },
    run: async (input) => (await loadAccounts()).printTokens(input),
  },
  {
    name: 'tokens revoke',
    summary: 'Revokes an access token. Takes effect immediately on every node.',
    operands: ['<id>'],
    run: async (input) => (await loadAccounts()).revokeAccessToken(input),
  },
  {
    name: 'tokens revoke-all',
    summary: 'Revokes all access tokens of an account. Takes effect immediately on every node.',
    options: { account },
    run: async (input) => (await loadAccounts()).revokeAllTokens(input),
  },
  {
    name: 'api',
    summary: 'Calls an operation of the API and prints the response.',
    details:
      'Fields are sent as a JSON object, or in the query with GET and with --input. JSON is indented on a terminal. Exit status 1 for an HTTP status from 300 on.',
    operands: ['METHOD', 'PATH'],
    options: {
      'raw-field': {
        value: 'KEY=VALUE',
        short: 'f',
        isRepeatable: true,
        meaning: 'A field with a string.',
      },
      field: {
        value: 'KEY=VALUE',
        short: 'F',
        isRepeatable: true,
        meaning:
          'A field with a JSON value where VALUE is one (true, null, 7, ["a"]), with the text of a file where it is @FILE, otherwise with a string.',
      },
      header: {
        value: 'NAME:VALUE',
        short: 'H',
        isRepeatable: true,
        meaning: 'A request header.',
      },
      input: { value: 'FILE', meaning: 'The body of the request; - reads standard input.' },
      url: {
        ...serverOptions.url,
        meaning:
          "Another server's dashboard URL. Default: ANIMAL_STORE_URL, else the server of this machine.",
      },
      token: {
        ...serverOptions.token,
        meaning:
          'A personal access token, or an API key for /v1. Set ANIMAL_STORE_TOKEN instead to hide it from other users of this machine.',
      },
    },
    moreHelp: async (input) => (await import('./run-api.ts')).describeOperations(input),
    run: async (input) => (await import('./run-api.ts')).callApi(input),
  },
  {
    name: 'secret rotate',
    summary: 'Encrypts all stored secrets with a new key, while the server is running.',
    details:
      'With the key file in DATA_DIR it creates the new key and finally deletes the old one; running servers follow without a restart. With SECRET_KEY, first put the new key before the old one, separated by a comma, on every node and restart them; run this command with the same setting; then remove the old key. If it is interrupted, run it again.',
    run: async (input) => (await import('./run-secrets.ts')).rotate(input),
  },
  {
    name: 'backup verify',
    summary: 'Checks every byte of a backup, and shows what it contains.',
    operands: ['FILE'],
    run: async (input) => (await import('./backups/run-restore.ts')).runVerify(input),
  },
  {
    name: 'backup',
    summary: 'Writes a backup of everything to one file, while the server is running.',
    details:
      'It has all databases as of one moment: production, staging, publishing and limits. In a folder it gets a name with the time. The file is checked before it gets its name. Every backup can be restored on SQLite and on PostgreSQL.',
    operands: ['FOLDER|FILE'],
    options: {
      'with-key': {
        meaning:
          'Include secret.key. Anyone with the file can then decrypt its signing secrets and private keys.',
      },
    },
    run: async (input) => (await import('./backups/run-backup.ts')).runBackup(input),
  },
  {
    name: 'restore',
    summary: 'Restores a backup into an empty data folder or an empty PostgreSQL database.',
    details:
      'The place is that of the configuration: DATA_DIR, or DATABASE_URL. Nothing is ever overwritten: a place that has databases is shown and refused.',
    operands: ['FILE'],
    options: { 'dry-run': { meaning: 'Check the file and the place, change nothing.' } },
    run: async (input) => (await import('./backups/run-restore.ts')).runRestore(input),
  },
  lab,
]
