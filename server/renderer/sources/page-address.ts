// The addresses of pages: from the paths of their files, as the generator of the folder makes them, or as the front matter says.
// Other addresses that a page had, or has at another generator, lead to it.
import { folderOf, hrefOf, isMarkdown, joinPaths, navigationKey, pagePath } from './addresses.ts'
import type { FrontMatter } from './front-matter.ts'
import { type Generator, keepSegment, placeOf } from './generator.ts'

/** In order of preference. `_index` is Hugo's. */
const indexNames = ['index', '_index', 'readme']

/** The source of each folder's own page, by folder. A page of a language, such as README.de.md, is none. */
export function findIndexes(paths: readonly string[], { name }: Generator): Map<string, string> {
  const indexes = new Map<string, string>()
  const nameOf = (path: string) =>
    path
      .slice(folderOf(path).length)
      .toLowerCase()
      .replace(/\.\w+$/, '')
  const isNamed = indexNames.map((each) => (path: string) => nameOf(path) === each)
  const isOfFolder = (path: string) =>
    folderOf(path)
      .toLowerCase()
      .endsWith(`/${nameOf(path)}/`)
  for (const isIndex of name === 'docusaurus' ? [...isNamed, isOfFolder] : isNamed) {
    for (const path of paths) {
      if (isIndex(path)) indexes.getOrInsert(folderOf(path), path)
    }
  }
  return indexes
}

/** The canonical path of its page, by its name alone. */
export function ownPath(
  source: string,
  indexes: ReadonlyMap<string, string>,
  generator: Generator,
): string {
  const place = placeOf(source, generator)
  const path = place?.path ?? source
  const at = place?.mount.at ?? ''
  const isIndex = indexes.get(folderOf(source)) === source
  const file = isIndex ? `${folderOf(path)}index.html` : pagePath(path)
  const segments = file.slice(at.length).split('/')
  return at + segments.map(generator.segment).join('/')
}

/** What the front matter says instead; undefined if it says nothing that can be an address. */
export function chosenPath(
  { address, slug }: FrontMatter,
  source: string,
  own: string,
  generator: Generator,
): string | undefined {
  const at = placeOf(source, generator)?.mount.at ?? ''
  if (address !== undefined) return pathFrom('', address, own)
  if (slug === undefined) return undefined
  const isFromRoot = slug.startsWith('/') || generator.name === 'starlight'
  return pathFrom(isFromRoot ? at : folderOf(own), slug, own)
}

/** The addresses that lead to a page: those of its front matter, and those of its file's name. Without slashes at the end. */
export function aliasesOf(
  aliases: readonly string[],
  { own, path, source }: { own: string; path: string; source: string },
  generator: Generator,
): string[] {
  const plain = pagePath(placeOf(source, generator)?.path ?? source)
  const isOther =
    generator.segment !== keepSegment && !/(?:^|\/)(?:_?index|readme)\.html$/i.test(plain)
  const names = [...(isOther ? [plain] : []), own]
  const given = aliases.map((alias) =>
    pathFrom(alias.startsWith('/') ? '' : folderOf(own), alias, own),
  )
  const others = [...names, ...given].filter((name) => name !== undefined && name !== path)
  return [...new Set(others.map((name) => hrefOf(name ?? '').replace(/(?<=.)\/$/, '')))]
}

/** What links and navigations call a page, apart from its source: without its extension, by its `id`, without numbers. */
export function keysOf(
  { id, source }: { id?: string; source: string },
  generator: Generator,
): string[] {
  const mount = placeOf(source, generator)?.mount.folder ?? ''
  const keys = [source.replace(/\.\w+$/, ''), navigationKey(source)]
  if (id !== undefined) keys.push(folderOf(source) + id)
  const inside = keys.map((key) => key.slice(mount.length).split('/').map(generator.segment))
  return [...new Set([...keys, ...inside.map((parts) => mount + parts.join('/'))])]
}

/** The place of a file whose number the generator drops from the address. */
export function numberOf(
  source: string,
  { segment }: Pick<Generator, 'segment'>,
): number | undefined {
  const name = source.slice(folderOf(source).length)
  return /^\d/.test(name) && segment(name) !== name ? Number.parseInt(name, 10) : undefined
}

/** `own` if it is the same address. */
function pathFrom(folder: string, address: string, own: string): string | undefined {
  if (/[:{}*\\?#\p{Cc}]/u.test(address) || address.length > 500) return undefined
  const parts = address.normalize('NFC').split('/')
  const joined = joinPaths(folder, parts.map((part) => part.trim()).join('/'))
  const name = joined.replace(/(?:^|\/)index\.html?$|\.html?$/, '')
  if (isMarkdown(name) || name.startsWith('_site/')) return undefined
  const index = name === '' ? 'index.html' : `${name}/index.html`
  return index === own || name === '' ? index : `${name}.html`
}
