// The folder of a generator's configuration in a deploy: its files, and what they say of the site as a whole. All values come
// from outside, and may be missing or of another kind.
import { parse as parseToml } from 'smol-toml'
import { readLiterals, unparsed } from '../mdx/read-literals.ts'
import { folderOf, joinFolder, joinPaths } from '../sources/addresses.ts'
import { toReadableColour } from '../sources/colour.ts'
import { type Generator, type Mount, noGenerator, placeOf } from '../sources/generator.ts'
import {
  attempt,
  type Fields,
  firstText,
  inside,
  listOf,
  recordOf,
  textOf,
} from '../sources/plain-values.ts'
import type { RenderInput } from '../sources/render-input.ts'
import { editLink, imageTypes, isLanguageTag, type SiteFolder } from '../sources/settings.ts'
import { decodeSource, readYamlFields } from '../sources/source-text.ts'

/** The folder of a configuration, without the hidden or fixed ones that it is in. */
export const rootOf = (file: string): string =>
  folderOf(file).replace(/(^|\/)(?:\.[^/]+|config\/_default)\/.*$/, '$1')

/** What a file may be called that is named without its ending. */
const endings = ' .ts .js .mts .mjs .cjs .tsx .json .yml .yaml .toml /index.ts /index.js'.split(' ')

export type GeneratorFolder = ReturnType<typeof openFolder>

export function openFolder(
  { assets, sources }: Pick<RenderInput, 'assets' | 'sources'>,
  file: string,
  note: (what: string, line: number | undefined, file: string) => void,
) {
  const paths = [...new Set([...sources.keys(), ...assets])].sort()
  const folder = rootOf(file)
  const find = (stem: string) =>
    endings.map((ending) => stem + ending).find((path) => sources.has(path))
  const text = (path: string): string | undefined => {
    const bytes = sources.get(path)
    return bytes && attempt(() => decodeSource(bytes, path))
  }
  const load = (specifier: string, from: string) => {
    const path = specifier.startsWith('.') && find(joinPaths(folderOf(from), specifier))
    return path ? { path, text: text(path) ?? '' } : undefined
  }
  function read(stem: string): Fields {
    const path = find(stem) ?? stem
    const content = text(path) ?? ''
    const parse = (): unknown => {
      if (/\.json$/.test(path)) return JSON.parse(content)
      if (/\.ya?ml$/.test(path)) return readYamlFields(content, asWritten)?.fields
      if (/\.toml$/.test(path)) return parseToml(content)
      if (!/\.[cm]?[jt]sx?$/.test(path)) return undefined
      const { skipped, value } = readLiterals(content, path, load)
      for (const { line, name } of skipped) if (taken.has(name)) note(name, line, path)
      return value
    }
    let value: unknown
    try {
      value = content.trim() === '' ? undefined : parse()
    } catch (error) {
      note('in a file that cannot be parsed', Number(inside(error, 'line')) || undefined, path)
    }
    return Array.isArray(value) ? { items: value } : recordOf(value)
  }
  const found = new Map<string, Fields>()
  /** What a file of configuration says, in any of its forms; empty if it says nothing. A list is its field `items`. */
  const fields = (path: string) => found.getOrInsertComputed(path, read)
  return {
    /** The file that shows the generator. */
    file,
    /** What that file says. */
    config: fields(file),
    /** Its folder, or the one above a hidden one, with `/` at its end. */
    folder,
    /** All paths of the deploy. */
    paths,
    /** A folder in it, from a setting, with `/` at its end. */
    inside: (setting: unknown, usual: string) => joinFolder(folder, textOf(setting) ?? usual),
    has: (path: string) => sources.has(path) || assets.has(path),
    /** The paths in a folder whose rest is of this form. */
    below: (folder: string, form = /^/) =>
      paths.filter((path) => path.startsWith(folder) && form.test(path.slice(folder.length))),
    /** The text of a file; undefined if there is none. */
    text,
    fields,
  }
}

/** Each file is looked up in all of them. */
const maxMounts = 500
/** Of YAML, of which fields that cannot be read are left out. */
const asWritten = { file: '', firstLine: 1, onProblem() {} }

/** Fields of programs that matter to a site, and are noted if they are no data. */
const taken = new Set([
  unparsed,
  ...'title description base baseUrl sidebar sidebars nav navbar docs redirects'.split(' '),
])

/** As it is if it is not encoded. */
export const decoded = (path: string): string => attempt(() => decodeURI(path), path)

export const mount = (kind: Mount['kind'], folder: string, at = ''): Mount => ({ folder, at, kind })

export const isWeb = (address: string): boolean => /^https?:\/\//i.test(address)

/** What is found in the folder of a generator. Paths are those of the deploy, and of folders end with `/`. */
export interface Found
  extends Partial<Pick<Generator, 'navigation' | 'folders' | 'params' | 'segment' | 'slug'>> {
  /** The folder of the pages. */
  pages: string
  /** Others that are part of the site. */
  mounts?: Mount[]
  /** Folders that are not published, and sources that are no pages. */
  none?: string[]
  /** The parts of the configuration with settings of the site, those first that go before others. */
  settings?: unknown[]
  /** Links of the header; those in a menu of it are left out. */
  links?: unknown
  /** Where a page can be edited: a template, maybe from its start and its end, and the folder that its paths start from. */
  edit?: { start?: string | undefined; end?: string | undefined; folder: string }
  /** The names of the folders of languages, or what is said of each by these names, and the one that has none. */
  languages?: [named: unknown, main: string]
  versions?: SiteFolder[]
  /** In one of their forms. */
  redirects?: unknown
}

/** What the configuration calls the settings of a site. None means something else in another generator. */
const names = {
  title: ['title', 'site_name', 'html_title', 'project', 'name'],
  description: ['description', 'tagline', 'site_description'],
  language: ['lang', 'language', 'locale', 'languageCode', 'defaultLocale'],
  colour: ['colour', 'themeColor'],
  logo: ['logo', 'html_logo'],
  favicon: ['favicon', 'favicon_ico', 'html_favicon'],
  base: ['base', 'baseUrl', 'baseURL', 'baseurl', 'site_url', 'site-url'],
  origin: ['url', 'site', 'site_url', 'baseURL', 'baseurl'],
}

export function readSite(at: GeneratorFolder, found: Found): Generator {
  const {
    edit: { start = '', end, folder } = { folder: '' },
    languages: [named, main] = [{}, ''],
    none = [],
    pages,
    settings = [],
    versions = [],
  } = found
  const mounts = [
    mount('pages', pages),
    ...(found.mounts ?? []),
    ...none.filter((path) => path.endsWith('/')).map((path) => mount('none', path)),
  ]
    .slice(0, maxMounts)
    .sort((a, b) => a.folder.length - b.folder.length)
  const textsOf = (name: keyof typeof names) =>
    settings
      .flatMap((part) => names[name].map((each) => inside(part, each)))
      .flatMap((value) => textOf(value) ?? firstText(value, 'src', 'light', 'en') ?? [])
  const folders = mounts.flatMap(({ folder, kind }) => (kind === 'files' ? folder : []))
  const imageOf = (name: keyof typeof imageTypes) =>
    textsOf(name)
      .flatMap((path) => [...folders, pages, at.folder].map((from) => joinPaths(from, path)))
      .filter((path) => imageTypes[name].includes(path.replace(/.*\./, '').toLowerCase()))
      .flatMap((path) => (at.has(path) ? (placeOf(path, { mounts })?.path ?? []) : []))[0]
  const links = linksOf(found.links)
  const languages = languagesOf(named, main)
  const template =
    end === undefined ? start : URL.parse(end.replace(/^\/+/, ''), start.replace(/\/*$/, '/'))?.href
  const base = URL.parse(textsOf('base')[0] ?? '', 'https://site.invalid')?.pathname ?? ''
  const { navigation, params, redirects, segment, slug } = found
  return {
    ...noGenerator,
    ...definedOf({ folders: found.folders, params, segment, slug }),
    mounts,
    base: base.replace(/^\/+/, '').replace(/([^/])\/*$/, '$1/'),
    origin: URL.parse(textsOf('origin').find(isWeb) ?? '')?.origin,
    settings: definedOf({
      title: textsOf('title')[0],
      description: textsOf('description')[0],
      language: textsOf('language')
        .map((tag) => tag.replaceAll('_', '-'))
        .find(isLanguageTag),
      languages: languages.length > 1 ? languages : undefined,
      versions: versions.length > 1 ? versions : undefined,
      colour: toReadableColour(textsOf('colour')[0]),
      logo: imageOf('logo'),
      favicon: imageOf('favicon'),
      links: links.length > 0 ? links : undefined,
      edit: editLink(template ?? '', folder),
    }),
    navigation: navigation?.length ? navigation : undefined,
    redirects: redirectsOf(redirects),
    notPages: new Set(none),
  }
}

function definedOf<Value extends object>(values: Value) {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof Value]?: Exclude<Value[Name], undefined> }
}

/** The main one first. */
function languagesOf(named: unknown, main: string): SiteFolder[] {
  const nameOf = (each: unknown) => textOf(each) ?? firstText(each, ...names.language)
  const listed = listOf(named).map((each) => [nameOf(each) ?? '', each] as const)
  const all = [...listed, ...Object.entries(recordOf(named))].map(([folder, each]) => ({
    name: (nameOf(each) ?? folder).replaceAll('_', '-'),
    folder: folder === main ? '' : `${folder}/`,
    of: '',
  }))
  const known = all.filter(({ name }) => isLanguageTag(name))
  return known.sort((a, b) => Number(a.folder !== '') - Number(b.folder !== ''))
}

function linksOf(items: unknown) {
  return listOf(items).flatMap((item) => {
    const title = firstText(item, 'label', 'text', 'name')
    const address = firstText(item, 'href', 'to', 'link', 'pageRef', 'url') ?? ''
    const url = /^(?:[a-z]+:|\/)/i.test(address) ? address : `/${address}`
    return title === undefined || address === '' || !isAddress(url) ? [] : [{ title, url }]
  })
}

/** Redirects from a list of `{ from, to }` or `{ source, destination }`, or from `{ from: to }`. */
function redirectsOf(value: unknown): Generator['redirects'] {
  const pairs = Object.entries(recordOf(value)).map(([from, to]) => ({ ...recordOf(to), from, to }))
  return [...listOf(value), ...pairs].flatMap((rule) => {
    const olds = [inside(rule, 'from') ?? inside(rule, 'source')].flat()
    // `:slug*` is the rest of a path.
    const to = addressOf(firstText(rule, 'to', 'destination') ?? '#').replace(/:\w+\*/, ':splat')
    return olds
      .map((old) => ({ from: addressOf(textOf(old) ?? '#').replace(/:\w+\*$/, '*'), to }))
      .filter(({ from }) => /^\/[^?#[\]]*$/.test(from) && isAddress(to) && from !== to)
  })
}

/** Pages may be named by their files. */
function addressOf(path: string): string {
  const page = path.replace(/(?:(?:^|\/)(?:index|README))?\.(?:md|html)(?=#|$)/, '')
  return /^[a-z][\w+.-]*:/i.test(path) ? path : encodeURI(decoded(`/${page.replace(/^\/+/, '')}`))
}

/** A path of the site, or an http or https address. */
const isAddress = (text: string): boolean =>
  /^(?:\/(?![/\\#])|https?:\/\/[^/])[^\s\p{Cc}]*$/iu.test(text)
