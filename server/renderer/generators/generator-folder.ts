// The folder of a generator's configuration in a deploy, and the values of that configuration, which come from outside: all of
// them may be missing or of another kind.
import { parse as parseToml } from 'smol-toml'
import { toReadableColour } from '../sources/colour.ts'
import type { Generator } from '../sources/generator.ts'
import { type Fields, recordOf, textOf } from '../sources/plain-values.ts'
import type { RenderInput } from '../sources/render-input.ts'
import { imageTypes } from '../sources/settings.ts'
import { decodeSource, readYamlFields } from '../sources/source-text.ts'
import { readLiterals } from './read-literals.ts'

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
  /** The text of a file; undefined if there is none. */
  text(path: string): string | undefined
  /** What a file of configuration says, in any of its forms; empty if it says nothing. A list is its field `items`. */
  fields(path: string): Fields
  note(what: string, line?: number, file?: string): void
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
  const load = (from: string) => (specifier: string) => {
    const path = joinPaths(folderIn(from), specifier)
    const found = ['', '.ts', '.js', '.mts', '.mjs', '/index.ts', '/index.js'].find(
      (end) => text(path + end) !== undefined,
    )
    return found === undefined
      ? undefined
      : { text: text(path + found) ?? '', load: load(path + found) }
  }
  function read(path: string): Fields {
    const content = text(path) ?? ''
    if (/\.json$/.test(path)) return fieldsOf(resultOf(() => JSON.parse(content)))
    if (/\.ya?ml$/.test(path)) return yamlOf(content, path)
    if (/\.toml$/.test(path)) return recordOf(resultOf(() => parseToml(content)))
    const { skipped, value } = readLiterals(content, load(path))
    for (const { line, name } of skipped) {
      if (taken.has(name)) note(name, line, path)
    }
    return fieldsOf(value)
  }
  const found = new Map<string, Fields>()
  return {
    file,
    folder: folderIn(file).replace(/(^|\/)\.[^/]+\/$/, '$1'),
    paths,
    has: (path) => known.has(path),
    text,
    // Once: a configuration may name the same file many times.
    fields: (path) => found.getOrInsertComputed(path, read),
    note: (what, line, at = file) => note(what, line, at),
  }
}

/** Fields of programs that matter to a site, and are noted if they are no data. */
const taken = new Set(
  'title description base baseUrl sidebar sidebars nav navbar docs redirects'.split(' '),
)

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

const fieldsOf = (value: unknown): Fields =>
  Array.isArray(value) ? { items: value } : recordOf(value)

export const folderIn = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** A path of the deploy, without steps: `docs/` and `../x.md` give `x.md`. */
export function joinPaths(folder: string, path: string): string {
  const parts: string[] = []
  for (const part of `${folder}${path}`.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}

/** The same as a folder: with `/` at its end, empty for all. */
export function joinFolder(folder: string, path: string): string {
  const joined = joinPaths(folder, path)
  return joined === '' ? '' : `${joined}/`
}

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

/** The settings of a site from values that may be anything. Images are paths of the deploy that exist. */
export function settingsOf(
  { has }: GeneratorFolder,
  values: { title?: unknown; description?: unknown; language?: unknown; colour?: unknown },
  images: { logo?: string[]; favicon?: string[] },
): NonNullable<Found['settings']> {
  const { colour, description, language, title } = values
  const tag = textOf(language)?.replaceAll('_', '-')
  const find = (paths: string[] = [], types: string[]) =>
    paths.find((path) => has(path) && types.includes(path.split('.').at(-1)?.toLowerCase() ?? ''))
  return definedOf({
    title: textOf(title),
    description: textOf(description),
    language: tag && /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(tag) ? tag : undefined,
    colour: toReadableColour(colour),
    logo: find(images.logo, imageTypes.logo),
    favicon: find(images.favicon, imageTypes.favicon),
  })
}

export function definedOf<Value extends object>(values: Value) {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof Value]?: Exclude<Value[Name], undefined> }
}
