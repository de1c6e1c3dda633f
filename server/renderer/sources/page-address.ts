// The addresses of pages: from the paths of their files, as the generator of the folder makes them, or as the front matter says.
// Other addresses that a page had, or has at another generator, lead to it.
import { folderOf, isMarkdown, joinPaths, navigationKey, pagePath } from './addresses.ts'
import type { FrontMatter } from './front-matter.ts'
import { type Generator, keepSegment, placeOf } from './generator.ts'

/** That of its folder (Docusaurus), then in order of preference. `_index` is Hugo's. */
const indexNames = ['.', 'readme', '_index', 'index']

/** The source of each folder's own page, by folder. A page of a language, such as README.de.md, is none. */
function findIndexes(sources: readonly string[], { name }: Generator): Map<string, string> {
  const nameOf = (source: string) => {
    const parts = source.toLowerCase().split(/\/|\.\w+$/)
    const [own = '', folder, ...above] = parts.slice(0, -1).reverse()
    return name === 'Docusaurus' && own === folder && above.length > 0 ? '.' : own
  }
  const named = Map.groupBy(sources.toReversed(), nameOf)
  const indexes = indexNames.flatMap((name) => named.get(name) ?? [])
  return new Map(indexes.map((source) => [folderOf(source), source]))
}

interface PageAddresses {
  /** The canonical path of its page, by its name alone. */
  own: string
  /** What the front matter says instead; undefined if it says nothing that can be an address. */
  chosen(title: string): string | undefined
  /** The paths that lead to the page, too: those of its front matter, and that of its file's name. */
  others: string[]
}

/** As in Docusaurus: the post `a/2020-05-27-flat` is at `2020/05/27/a/flat`. In MkDocs, its fields give date and name. */
const dated = /^(.*)(\d{4})[-/](\d{1,2})[-/](\d{1,2})[-/]?(?=.)/

/** `sources`: of all pages. */
export function createPageAddresses(
  sources: readonly string[],
  generator: Generator,
): (source: string, front: FrontMatter) => PageAddresses {
  const { name, segment } = generator
  const indexes = findIndexes(sources, generator)
  return (source, { address, aliases, date, id, slug: given }) => {
    const { mount, path } = placeOf(source, generator) ?? { mount: undefined, path: source }
    const at = mount?.at ?? ''
    const isIndex = indexes.get(folderOf(source)) === source
    const file = isIndex ? `${folderOf(path)}index.html` : pagePath(path)
    const own = at + file.slice(at.length).split('/').map(segment).join('/')
    const post = own.slice(at.length, -'.html'.length)
    const ofDate =
      mount?.isDated && dated.test(post) ? post.replace(dated, '$2/$3/$4/$1') : undefined
    const ofName = given ?? (name === 'Docusaurus' && !isIndex ? id : undefined) ?? ofDate
    const isPost = mount?.isDated && name === 'MkDocs'
    const ofFields = (title: string) =>
      isPost && date && `../${date.replaceAll('-', '/')}/${given ?? generator.slug(title)}`
    const chosen = (title: string) => {
      if (address !== undefined) return pathFrom('', address, own)
      const slug = ofFields(title) || ofName
      const isFromRoot = slug?.startsWith('/') || name === 'Starlight' || mount?.isDated
      return slug && pathFrom(isFromRoot ? at : folderOf(own), slug, own)
    }
    const plain = pagePath(path)
    const isOther = segment !== keepSegment && !/(?:^|\/)(?:_?index|readme)\.html$/i.test(plain)
    const earlier = aliases.map((alias) =>
      pathFrom(alias.startsWith('/') ? '' : folderOf(own), alias, own),
    )
    const others = [isOther ? plain : own, own, ...earlier].filter((each) => each !== undefined)
    return { own, chosen, others }
  }
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
