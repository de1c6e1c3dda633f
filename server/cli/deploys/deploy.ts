// deploy: what it is called by. What it does is loaded only when it runs, so that other commands start fast.
import type { Command } from '../command-line/command.ts'
import { serverOptions } from '../command-line/server-options.ts'

export const deploy: Command = {
  name: 'deploy',
  summary: 'Publish a folder, or a .zip or .tar.gz, as a project.',
  details:
    'A folder with an index.html is published as it is; Markdown and an openapi.yaml are rendered. Without --url it goes to the server of this machine.',
  operands: ['FOLDER'],
  options: {
    project: { value: 'SLUG', meaning: 'Which project.', required: true },
    ...serverOptions,
    create: { meaning: 'Create the project when there is none.' },
  },
  async run(input) {
    const { runDeploy } = await import('./run-deploy.ts')
    return await runDeploy(input)
  },
}
