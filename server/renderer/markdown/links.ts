// Resolves links between sources to their published addresses: `../api.md#top` in `guides/first.md` becomes `/api#top`.
// Links with an unknown target are unchanged, as on GitHub.
import { encodePath, folderOf, hrefOf, joinPath } from '../sources/addresses.ts'

/** The targets of links. */
export interface LinkTargets {
  /** Paths of the pages by path of their source, and by that without its extension. */
  pages: ReadonlyMap<string, string>
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
  const { base = '', origin, pages } = targets
  const [, address = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(href) ?? []
  const own = `${origin}/${base}`
  const isOwn = origin !== undefined && `${address}/`.startsWith(own)
  const written = isOwn ? `/${address.slice(own.length)}` : address
  const path = written.replace(rootNames, '/')
  const page = path === '' ? pages.get(source) : undefined
  if (page !== undefined) watch?.linksTo(page, href, source, href)
  if (path === '' || /^([a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(path)) return href
  let first: string | undefined
  const found = (target: string): string | undefined => {
    const page = findPage(target, targets)
    const file = page === undefined ? targets.fileAt(target) : undefined
    if (page === undefined) return file === undefined ? undefined : encodePath(file) + tail
    const resolved = hrefOf(page) + tail
    watch?.linksTo(page, href, source, resolved)
    return resolved
  }
  for (const target of candidates(path, source, targets)) {
    first ??= target
    const resolved = found(target)
    if (resolved !== undefined) return resolved
  }
  if (isOwn) return href
  // The Markdown of a page is published beside it.
  if (first !== undefined && targets.pagePaths.has(first.replace(/\.md$/, '.html'))) return href
  if (targets.redirects?.has(path.replace(/(?<=.)\/$/, ''))) return href
  const { byName, byPath, folders } = similarTargets(targets)
  // With a prefix that the site used to have, or in a language into which the page was not translated.
  const [, prefix = '', rest = ''] = /^\/([^/]+)\/(.+)$/.exec(path) ?? []
  const isPrefix =
    prefix !== '' && (!folders.has(prefix) || /^[a-z]{2}(?:-\w{2,4})?$/i.test(prefix))
  for (const target of [first, isPrefix ? joinPath('', rest) : undefined]) {
    const same = target === undefined ? undefined : byPath.get(folded(target))
    const resolved = same ? found(same) : undefined
    if (resolved !== undefined) return resolved
  }
  const direct = joinPath(path.startsWith('/') ? '' : folderOf(source), path)
  watch?.missing(href, source, adviceFor(path, direct, targets, byName))
  return href
}

/** What generators write for the root of the site: `@/`, `{{site.baseurl}}`, also encoded. */
const rootNames =
  /^(?:@\/|(?:\{\{|%7B%7B)(?: |%20)*(?:site|page)\.(?:base_?url|url)(?: |%20)*(?:\}\}|%7D%7D)\/*)/i

interface SimilarTargets {
  size: number
  /** Targets by their folded path, and by its last part; null for more than one. */
  byPath: Map<string, string | null>
  byName: Map<string, string | null>
  /** The folders at the root. */
  folders: Set<string>
}

const similar = new WeakMap<LinkTargets, SimilarTargets>()

function similarTargets(targets: LinkTargets): SimilarTargets {
  const { filePaths = new Set<string>(), pagePaths, pages } = targets
  const size = pagePaths.size + pages.size
  const known = similar.get(targets)
  // Pages are added while the site is planned.
  if (known?.size === size) return known
  const made: SimilarTargets = {
    size,
    byPath: new Map(),
    byName: new Map(),
    folders: new Set(),
  }
  const add = (map: Map<string, string | null>, key: string, target: string) =>
    map.set(key, map.has(key) && map.get(key) !== target ? null : target)
  for (const path of [...pagePaths, ...filePaths.keys()]) {
    add(made.byPath, folded(path), path)
    add(made.byName, nameOf(path), path)
    if (path.includes('/')) made.folders.add(path.split('/', 1)[0] ?? '')
  }
  for (const [source, path] of pages) add(made.byPath, folded(source), path)
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

const nameOf = (path: string): string => folded(path).split('/').at(-1) ?? ''

function adviceFor(
  path: string,
  target: string | undefined,
  { isDeployed, pagePaths }: LinkTargets,
  byName: SimilarTargets['byName'],
): string | undefined {
  if (target === undefined) {
    const outside = 'It is outside of the deployed folder: link to where it is published.'
    return path.includes('../') ? outside : undefined
  }
  if (isDeployed?.(target))
    return 'The folder has it, but it is not published: link to it in your repository.'
  const near = byName.get(nameOf(target))
  if (!near || nameOf(target) === '') return undefined
  return `Did you mean ${pagePaths.has(near) ? hrefOf(near) : encodePath(near)}?`
}

/** The page at a path of the deploy, with or without extension, or at an address of the site; undefined if there is none. */
export function pageAt(to: string, targets: LinkTargets): string | undefined {
  const [path = ''] = to.split(/[?#]/, 1)
  const own = targets.pages.get(path)
  if (own !== undefined) return own
  for (const target of candidates(`/${path.replace(/^\/+/, '')}`, '', targets)) {
    const page = findPage(target, targets)
    if (page !== undefined) return page
  }
  return undefined
}

/** What a link may mean, in the folder of its source first, then at the address of its page, and from the roots. */
function* candidates(path: string, source: string, targets: LinkTargets): Generator<string> {
  const { base = '', pages, roots = [] } = targets
  const own = pages.get(source)
  const isAbsolute = path.startsWith('/')
  const folders = isAbsolute ? [''] : [folderOf(source)]
  if (!isAbsolute && own !== undefined) {
    folders.push(folderOf(own))
    if (!own.endsWith('index.html')) folders.push(own.replace(/\.html$/, '/'))
  }
  const isInBase = base !== '' && path.startsWith(`/${base}`)
  if (isInBase) path = path.slice(base.length)
  for (const folder of [...folders, ...roots]) {
    const target = joinPath(folder, path)
    if (target !== undefined) yield target
  }
  if (isInBase) yield* candidates(`/${base}${path.slice(1)}`, source, { ...targets, base: '' })
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
