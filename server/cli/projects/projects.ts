// The declarations of the commands of projects. run-visibility.ts, run-transfer.ts, run-site-settings.ts and
// run-site-images.ts, which only they load, run them.
import { visibilities } from '../../publishing/projects/visibilities.ts'
import type { Command, Option } from '../command-line/command.ts'
import { serverOptions } from '../command-line/server-choice.ts'
import { passwordFile } from '../previews/previews.ts'

const project: Option = { value: 'SLUG', meaning: 'The project.', required: true }
const loadTransfer = () => import('./run-transfer.ts')
const loadSettings = () => import('./run-site-settings.ts')
const loadImages = () => import('./run-site-images.ts')
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

export const transferCommands: Command[] = [
  {
    name: 'transfer show',
    summary: 'Shows the owner of a project, and to whom it is offered.',
    options: { project, ...serverOptions },
    run: async (input) => (await loadTransfer()).show(input),
  },
  {
    name: 'transfer offer',
    summary: 'Offers a project to a member, who can accept within 14 days and then owns it.',
    details: `It replaces an earlier offer. ${onlyHere}`,
    operands: ['<email>'],
    options: { project },
    run: async (input) => (await loadTransfer()).offer(input),
  },
  {
    name: 'transfer accept',
    summary: 'Accepts the offer of a project for the member with this email address.',
    details: onlyHere,
    operands: ['<email>'],
    options: { project },
    run: async (input) => (await loadTransfer()).accept(input),
  },
  {
    name: 'transfer decline',
    summary: 'Declines the offer of a project for the member with this email address.',
    details: onlyHere,
    operands: ['<email>'],
    options: { project },
    run: async (input) => (await loadTransfer()).decline(input),
  },
  {
    name: 'transfer cancel',
    summary: 'Cancels the offer of a project.',
    details: onlyHere,
    options: { project },
    run: async (input) => (await loadTransfer()).cancel(input),
  },
]

const text = (meaning: string): Option => ({
  value: 'TEXT',
  meaning: `${meaning}; empty for none.`,
})

const unlessSet =
  'It is used instead of the path in the settings, unless site.yaml of a deploy sets one.'

export const siteSettingsCommands: Command[] = [
  {
    name: 'site-settings get',
    summary: 'Prints the settings of the site of a project as YAML, or as JSON with --json.',
    options: { project, ...serverOptions },
    run: async (input) => (await loadSettings()).get(input),
  },
  {
    name: 'site-settings set',
    summary: 'Changes settings of the site of a project. The live deploy is built again.',
    details: 'What is not given keeps its value. Files of the deploy are used instead of settings.',
    options: {
      project,
      file: {
        value: 'FILE',
        meaning: 'Settings as YAML or JSON, as get prints them; - reads standard input.',
      },
      title: text('Title of the site'),
      description: text('One sentence about the site'),
      colour: text('Colour of links and marks, such as #1c5f45'),
      logo: text('Path of an image in the deploy'),
      favicon: text('Path of an icon in the deploy'),
      ...serverOptions,
    },
    run: async (input) => (await loadSettings()).set(input),
  },
  {
    name: 'site-settings upload',
    summary:
      'Uploads the logo or favicon of the site of a project. The live deploy is built again.',
    details: `A logo is SVG, PNG, WebP or JPEG, a favicon SVG, PNG or ICO, of at most 1 MB; - reads standard input. ${unlessSet}`,
    operands: ['<logo|favicon>', '<file>'],
    options: { project, ...serverOptions },
    run: async (input) => (await loadImages()).upload(input),
  },
  {
    name: 'site-settings remove-upload',
    summary: 'Removes the uploaded logo or favicon. The live deploy is built again.',
    operands: ['<logo|favicon>'],
    options: { project, ...serverOptions },
    run: async (input) => (await loadImages()).remove(input),
  },
]
