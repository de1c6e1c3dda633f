// The folder of a generator's configuration in a deploy, and the values of that configuration, which come from outside: all of
// them may be missing or of another kind.
import { parse as parseToml } from 'smol-toml'
import { readLiterals, unparsed } from '../mdx/read-literals.ts'
import { folderOf, joinPaths } from '../sources/addresses.ts'
import { toReadableColour } from '../sources/colour.ts'
import type { Generator, Mount } from '../sources/generator.ts'
import { type Fields, firstText, recordOf, textOf } from '../sources/plain-values.ts'
import type { RenderInput } from '../sources/render-input.ts'
import { editLink, imageTypes } from '../sources/settings.ts'
import { decodeSource, readYamlFields } from '../sources/source-text.ts'

/** What a reader found. Paths are those of the deploy. */
export type Found = Partial<Omit<Generator, 'name' | 'evidence'>>

export interface GeneratorFolder {
  /** The file that shows the generator. */
  file: string
  /** Its folder, or the one above a hidden one, with `/` at its end. */
  folder: string
  /** All paths of the deploy. */
  paths: readonly string[]
  has(path: string): boolean
  /** The paths in a folder whose rest is of this form. */
  below(folder: string, form?: RegExp): string[]
  /** The text of a file; undefined if there is none. */
  text(path: string): string | undefined
  /** What a file of configuration says, in any of its forms; empty if it says nothing. A list is its field `items`. */
  fields(path: string): Fields
}

export function openFolder(
  { assets, sources }: Pick<RenderInput, 'assets' | 'sources'>,
  file: string,
  note: (what: string, line: number | undefined, file: string) => void,
): GeneratorFolder {
  const paths = [...new Set([...sources.keys(), ...assets])].sort()
  const known = new Set(paths)
  const text = (path: string): string | undefined => {
    const bytes = sources.get(path)
    return bytes && resultOf(() => decodeSource(bytes, path))
  }
  const load = (specifier: string, from: string) => {
    const path = joinPaths(folderOf(from), specifier)
    const found = specifier.startsWith('.')
      ? programEndings.find((end) => sources.has(path + end))
      : undefined
    return found === undefined ? undefined : { path: path + found, text: text(path + found) ?? '' }
  }
  function read(path: string): Fields {
    const content = text(path) ?? ''
    if (/\.json$/.test(path)) return fieldsOf(resultOf(() => JSON.parse(content)))
    if (/\.ya?ml$/.test(path)) return yamlOf(content, path)
    if (/\.toml$/.test(path)) return recordOf(resultOf(() => parseToml(content)))
    const { skipped, value } = readLiterals(content, path, load)
    for (const { line, name } of skipped) {
      if (taken.has(name)) note(name, line, path)
    }
    return fieldsOf(value)
  }
  const found = new Map<string, Fields>()
  return {
    file,
    folder: folderOf(file).replace(/(^|\/)\.[^/]+\/$/, '$1'),
    paths,
    has: (path) => known.has(path),
    below: (folder, form = /^/) =>
      paths.filter((path) => path.startsWith(folder) && form.test(path.slice(folder.length))),
    text,
    // Once: a configuration may name the same file many times.
    fields: (path) => found.getOrInsertComputed(path, read),
  }
}

const programEndings = ['', '.ts', '.js', '.mts', '.mjs', '/index.ts', '/index.js']

/** Fields of programs that matter to a site, and are noted if they are no data. */
const taken = new Set([
  unparsed,
  ...'title description base baseUrl sidebar sidebars nav navbar docs redirects'.split(' '),
])

function yamlOf(text: string, file: string): Fields {
  const place = { file, firstLine: 1, onProblem: () => {} }
  const fields = resultOf(() => readYamlFields(text, place))
  return Object.fromEntries([...(fields ?? [])].map(([name, { value }]) => [name, value]))
}

function resultOf<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** As it is if it is not encoded. */
export const decoded = (path: string): string => resultOf(() => decodeURI(path)) ?? path

const fieldsOf = (value: unknown): Fields =>
  Array.isArray(value) ? { items: value } : recordOf(value)

/** A path of the deploy as a folder: with `/` at its end, empty for all. */
export function joinFolder(folder: string, path: string): string {
  const joined = joinPaths(folder, path)
  return joined === '' ? '' : `${joined}/`
}

export const mount = (kind: Mount['kind'], folder: string, at = ''): Mount => ({ folder, at, kind })

/** The path of an address as a folder of the site: `https://example.com/docs/` gives `docs/`. */
export function baseOf(address: unknown): string {
  const path = URL.parse(textOf(address) ?? '', 'https://site.invalid')?.pathname ?? ''
  return path.replace(/^\/+/, '').replace(/([^/])\/*$/, '$1/')
}

/** Where the site was published so far: `https://example.com`. */
export function originOf(address: unknown): string | undefined {
  const url = URL.parse(textOf(address) ?? '')
  return url && /^https?:$/.test(url.protocol) ? url.origin : undefined
}

export const isWeb = (address: string): boolean => /^https?:\/\//i.test(address)

/** The address of a template; undefined if it has no start. */
export function joinAddress(start: string | undefined, end: string | undefined) {
  if (end === undefined || isWeb(end)) return end
  return start ? `${start.replace(/\/+$/, '')}/${end.replace(/^\/+/, '')}` : undefined
}

/** A path of the site, or an http or https address. */
export const isAddress = (text: string): boolean =>
  /^(?:\/(?![/\\])|https?:\/\/[^/])[^\s\p{Cc}]*$/iu.test(text)

/** Links of a header, from fields of these names; those in a menu of it are left out. */
function linksOf({ addresses, items, titles }: LinkFields) {
  const links = items.flatMap((item) => {
    const [title, url] = [firstText(item, ...titles), firstText(item, ...addresses)]
    if (title === undefined || url === undefined) return []
    return { title, url: /^(?:[a-z]+:|\/)/i.test(url) ? url : `/${url}` }
  })
  return links.filter(({ url }) => isAddress(url))
}

interface LinkFields {
  items: unknown[]
  titles: string[]
  addresses: string[]
}

interface More {
  /** Paths of the deploy, of which the first that exists is used. */
  logo?: string[]
  favicon?: string[]
  links?: LinkFields
  /** Where a page can be edited: a template, and the folder that its paths start from. A function is no template. */
  edit?: [template: string | undefined, folder: string]
}

/** The settings of a site from values that may be anything. */
export function settingsOf(
  { has }: GeneratorFolder,
  values: { title?: unknown; description?: unknown; language?: unknown; colour?: unknown },
  { edit: [template = '', folder] = ['', ''], favicon, links, logo }: More = {},
): NonNullable<Found['settings']> {
  const { colour, description, language, title } = values
  const tag = textOf(language)?.replaceAll('_', '-')
  const shown = links ? linksOf(links) : []
  const find = (paths: string[] = [], types: string[]) =>
    paths.find((path) => has(path) && types.includes(path.split('.').at(-1)?.toLowerCase() ?? ''))
  return definedOf({
    title: textOf(title),
    description: textOf(description),
    language: tag && /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(tag) ? tag : undefined,
    colour: toReadableColour(colour),
    logo: find(logo, imageTypes.logo),
    favicon: find(favicon, imageTypes.favicon),
    links: shown.length > 0 ? shown : undefined,
    edit: editLink(template, folder),
  })
}

export function definedOf<Value extends object>(values: Value) {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof Value]?: Exclude<Value[Name], undefined> }
}
