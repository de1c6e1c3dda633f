// The folder of a generator's configuration in a deploy, and the values of that configuration, which come from outside: all of
// them may be missing or of another kind.
import { parse as parseToml } from 'smol-toml'
import { readLiterals, unparsed } from '../mdx/read-literals.ts'
import { folderOf, joinPaths } from '../sources/addresses.ts'
import type { Mount } from '../sources/generator.ts'
import { type Fields, recordOf } from '../sources/plain-values.ts'
import type { RenderInput } from '../sources/render-input.ts'
import { decodeSource, readYamlFields } from '../sources/source-text.ts'

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

/** The folder of a configuration, without the hidden or fixed ones that it is in. */
export const rootOf = (file: string): string =>
  folderOf(file).replace(/(^|\/)(?:\.[^/]+|config\/_default)\/.*$/, '$1')

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
    folder: rootOf(file),
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

export const isWeb = (address: string): boolean => /^https?:\/\//i.test(address)

/** The address of a template; undefined if it has no start. */
export function joinAddress(start: string | undefined, end: string | undefined) {
  if (end === undefined || isWeb(end)) return end
  return start ? `${start.replace(/\/+$/, '')}/${end.replace(/^\/+/, '')}` : undefined
}

export function definedOf<Value extends object>(values: Value) {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof Value]?: Exclude<Value[Name], undefined> }
}
