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
  run: async (input) => (await import('./run-deploy.ts')).runDeploy(input),
}
