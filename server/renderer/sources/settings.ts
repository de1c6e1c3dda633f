// The settings of a site: `site.yaml` (or `site.yml`) at its root, all of them optional.
//   title: My documentation     description: One sentence about it.     language: en
//   links: [{ title: Source, url: https://example.com }]   shown in the header of every page
//   colour: "#1c5f45"     logo: images/logo.svg     favicon: images/icon.png
//   navigation: [guides/first.md, { title: Guides, pages: [guides/] }]   what comes first, and groups
//   tryIt: { server: https://staging.example.com/v1 }     one of the servers of the OpenAPI document
//   edit: https://code.example.com/me/docs/edit/main/     where each page can be edited; {path} is that of its file
//   feedback: false     without “Was this page helpful?”
// Without a file, or a field in it, what is chosen in the project settings applies.
import { DeployFailure } from '../site-files/site-file.ts'
import { readColour, type ThemeColour } from './colour.ts'
import { type NavigationSection, readNavigation, type Setting } from './navigation-setting.ts'
import type { RenderInput } from './render-input.ts'
import { decodeSource, readYamlFields } from './source-text.ts'

export interface SiteSettings {
  title: string
  description: string | undefined
  /** A language tag (BCP 47). */
  language: string
  links: SiteLink[]
  /** Undefined: that of the theme. */
  colour: ThemeColour | undefined
  /** Path of a published file, as is `favicon`. */
  logo: string | undefined
  favicon: string | undefined
  navigation: NavigationSection[]
  /** With its place, for errors that only the document shows. Undefined: readers cannot send requests. */
  tryIt: (TryItServer & { file: string | undefined; line: number | undefined }) | undefined
  /** Undefined: nobody knows where. */
  edit: EditLink | undefined
  /** Whether readers are asked if a page was helpful. */
  feedback: boolean
}

export interface EditLink {
  /** An http or https address with `{path}` in it. */
  url: string
  /** The folder of the deploy to which `{path}` is relative, with `/` at its end; empty for the deploy itself. */
  folder: string
}

interface SiteLink {
  title: string
  /** An http or https address, or one that is relative to the root of the site. */
  url: string
}

interface SettingPlace {
  /** Path of the settings file. Undefined: chosen in the project settings. */
  file?: string | undefined
  /** Whether it is a file of the deploy that is published. */
  hasFile(path: string): boolean
}

type Reader<Value> = (
  setting: Setting,
  refuse: (message: string, line?: number) => never,
  place: SettingPlace,
) => Value

export const settingsFiles = ['site.yaml', 'site.yml']
export const imageTypes = {
  logo: ['svg', 'png', 'webp', 'jpg', 'jpeg'],
  favicon: ['svg', 'png', 'ico'],
}

/** All the settings there are. */
const readers: { [Name in keyof SiteSettings]: Reader<SiteSettings[Name]> } = {
  title: readText('title'),
  description: readText('description'),
  language({ value }, refuse) {
    const isTag = typeof value === 'string' && /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(value)
    return isTag ? value : refuse('language must be a language tag, such as en or pt-BR.')
  },
  links({ value }, refuse) {
    const message =
      'links must be a list, each with a title and a url that is an http or https address or a path of the site.'
    if (!Array.isArray(value)) return refuse(message)
    return value.map((link: unknown) => readLink(link) ?? refuse(message))
  },
  colour({ value }, refuse) {
    const read = readColour(value)
    return typeof read === 'string' ? refuse(read) : read
  },
  logo: readImage('logo'),
  favicon: readImage('favicon'),
  navigation: readNavigation,
  tryIt({ line, value }, refuse, { file }) {
    const read = readTryIt(value)
    return typeof read === 'string' ? refuse(read) : { ...read, file, line }
  },
  edit({ value }, refuse) {
    const read = typeof value === 'string' ? editLink(value) : undefined
    const message =
      'edit must be the http or https address at which files can be edited, such as https://code.example.com/me/docs/edit/main/; {path} in it is the path of a file.'
    return read ?? refuse(message)
  },
  feedback: ({ value }, refuse) =>
    typeof value === 'boolean' ? value : refuse('feedback must be true or false.'),
}

/**
 * The settings, with the path of their file if there is one: what is chosen in the project settings is used where the file
 * says nothing, then what the folder's generator says, and uploaded images are used instead of chosen ones. Throws DeployFailure with the line.
 */
export function readSettings(
  { assets, chosen = {}, images, sources, title }: RenderInput,
  generator: { settings: Partial<SiteSettings> } = { settings: {} },
): { settings: SiteSettings; file: string | undefined } {
  const hasFile = (path: string): boolean => assets.has(path)
  const file = settingsFiles.find((path) => sources.has(path))
  const bytes = file === undefined ? undefined : sources.get(file)
  const settings: SiteSettings = {
    ...{ title, description: undefined, language: 'en', links: [], colour: undefined },
    ...{ logo: undefined, favicon: undefined, navigation: [], tryIt: undefined },
    ...{ edit: undefined, feedback: true },
    ...generator.settings,
    // What cannot be used, such as an image that this deploy does not have, is as if it were not chosen.
    ...readChosen(chosen, hasFile, () => {}),
    ...images,
    ...(file !== undefined && bytes && readSettingsFile(bytes, { file, hasFile })),
  }
  for (const name of ['logo', 'favicon'] as const) settings[name] &&= imagePath(settings[name])
  return { settings, file }
}

/** What a settings file sets. Throws DeployFailure with the line. */
export function readSettingsFile(
  bytes: Uint8Array,
  { file, hasFile }: SettingPlace & { file: string },
): Partial<SiteSettings> {
  const fields = readYamlFields(decodeSource(bytes, file), { file, firstLine: 1 })
  if (fields === undefined) {
    const message = `${file} must contain fields, such as "title: My documentation".`
    throw new DeployFailure(message, { file, line: 1 })
  }
  return readEach(fields, { file, hasFile })
}

/** What values set that were chosen in the project settings, in the form of a settings file, and what is wrong with them. */
export function readChosen(
  chosen: object,
  hasFile: SettingPlace['hasFile'],
  onProblem: (name: string, message: string) => void,
): Partial<SiteSettings> {
  const read = Object.entries(chosen).map(([name, value]) => {
    try {
      return readEach([[name, { value, line: undefined, lineAt: () => undefined }]], { hasFile })
    } catch (error) {
      if (!(error instanceof DeployFailure)) throw error
      return onProblem(name, error.message)
    }
  })
  return Object.assign({}, ...read)
}

function readEach(
  settings: Iterable<[string, Setting]>,
  place: SettingPlace,
): Partial<SiteSettings> {
  const read = [...settings].map(([name, setting]) => {
    const refuse = (message: string, line = setting.line): never => {
      throw new DeployFailure(message, { file: place.file, line })
    }
    if (!Object.hasOwn(readers, name)) {
      const names = Object.keys(readers).join(', ')
      refuse(`There is no setting ${JSON.stringify(name)}. Those there are: ${names}.`)
    }
    return [name, readers[name as keyof SiteSettings](setting, refuse, place)]
  })
  return Object.fromEntries(read)
}

function readText(name: string): Reader<string> {
  return ({ value }, refuse) => {
    if (typeof value !== 'string' || value.trim() === '') return refuse(`${name} must be text.`)
    return value.trim()
  }
}

const imagePath = (text: string): string => text.replace(/^\.?\//, '')

function readImage(name: keyof typeof imageTypes): Reader<string> {
  const types = imageTypes[name]
  return ({ value }, refuse, { hasFile }) => {
    const text = typeof value === 'string' ? value : ''
    if (!types.includes(text.split('.').at(-1)?.toLowerCase() ?? ''))
      refuse(`${name} must be the path of an image in the folder: ${types.join(', ')}.`)
    const path = imagePath(text)
    if (hasFile(path)) return text
    return refuse(`${name}: there is no file ${path.slice(0, 200)}. Add it, or correct the path.`)
  }
}

function readLink(link: unknown): SiteLink | undefined {
  if (typeof link !== 'object' || link === null) return undefined
  const { title, url, ...others } = link as Record<string, unknown>
  if (typeof title !== 'string' || title.trim() === '' || typeof url !== 'string') return undefined
  if (Object.keys(others).length > 0) return undefined
  const hasScheme = /^([a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(url)
  if (hasScheme && !/^https?:\/\/[^/]/i.test(url)) return undefined
  return { title: title.trim(), url: url.trim() }
}

/** Undefined if it is no http or https address. `:path` is `{path}`; without either, it is at the end. */
export function editLink(template: string, folder = ''): EditLink | undefined {
  const text = template.trim().replace(/:path\b/, '{path}')
  const url = text.includes('{path}') ? text : `${text.replace(/\/*$/, '')}/{path}`
  const parsed = URL.parse(url.replace('{path}', 'path'))
  const isWeb = parsed?.protocol === 'https:' || parsed?.protocol === 'http:'
  return isWeb && parsed.username + parsed.password === '' ? { url, folder } : undefined
}

/** Where the file can be edited; undefined if that is not known. */
export function editAddress(edit: EditLink | undefined, file: string): string | undefined {
  if (!edit || !file.startsWith(edit.folder)) return undefined
  const path = file.slice(edit.folder.length).split('/').map(encodeURIComponent).join('/')
  return edit.url.replaceAll('{path}', () => path)
}

export interface TryItServer {
  /** Without a slash at the end. */
  server: string
  /** The only origin, apart from their own, to which the pages of operations may connect. */
  origin: string
}

const tryItForm = 'tryIt must have a server, such as "server: https://staging.example.com/v1".'
const tryItAddress =
  'tryIt.server must be an https address without a query; on this computer (localhost) also http.'
/** What can be written into a content security policy: names and IPv4 addresses. */
const hostForm = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/
const localHost = /^(?:localhost|.+\.localhost|127\.0\.0\.1)$/

/** What is wrong, and how to fix it, otherwise. */
export function readTryIt(value: unknown): TryItServer | string {
  if (typeof value !== 'object' || value === null) return tryItForm
  const { server, ...others } = value as Record<string, unknown>
  if (typeof server !== 'string' || Object.keys(others).length > 0) return tryItForm
  const url = URL.parse(server)
  if (!url || !isAllowed(url)) return tryItAddress
  return { server: withoutSlash(url.href), origin: url.origin }
}

/** Whether it can be the server of `tryIt`. */
export const canTry = (server: string): boolean => typeof readTryIt({ server }) !== 'string'

/** Whether two addresses of servers are the same one. */
export function isSameServer(a: string, b: string): boolean {
  const [first, second] = [URL.parse(a)?.href, URL.parse(b)?.href]
  return first !== undefined && second !== undefined && withoutSlash(first) === withoutSlash(second)
}

function isAllowed({ hash, hostname, password, protocol, search, username }: URL): boolean {
  if (username + password + search + hash !== '' || !hostForm.test(hostname)) return false
  return protocol === 'https:' || (protocol === 'http:' && localHost.test(hostname))
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '')
