// The declarations of the commands of projects. run-visibility.ts, which only they load, runs them.
import { visibilities } from '../../publishing/projects/visibilities.ts'
import type { Command, Option } from '../command-line/command.ts'
import { serverOptions } from '../command-line/server-choice.ts'
import { passwordFile } from '../previews/previews.ts'

const project: Option = { value: 'SLUG', meaning: 'The project.', required: true }
const loadVisibility = () => import('./run-visibility.ts')

/** Access tokens cannot change who has access: not even a leaked one lets others in. */
const onlyHere = 'It works on the local database only: access tokens cannot change who has access.'

export const visibilityCommands: Command[] = [
  {
    name: 'visibility show',
    summary: 'Shows who may see the site of a project.',
    options: { project, ...serverOptions },
    run: async (input) => (await loadVisibility()).show(input),
  },
  {
    name: 'visibility set',
    summary: 'Sets who may see the site of a project. Takes effect immediately on every node.',
    details: `${onlyHere} Without --password-file, a site with a password keeps it.`,
    operands: [`<${visibilities.join('|')}>`],
    options: { project, 'password-file': passwordFile },
    run: async (input) => (await loadVisibility()).set(input),
  },
]
