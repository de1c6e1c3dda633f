// Resolves links between sources to their published addresses: `../api.md#top` in `guides/first.md` becomes `/api#top`.
// Links with an unknown target are unchanged, as on GitHub.
import { encodePath, folderOf, hrefOf, joinPath } from '../sources/addresses.ts'

/** Where labels, and the addresses of pages, lead, and what is there. */
export type Labels = Map<string, { href: string; title: string }>

/** The targets of links. */
export interface LinkTargets {
  /** Paths of the pages by path of their source, and by that without its extension. */
  pages: ReadonlyMap<string, string>
  labels?: Labels
  /** Paths of all pages, including those without a source. */
  pagePaths: ReadonlySet<string>
  /** Where another file is published, by its path in the deploy or on the site; undefined if there is none. */
  fileAt(path: string): string | undefined
  /** Paths of all other published files. */
  filePaths?: ReadonlySet<string> | ReadonlyMap<string, unknown>
  /** Whether the deploy has this file, published or not. */
  isDeployed?(path: string): boolean
  /** The path that addresses begin with at the generator; its folders of pages and of files that are served from the root. */
  base?: string
  /** Links to this origin lead to the pages that are here. */
  origin?: string | undefined
  /** Other addresses of the site that lead somewhere, without slashes at the end. */
  redirects?: ReadonlySet<string>
  roots?: readonly string[]
  /** The folders of the languages by which sources are named: their links lead to pages of the same language. */
  languages?: ReadonlyMap<string, string>
}

/** What is noticed about the links of a source. */
interface LinkWatch {
  /** `resolved`: the address in the HTML. */
  linksTo(page: string, href: string, source: string, resolved: string): void
  /** `advice`: a sentence that says how to fix it, if more is known than that the target is missing. */
  missing(href: string, source: string, advice?: string): void
}

/** `source` is the path of the file that contains the link. */
export function resolveLink(
  href: string,
  source: string,
  targets: LinkTargets,
  watch?: LinkWatch,
): string {
  const { base = '', labels, origin, pagePaths, pages, redirects } = targets
  const [, address = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(labels?.get(href)?.href ?? href) ?? []
  const own = `${origin}/${base}`
  const isOwn = origin !== undefined && `${address}/`.startsWith(own)
  const path = (isOwn ? `/${address.slice(own.length)}` : address).replace(rootNames, '/')
  const page = path === '' ? pages.get(source) : undefined
  if (page !== undefined) watch?.linksTo(page, href, source, href)
  if (path === '' || /^([a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(path)) return href
  const language = targets.languages?.get(source) ?? ''
  const resolved = (found: Iterable<string>): string | undefined => {
    for (const target of found) {
      const known = findPage(target, targets)
      const translated = language && findPage(language + (known ?? target), targets)
      const page = translated || known
      const file = page ?? targets.fileAt(target)
      if (file === undefined) continue
      const to = (page === undefined ? encodePath(file) : hrefOf(page)) + tail
      if (page !== undefined) watch?.linksTo(page, href, source, to)
      return to
    }
    return undefined
  }
  const exact = resolved(candidates(path, source, targets))
  if (exact !== undefined || isOwn) return exact ?? href
  const { value: first } = candidates(path, source, targets).next()
  // The Markdown of a page is published beside it.
  const isMarkdown = first && pagePaths.has(first.replace(/\.md$/, '.html'))
  if (isMarkdown || redirects?.has(path.replace(/(?<=.)\/$/, ''))) return href
  const { folders, known } = similarTargets(targets)
  // With a prefix that the site used to have, or in a language into which the page was not translated.
  const [, prefix = '', rest = ''] = /^\/([^/]+)\/(.+)$/.exec(path) ?? []
  const isPrefix = !folders.has(prefix) || /^[a-z]{2}(?:-\w{2,4})?$/i.test(prefix)
  const wanted = [first, rest !== '' && isPrefix ? joinPath('', rest) : undefined]
  const alike = wanted.flatMap((target) => (target && known.get(folded(target))) || [])
  const found = resolved(alike)
  if (found === undefined) watch?.missing(href, source, adviceFor(path, source, targets))
  return found ?? href
}

/** What generators write for the root of the site: `@/`, `{{site.baseurl}}`, also encoded. */
const rootNames =
  /^(?:@\/|(?:\{\{|%7B%7B)(?: |%20)*(?:site|page)\.(?:base_?url|url)(?: |%20)*(?:\}\}|%7D%7D)\/*)/i

/** All targets by their folded path, and by the last part of it; null for more than one. And the folders at the root. */
function readTargets({ filePaths = new Set<string>(), pagePaths, pages }: LinkTargets) {
  const known = new Map<string, string | null>()
  const add = (key: string, target: string) =>
    known.set(key, known.has(key) && known.get(key) !== target ? null : target)
  const paths = [...pagePaths, ...filePaths.keys()]
  for (const path of paths) {
    add(folded(path), path)
    add(lastPart(path), path)
  }
  for (const [source, path] of pages) add(folded(source), path)
  const folders = new Set(paths.flatMap((path) => /^[^/]+(?=\/)/.exec(path)?.[0] ?? []))
  return { known, folders, size: pagePaths.size + pages.size }
}

const similar = new WeakMap<LinkTargets, ReturnType<typeof readTargets>>()

function similarTargets(targets: LinkTargets) {
  const read = similar.get(targets)
  // Pages are added while the site is planned.
  if (read?.size === targets.pagePaths.size + targets.pages.size) return read
  const made = readTargets(targets)
  similar.set(targets, made)
  return made
}

/** Without case, and without the extension and the index of a page. */
const folded = (path: string): string =>
  path
    .toLowerCase()
    .replace(/\.(?:mdx?|markdown|html?)$/, '')
    .replace(/(?:^|\/)(?:index|readme)$/, '')
    .replace(/\/$/, '')

/** No path begins like this. */
const lastPart = (path: string): string => `//${folded(path).split('/').at(-1)}`

function adviceFor(path: string, source: string, targets: LinkTargets): string | undefined {
  const target = joinPath(path.startsWith('/') ? '' : folderOf(source), path)
  if (target === undefined && path.includes('../'))
    return 'It is outside of the deployed folder: link to where it is published.'
  if (target === undefined || lastPart(target) === '//') return undefined
  if (targets.isDeployed?.(target))
    return 'The folder has it, but it is not published: link to it in your repository.'
  const near = similarTargets(targets).known.get(lastPart(target))
  if (!near) return undefined
  return `Did you mean ${targets.pagePaths.has(near) ? hrefOf(near) : encodePath(near)}?`
}

/** The page at a path of the deploy, with or without extension, or at an address of the site; undefined if there is none. */
export function pageAt(to: string, targets: LinkTargets): string | undefined {
  const [path = ''] = to.split(/[?#]/, 1)
  const found = candidates(`/${path.replace(/^\/+/, '')}`, '', targets)
  return targets.pages.get(path) ?? found.map((target) => findPage(target, targets)).find(Boolean)
}

/** What a link may mean, in the folder of its source first, then at the address of its page, and from the roots. */
function* candidates(path: string, source: string, targets: LinkTargets): Generator<string> {
  const { base = '', pages, roots = [] } = targets
  const own = path.startsWith('/') ? undefined : pages.get(source)
  const folders = [path.startsWith('/') ? '' : folderOf(source)]
  const asFolder = own?.replace(/((?<=^|\/)index)?\.html$/, (_, index) => (index ? '' : '/'))
  if (own !== undefined && asFolder !== undefined) folders.push(folderOf(own), asFolder)
  const isInBase = base !== '' && path.startsWith(`/${base}`)
  for (const written of isInBase ? [path.slice(base.length), path] : [path]) {
    for (const folder of [...folders, ...roots]) {
      const target = joinPath(folder, written)
      if (target !== undefined) yield target
    }
  }
}

function findPage(target: string, { pages, pagePaths }: LinkTargets): string | undefined {
  const name = target.replace(/\/$/, '')
  const folder = name === '' ? '' : `${name}/`
  const index = `${folder}index.html`
  const paths =
    target === folder
      ? [index, pages.get(`${folder}index`), pages.get(name), `${name}.html`]
      : [pages.get(target), target, `${target}.html`, index]
  return paths.find((path) => path !== undefined && pagePaths.has(path))
}
