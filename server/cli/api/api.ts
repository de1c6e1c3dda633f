// The declaration of api. run-api.ts, which only it loads, runs it.
import type { Command } from '../command-line/command.ts'
import { serverOptions } from '../command-line/server-choice.ts'

export const api: Command = {
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
}
