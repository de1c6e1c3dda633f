// Every command, in the order of the help: its syntax and its help text. Each start loads this file; what running a command
// needs, such as run-keys.ts, is loaded only then.

import { deployScope, plans, projectScopes, roles, tokenScopes } from '#kit/management/caller.ts'
import { connectCommands } from '#optional/domain-connect/commands.ts'
import type { PetStatus } from '#store/animals/schema.ts'
import { environmentNames } from '#store/database/environment-name.ts'
import { scopes } from '#store/keys/scopes.ts'
import { forms } from '#store/transfer/forms.ts'
import { backupCommands } from './backups/backups.ts'
import { type Command, type Option, print } from './command-line/command.ts'
import { serverOptions } from './command-line/server-choice.ts'
import { certificatesRoot } from './domains/certificates.ts'
import { domainsCommands } from './domains/domains.ts'
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

export const commands: Command[] = [
  {
    name: 'serve',
    summary: 'Starts the server: the store, the dashboard and the published sites.',
    options: {},
    run: async ({ json }) => await (await import('./serve/serve-store.ts')).serveStore(json),
  },
  {
    // ./animal-store has built everything when it runs this.
    name: 'build',
    summary:
      'Installs the packages and builds the program, for a folder that the service cannot write.',
    options: {},
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
    options: {},
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
        meaning: 'How long the old key keeps working, such as 24h, 30m or 0s. Default: 24h.',
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
    options: {},
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
  ...domainsCommands,
  certificatesRoot,
  ...connectCommands,
  {
    name: 'accounts email',
    summary: 'Changes the email address of an account at once. The owner can confirm it later.',
    operands: ['<email>', '<new-email>'],
    options: {},
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
    options: {},
    run: async (input) => (await loadAccounts()).printAccounts(input),
  },
  {
    name: 'accounts plan',
    summary: 'Sets the plan of an account.',
    operands: ['<email>', '<free|paid>'],
    options: {},
    run: async (input) => (await loadAccounts()).setPlan(input),
  },
  {
    name: 'accounts reset',
    summary: 'Creates a link to reset the password of an account. It works once, for 24 hours.',
    operands: ['<email>'],
    options: {},
    run: async (input) => (await loadAccounts()).reset(input),
  },
  {
    name: 'accounts second-factor-off',
    summary: 'Turns off the one-time codes of an account whose owner has lost the device.',
    operands: ['<email>'],
    options: {},
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
    options: {},
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
    options: {},
    run: async (input) => (await import('./run-secrets.ts')).rotate(input),
  },
  ...backupCommands,
  lab,
]
