// The declarations of the commands of previews. run-previews.ts, which only they load, runs them.
import type { Command, Option } from '../command-line/command.ts'
import { serverOptions } from '../command-line/server-choice.ts'

const project: Option = { value: 'SLUG', meaning: 'The project.', required: true }
export const passwordFile: Option = {
  value: 'FILE',
  meaning: 'A file with the password that visitors have to enter; - reads standard input.',
}
const load = () => import('./run-previews.ts')

export const previewsCommands: Command[] = [
  {
    name: 'previews list',
    summary: 'Lists the previews of a project with their addresses.',
    options: { project, ...serverOptions },
    run: async (input) => (await load()).list(input),
  },
  {
    name: 'previews promote',
    summary: 'Makes the deploy of a preview live, without another build. The preview ends.',
    operands: ['NAME'],
    options: { project, ...serverOptions },
    run: async (input) => (await load()).promote(input),
  },
  {
    name: 'previews password',
    summary: 'Sets the password of a preview, or removes it.',
    operands: ['NAME'],
    options: {
      project,
      'password-file': passwordFile,
      remove: { meaning: 'Remove the password instead.' },
      ...serverOptions,
    },
    run: async (input) => (await load()).password(input),
  },
  {
    name: 'previews end',
    summary: 'Ends a preview immediately and deletes its deploys.',
    operands: ['NAME'],
    options: { project, ...serverOptions },
    run: async (input) => (await load()).end(input),
  },
]
