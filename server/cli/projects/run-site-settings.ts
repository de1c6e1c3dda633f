// Runs site-settings get and set over the management API: see projects-client.ts.
import { parseDocument, stringify } from 'yaml'
import { type SiteSettings, settingNames } from '../../publishing/site-settings/records/schema.ts'
import { CommandError, type Input, print, readText, UsageError } from '../command-line/command.ts'
import { withProjects } from './projects-client.ts'

const route = '/projects/{slug}/site-settings'
const texts = ['title', 'description', 'colour', 'logo', 'favicon'] as const

export async function get(input: Input): Promise<undefined> {
  const params = { slug: input.options.project ?? '' }
  const { settings } = await withProjects(input, (call) => call(`GET ${route}`, { params }))
  print(input, settings, stringify(settings).trimEnd())
}

export async function set(input: Input): Promise<undefined> {
  const params = { slug: input.options.project ?? '' }
  const change = readChange(input)
  const saved = await withProjects(input, async (call) => {
    const { settings } = await call(`GET ${route}`, { params })
    return await call(`PUT ${route}`, { params, body: { ...settings, ...change } })
  })
  const { deploy } = saved
  const built = deploy === null ? 'The first deploy' : `Deploy ${deploy}`
  print(input, saved, `The settings are saved. ${built} applies them.`)
}

/** Names are checked here, values by the API. */
function readChange({ options }: Input): Partial<SiteSettings> {
  const given = texts.flatMap((name) => {
    const value = options[name]
    return value === undefined ? [] : [[name, value === '' ? null : value] as const]
  })
  const { file } = options
  if (file === undefined && given.length === 0) throw new UsageError('give --file or a setting')
  if (file !== undefined && given.length > 0) {
    throw new UsageError('--file excludes the options of single settings')
  }
  return file === undefined ? Object.fromEntries(given) : readFields(file)
}

/** JSON is YAML, too. */
function readFields(file: string): Partial<SiteSettings> {
  const name = file === '-' ? 'standard input' : file
  const document = parseDocument(readText(file))
  const [problem] = document.errors
  if (problem) throw new CommandError(`${name} is not valid YAML or JSON: ${problem.message}`)
  const value: unknown = document.toJS()
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CommandError(`${name} must contain fields, such as "title: My documentation"`)
  }
  const unknown = Object.keys(value).find((key) => !settingNames.some((known) => known === key))
  if (unknown === undefined) return value
  const known = settingNames.join(', ')
  throw new CommandError(`there is no setting ${JSON.stringify(unknown)}: use ${known}`)
}
