// The declaration of deploy. run-deploy.ts, which only it loads, runs it.
import type { Command } from '../command-line/command.ts'
import { serverOptions } from '../command-line/server-choice.ts'

export const deploy: Command = {
  name: 'deploy',
  summary: 'Publishes a folder, or a .zip or .tar.gz file, to a project.',
  details:
    'A folder with an index.html is published unchanged; Markdown and an openapi.yaml are rendered.',
  operands: ['FOLDER'],
  options: {
    project: { value: 'SLUG', meaning: 'The project.', required: true },
    ...serverOptions,
    create: { meaning: 'Create the project if it does not exist.' },
  },
  run: async (input) => (await import('./run-deploy.ts')).runDeploy(input),
}
