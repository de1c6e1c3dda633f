// The problems of the sources, for the build report: links and images without a target (a page, a file, an anchor), with the
// line that has them, pages that nothing leads to, and problems of the OpenAPI document.
import {
  type BuildReport,
  type DeployFailure,
  maxProblems,
  type SourceProblem,
} from './site-files/site-file.ts'
import { hrefOf, isPageSource } from './sources/addresses.ts'
import { cut } from './sources/plain-text.ts'
import type { SourcePage } from './sources/read-pages.ts'

const maxTextLength = 200
const image = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|bmp)$/i
/** Created with each site (render-site.ts). */
const machineFile =
  /^\/?(?:sitemap\.xml|robots\.txt|llms\.txt|favicon\.\w+|404(?:\.html)?|_site\/.*)$/

/** A link to a part of a page. */
interface Anchored {
  page: string
  href: string
  source: string
}

/** Further ones are not checked. */
const maxAnchored = 100_000

export function createProblemLog(sources: ReadonlyMap<string, Uint8Array>) {
  const report: BuildReport = { total: 0, items: [] }
  const linked = new Set<string>()
  const anchored: Anchored[] = []
  /** The `id` attributes of each page, in one string. */
  const ids = new Map<string, string>()
  /** Where the search for the next equal link of a source begins. */
  const searched = new Map<string, number>()
  const lines = new Map<string, string[]>()

  function add(problem: SourceProblem): void {
    report.total++
    if (report.items.length < maxProblems) report.items.push(problem)
  }

  function linesOf(source: string): string[] {
    // Pages are rendered one after the other.
    if (!lines.has(source)) {
      lines.clear()
      lines.set(source, new TextDecoder().decode(sources.get(source)).split(/\r\n|\n|\r/))
    }
    return lines.get(source) ?? []
  }

  function findLine(source: string, href: string): number | undefined {
    const key = `${source} ${href}`
    const forms = [href, decoded(href)]
    const from = searched.get(key) ?? 0
    const index = linesOf(source).findIndex(
      (line, i) => i >= from && forms.some((form) => line.includes(form)),
    )
    if (index < 0) return undefined
    searched.set(key, index + 1)
    return index
  }

  function addLink(kind: SourceProblem['kind'], message: string, href: string, file: string): void {
    // Beyond the kept ones, only their number is shown.
    const at = report.items.length < maxProblems ? findLine(file, href) : undefined
    const text =
      at === undefined ? null : (linesOf(file)[at]?.trim().slice(0, maxTextLength) ?? null)
    add({ kind, message, file, line: at === undefined ? null : at + 1, text })
  }

  return {
    report,
    /** A page that a page links to, maybe itself. */
    linksTo(page: string, href: string, source: string): void {
      if (!/^[?#]/.test(href)) linked.add(page)
      const isChecked = isPageSource(source) && anchored.length < maxAnchored
      if (isChecked && anchorOf(href) !== '') anchored.push({ page, href, source })
    },
    /** The HTML of a page. */
    rendered(page: string, html: string): void {
      ids.set(page, html.match(/ id="[^"]*"/g)?.join('') ?? '')
    },
    /** An address of a source without a target in the site. */
    missing(href: string, source: string): void {
      const [path = ''] = href.split(/[?#]/, 1)
      if (!isPageSource(source) || machineFile.test(path)) return
      const shown = cut(href, maxTextLength)
      const isImage = image.test(path)
      const message = isImage
        ? `There is no image ${shown}. Add the file, or correct its path.`
        : `There is no page or file ${shown}. Correct the link, or add the page.`
      addLink(isImage ? 'missing_image' : 'broken_link', message, href, source)
    },
    /** A problem of the OpenAPI document. */
    inDocument({ message, file = '', line }: DeployFailure): void {
      const isKept = line !== undefined && report.items.length < maxProblems
      const text = isKept ? linesOf(file)[line - 1]?.trim().slice(0, maxTextLength) : undefined
      add({ kind: 'bad_openapi', message, file, line: line ?? null, text: text ?? null })
    },
    /** Finds broken anchors, and pages that nothing leads to. To be called after all pages were rendered. */
    finish(pages: readonly SourcePage[]): void {
      for (const [page, links] of Map.groupBy(anchored, (link) => link.page)) {
        const ownIds = new Set(ids.get(page)?.split(' id='))
        for (const { href, source } of links) {
          const anchor = anchorOf(href)
          if (ownIds.has(`"${anchor}"`) || anchor.toLowerCase() === 'top') continue
          const message = `The page ${hrefOf(page)} has no anchor #${cut(anchor, maxTextLength)}. Correct the link, or add the heading.`
          addLink('broken_link', message, href, source)
        }
      }
      for (const { nav, path, source } of pages) {
        if (nav || path === '404.html' || path === 'index.html' || linked.has(path)) continue
        const message =
          'No page links to this page, and it is not in the navigation (nav: false). Link to it, or remove nav: false.'
        add({ kind: 'orphan_page', message, file: source, line: null, text: null })
      }
    },
  }
}

/** The part of a page that an address names, without a text to be highlighted (`:~:text=…`); empty if none. */
const anchorOf = (href: string): string =>
  decoded(href.match(/#(.*)$/s)?.[1]?.split(':~:', 1)[0] ?? '')

function decoded(href: string): string {
  try {
    return decodeURI(href)
  } catch {
    return href
  }
}
