// Resolves links between sources to their published addresses: `../api.md#top` in `guides/first.md` becomes `/api#top`.
// Links with an unknown target are unchanged, as on GitHub.
import { encodePath, folderOf, hrefOf } from '../sources/addresses.ts'

/** The targets of links. */
export interface LinkTargets {
  /** Paths of the pages by path of their source, and by that without its extension. */
  pages: ReadonlyMap<string, string>
  /** Paths of all pages, including those without a source. */
  pagePaths: ReadonlySet<string>
  /** Where another file is published, by its path in the deploy or on the site; undefined if there is none. */
  fileAt(path: string): string | undefined
  /** The path that addresses begin with at the generator; its folders of pages and of files that are served from the root. */
  base?: string
  roots?: readonly string[]
}

/** What is noticed about the links of a source. */
interface LinkWatch {
  /** `resolved`: the address in the HTML. */
  linksTo(page: string, href: string, source: string, resolved: string): void
  missing(href: string, source: string): void
}

/** `source` is the path of the file that contains the link. */
export function resolveLink(
  href: string,
  source: string,
  targets: LinkTargets,
  watch?: LinkWatch,
): string {
  const [, path = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(href) ?? []
  const own = path === '' ? targets.pages.get(source) : undefined
  if (own !== undefined) watch?.linksTo(own, href, source, href)
  if (path === '' || /^([a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(path)) return href
  let first: string | undefined
  for (const target of candidates(path, source, targets)) {
    first ??= target
    const page = findPage(target, targets)
    if (page !== undefined) {
      const resolved = hrefOf(page) + tail
      watch?.linksTo(page, href, source, resolved)
      return resolved
    }
    const file = targets.fileAt(target)
    if (file !== undefined) return encodePath(file) + tail
  }
  // The Markdown of a page is published beside it.
  const isMarkdown = first !== undefined && targets.pagePaths.has(first.replace(/\.md$/, '.html'))
  if (!isMarkdown) watch?.missing(href, source)
  return href
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

/** Undefined if it is not a path or is outside the root. */
function joinPath(folder: string, relative: string): string | undefined {
  let decoded: string
  try {
    decoded = decodeURIComponent(relative).normalize('NFC')
  } catch {
    return undefined
  }
  const parts = folder === '' ? [] : folder.slice(0, -1).split('/')
  const steps = decoded.split('/')
  for (const step of steps) {
    if (step === '' || step === '.') continue
    if (step !== '..') parts.push(step)
    else if (parts.pop() === undefined) return undefined
  }
  const isFolder = ['', '.', '..'].includes(steps.at(-1) ?? '') && parts.length > 0
  return isFolder ? `${parts.join('/')}/` : parts.join('/')
}
