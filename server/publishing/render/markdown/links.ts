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

/** `source` is the path of the file that contains the link. */
export function resolveLink(href: string, source: string, targets: LinkTargets): string {
  const [, path = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(href) ?? []
  if (path === '' || /^([a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(path)) return href
  const target = joinPath(path.startsWith('/') ? '' : folderOf(source), path)
  if (target === undefined) return href
  const page = findPage(target, targets)
  if (page !== undefined) return hrefOf(page) + tail
  return targets.isFile(target) ? encodePath(target) + tail : href
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
