// Resolves links between sources to their published addresses: `../api.md#top` in `guides/first.md` becomes `/api#top`.
// Links with an unknown target are unchanged, as on GitHub.
import { encodePath, folderOf, hrefOf } from '../sources/addresses.ts'

/** The targets of links. */
export interface LinkTargets {
  /** Paths of the pages by path of their source. */
  pages: ReadonlyMap<string, string>
  /** Paths of all pages, including those without a source. */
  pagePaths: ReadonlySet<string>
  /** Whether a file other than a page is published at this path. */
  isFile(path: string): boolean
}

/** What is noticed about the links of a source. */
interface LinkWatch {
  linksTo(page: string, href: string, source: string): void
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
  if (own !== undefined) watch?.linksTo(own, href, source)
  if (path === '' || /^([a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(path)) return href
  const target = joinPath(path.startsWith('/') ? '' : folderOf(source), path)
  const page = target === undefined ? undefined : findPage(target, targets)
  if (page !== undefined) {
    watch?.linksTo(page, href, source)
    return hrefOf(page) + tail
  }
  if (target !== undefined && targets.isFile(target)) return encodePath(target) + tail
  // The Markdown of a page is published beside it.
  const isMarkdown = target !== undefined && targets.pagePaths.has(target.replace(/\.md$/, '.html'))
  if (!isMarkdown) watch?.missing(href, source)
  return href
}

function findPage(target: string, { pages, pagePaths }: LinkTargets): string | undefined {
  const folder = target === '' || target.endsWith('/') ? target : `${target}/`
  const candidates =
    target === folder
      ? [`${target}index.html`]
      : [pages.get(target) ?? target, `${target}.html`, `${folder}index.html`]
  return candidates.find((path) => pagePaths.has(path))
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
