// The settings of a site: `site.yaml` (or `site.yml`) at its root, all of them optional.
//   title: My documentation     description: One sentence about it.     language: en
//   links: [{ title: Source, url: https://example.com }]   shown in the header of every page
//   colour: "#1c5f45"     logo: images/logo.svg     favicon: images/icon.png
//   navigation: [guides/first.md, { title: Guides, pages: [guides/] }]   what comes first, and groups
//   tryIt: { server: https://staging.example.com/v1 }     one of the servers of the OpenAPI document
//   edit: https://code.example.com/me/docs/edit/main/     where each page can be edited; {path} is that of its file
//   languages: [en, de, { language: pt-BR, folder: pt }]     folders of translations, the main one first
//   versions: [{ version: "2.0", folder: . }, v1]            folders of versions, the newest first
//   feedback: false     without “Was this page helpful?”
// Without a file, or a field in it, what is chosen in the project settings applies.
import { DeployFailure } from '../site-files/site-file.ts'
import { joinFolder, joinPaths } from './addresses.ts'
import { readColour, type ThemeColour } from './colour.ts'
import {
  type NavigationSection,
  navigationForm,
  readNavigation,
  type Setting,
} from './navigation-setting.ts'
import { jsonText } from './plain-text.ts'
import { attempt, onlyFields, textOf } from './plain-values.ts'
import type { RenderInput } from './render-input.ts'
import { decodeSource, readYamlFields } from './source-text.ts'

export interface SiteSettings {
  title: string
  description?: string | undefined
  /** A language tag (BCP 47). */
  language: string
  /** The main one first. Undefined: recognised by their folders. */
  languages?: SiteFolder[] | undefined
  /** The newest first; none if there is only one. */
  versions: SiteFolder[]
  links: SiteLink[]
  /** Undefined: that of the theme. */
  colour?: ThemeColour | undefined
  /** Path of a published file, as is `favicon`. */
  logo?: string | undefined
  favicon?: string | undefined
  navigation: NavigationSection[]
  /** With its place, for errors that only the document shows. Undefined: readers cannot send requests. */
  tryIt?: (TryItServer & { file: string | undefined; line: number | undefined }) | undefined
  /** Undefined: nobody knows where. */
  edit?: EditLink | undefined
  /** Whether readers are asked if a page was helpful. */
  feedback: boolean
}

interface EditLink {
  /** An http or https address with `{path}` in it. */
  url: string
  /** The folder of the deploy to which `{path}` is relative, with `/` at its end; empty for the deploy itself. */
  folder: string
}

/** The pages of one language or version. */
export interface SiteFolder {
  /** A language tag, or the name of a version. */
  name: string
  /** Of the site, with `/` at its end; empty for pages in none of the other folders. */
  folder: string
  /** The folder in whose place it is: `docs/` for versions at `docs/` and `docs/1.0/`. */
  of: string
  /** In the settings file. */
  line?: number | undefined
}

interface SiteLink {
  title: string
  /** An http or https address, or one that is relative to the root of the site. */
  url: string
}

/** Undefined if the value is not of the setting's form. */
type Reader<Value> = (value: unknown, setting: Setting) => Value | undefined

const maxFolders = 100
export const settingsFiles = ['site.yaml', 'site.yml']
export const imageTypes = {
  logo: ['svg', 'png', 'webp', 'jpg', 'jpeg'],
  favicon: ['svg', 'png', 'ico'],
}

/** Of BCP 47, without extensions. */
export const isLanguageTag = (text: string): boolean =>
  /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(text) && attempt(() => new Intl.Locale(text)) !== undefined

/** All the settings there are. */
const readers: { [Name in keyof SiteSettings]-?: Reader<SiteSettings[Name]> } = {
  title: textOf,
  description: textOf,
  language: (value) => (isLanguageTag(textOf(value) ?? '') ? textOf(value) : undefined),
  links: readLinks,
  colour: (value, { refuse }) => orRefuse(readColour(value), refuse),
  logo: readImage('logo'),
  favicon: readImage('favicon'),
  navigation: readNavigation,
  tryIt: (value, { file, lineAt, refuse }) => {
    return { ...orRefuse(readTryIt(value), refuse), file, line: lineAt() }
  },
  edit: (value) => editLink(textOf(value) ?? ''),
  feedback: (value) => (typeof value === 'boolean' ? value : undefined),
  languages: readFolders('language', isLanguageTag),
  versions: readFolders('version', Boolean),
}

const imageForm = 'the path of an image in the folder:'
const folderForm = `a list of at most ${maxFolders} different folders, such as`

/** What a value must be; other readers say it themselves. */
const forms: Partial<Record<string, string>> = {
  language: 'a language tag, such as en or pt-BR',
  links:
    'a list, each with a title and a url that is an http or https address or a path of the site',
  logo: `${imageForm} ${imageTypes.logo.join(', ')}`,
  favicon: `${imageForm} ${imageTypes.favicon.join(', ')}`,
  navigation: navigationForm,
  edit: 'the http or https address at which files can be edited, such as https://code.example.com/me/docs/edit/main/; {path} in it is the path of a file',
  feedback: 'true or false',
  languages: `${folderForm} [en, de, { language: pt-BR, folder: pt }]`,
  versions: `${folderForm} [{ version: "2.0", folder: . }, v1]`,
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
    ...{ title, language: 'en', links: [], navigation: [], versions: [], feedback: true },
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
  { file, hasFile }: Pick<Setting, 'hasFile'> & { file: string },
): Partial<SiteSettings> {
  const read = readYamlFields(decodeSource(bytes, file), { file, firstLine: 1 })
  if (read === undefined) {
    const message = `${file} must contain fields, such as "title: My documentation".`
    throw new DeployFailure(message, { file, line: 1 })
  }
  const { fields, lineAt } = read
  const settings = Object.entries(fields).map(([name, value]) =>
    readSetting(name, value, { file, hasFile, lineAt }),
  )
  return Object.assign({}, ...settings)
}

/** What values set that were chosen in the project settings, in the form of a settings file, and what is wrong with them. */
export function readChosen(
  chosen: object,
  hasFile: Setting['hasFile'],
  onProblem: (name: string, message: string) => void,
): Partial<SiteSettings> {
  const read = Object.entries(chosen).map(([name, value]) => {
    try {
      return readSetting(name, value, { hasFile, lineAt: () => undefined })
    } catch (error) {
      if (!(error instanceof DeployFailure)) throw error
      return onProblem(name, error.message)
    }
  })
  return Object.assign({}, ...read)
}

/** `lineAt`: of the whole file. */
function readSetting(
  name: string,
  value: unknown,
  { file, hasFile, lineAt: lineIn }: Omit<Setting, 'refuse'>,
): Partial<SiteSettings> {
  const lineAt: Setting['lineAt'] = (...path) => lineIn(name, ...path)
  const refuse: Setting['refuse'] = (message, ...path) => {
    throw new DeployFailure(message, { file, line: lineAt(...path) })
  }
  if (!Object.hasOwn(readers, name)) {
    const names = Object.keys(readers).join(', ')
    return refuse(`There is no setting ${JSON.stringify(name)}. Those there are: ${names}.`)
  }
  const read = readers[name as keyof SiteSettings](value, { file, hasFile, lineAt, refuse })
  return { [name]: read ?? refuse(`${name} must be ${forms[name] ?? 'text'}.`) }
}

const orRefuse = <Value extends object>(read: Value | string, refuse: Setting['refuse']): Value =>
  typeof read === 'string' ? refuse(read) : read

/** Folders in the order of a list: the name of each, or what it has and its folder. */
function readFolders(field: string, isName: (name: string) => boolean): Reader<SiteFolder[]> {
  return (value, { lineAt, refuse }) => {
    if (!Array.isArray(value) || value.length > maxFolders) return undefined
    const folders = value.map((each: unknown, i): SiteFolder => {
      const text = joinPaths('', textOf(each) ?? '')
      const named = { [field]: text.split('/').at(-1), folder: text }
      const { [field]: name, folder } = onlyFields(each, field, 'folder') ?? named
      if (typeof name === 'string' && typeof folder === 'string' && isName(name))
        return { name, folder: joinFolder('', folder), of: '', line: lineAt(i) }
      const entry = jsonText(each, { indent: false }).slice(0, 200)
      const form = forms[`${field}s`]
      return refuse(`${field}s: ${entry} cannot be used. ${field}s must be ${form}.`, i)
    })
    const known = new Set(folders.flatMap(({ folder, name }) => [name, `${folder}/`]))
    return known.size === value.length * 2 ? folders : undefined
  }
}

const imagePath = (text: string): string => text.replace(/^\.?\//, '')

function readImage(name: keyof typeof imageTypes): Reader<string> {
  return (value, { hasFile, refuse }) => {
    const text = textOf(value) ?? ''
    if (!imageTypes[name].includes(text.split('.').at(-1)?.toLowerCase() ?? '')) return undefined
    const path = imagePath(text)
    if (hasFile(path)) return text
    return refuse(`${name}: there is no file ${path.slice(0, 200)}. Add it, or correct the path.`)
  }
}

function readLinks(value: unknown): SiteLink[] | undefined {
  if (!Array.isArray(value)) return undefined
  const links = value.flatMap((link: unknown) => {
    const fields = onlyFields(link, 'title', 'url')
    const [title, url] = [textOf(fields?.title), textOf(fields?.url)]
    const isLink = title && url && /^(?:https?:\/\/[^/]|(?![a-z][a-z0-9+.-]*:|[\\/]{2}))/i.test(url)
    return isLink ? [{ title, url }] : []
  })
  return links.length === value.length ? links : undefined
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

/** What can be written into a content security policy: names and IPv4 addresses. On this computer, also without TLS. */
const secureOrigin = /^https:\/\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d+)?$/
const localOrigin = /^https?:\/\/(?:localhost|[a-z0-9.-]+\.localhost|127\.0\.0\.1)(?::\d+)?$/

/** What is wrong, and how to fix it, otherwise. */
export function readTryIt(value: unknown): TryItServer | string {
  const server = onlyFields(value, 'server')?.server
  if (typeof server !== 'string')
    return 'tryIt must have a server, such as "server: https://staging.example.com/v1".'
  const url = URL.parse(server)
  const { hash, origin, password, search, username } = url ?? new URL('about:blank')
  const isPlain = username + password + search + hash === ''
  if (!url || !isPlain || !(secureOrigin.test(origin) || localOrigin.test(origin)))
    return 'tryIt.server must be an https address without a query; on this computer (localhost) also http.'
  return { server: url.href.replace(/\/+$/, ''), origin }
}

/** Whether it can be the server of `tryIt`. */
export const canTry = (server: string): boolean => typeof readTryIt({ server }) !== 'string'

/** Whether two addresses of servers are the same one. */
export function isSameServer(a: string, b: string): boolean {
  const [first, second] = [a, b].map((each) => URL.parse(each)?.href.replace(/\/+$/, ''))
  return first !== undefined && first === second
}
