// What is wrong with the sources without stopping the build, for the build report: links, anchors and images without a target,
// files and syntax that are not rendered, and whatever else the parts of the renderer count here. Equal problems are one line
// with their number and their first place. Memory is bounded, however many there are.
import type { Token } from 'markdown-it'
import type { Labels } from '../markdown/links.ts'
import {
  type BuildReport,
  type FoundGenerator,
  maxProblems,
  type ProblemKind,
  type SourceProblem,
  severities,
  sourceProblem,
} from '../site-files/site-file.ts'
import { hrefOf } from '../sources/addresses.ts'
import { cut } from '../sources/plain-text.ts'
import type { SourcePage } from '../sources/read-pages.ts'
import { anchorOf, createAnchors } from './anchors.ts'
import { readTokens } from './raw-syntax.ts'

const maxTextLength = 200
const maxMessageLength = 500
const image = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|bmp)$/i
/** Created with each site (render-site.ts). */
const machineFile =
  /^\/?(?:sitemap\.xml|robots\.txt|llms\.txt|favicon\.\w+|404(?:\.html)?|_site\/.*)$/

/** Beyond this number of different problems, equal ones are counted again; there may be as many errors beside the others. */
const maxDistinct = 10_000

/** The message of a problem from what it is about. Others are about their message. */
const messages: Partial<Record<ProblemKind, (what: string) => string>> = {
  not_rendered: (what) =>
    `Files of the format ${what} have no page, and are published as downloads. Convert them to Markdown.`,
  missing_include: (what) =>
    `There is no file ${what} to include. Add it to the folder, or correct its path.`,
  removed_element: (what) =>
    `The element ${what} is not supported, and is removed with its content. Link to it instead.`,
  unknown_syntax: (what) =>
    `The syntax ${what} is not supported, and is shown as text. Write it as Markdown.`,
  unknown_component: (what) =>
    `The component ${what} is not supported: only its content is shown. Write it as Markdown.`,
  setting_not_used: (what) => `The setting ${what} is not used.`,
}

/** `file`: the path of the source; `line` counts from 1. */
type ProblemPlace = Pick<SourceProblem, 'file'> & { line?: number | undefined }

export type ProblemLog = ReturnType<typeof createProblemLog>

export function createProblemLog(sources: ReadonlyMap<string, Uint8Array>) {
  let total = 0
  let generator: FoundGenerator | undefined
  /** By what they are about. */
  const problems = new Map<string, SourceProblem>()
  const linked = new Set<string>()
  /** Of the page that is being rendered: the lines of each address. */
  let links = { file: '', lines: new Map<string, number[]>() }
  /** Where the lines of the Markdown of each source are in it. */
  const pageLines = new Map<string, Pick<SourcePage, 'firstLine' | 'lines'>>()

  /** `what`: what the problem is about, such as the name of a component, or a message that says how to fix it. */
  function count(kind: ProblemKind, what: string, { file, line }: ProblemPlace): void {
    const shown = cut(what, maxMessageLength)
    const message = messages[kind]?.(shown) ?? shown
    const problem = sourceProblem({ kind, message, file, line: line ?? null, text: null })
    const known = problems.get(`${kind} ${message}`)
    if (known) known.count++
    else total++
    const limit = problem.severity === 'error' ? 2 * maxDistinct : maxDistinct
    if (problems.size < limit) problems.getOrInsert(`${kind} ${message}`, problem)
  }

  /** `line` counts from 0 in the Markdown that was parsed, which may include other files. */
  function lineIn(file: string, line: number | undefined): number | undefined {
    const { firstLine = 1, lines: own } = pageLines.get(file) ?? {}
    return line === undefined ? undefined : (own?.[line] ?? line) + firstLine
  }

  function lineOfLink(file: string, href: string): number | undefined {
    const lines = (file === links.file && links.lines.get(href)) || []
    return lineIn(file, lines.length > 1 ? lines.shift() : lines[0])
  }

  /** What was not understood in a page. `line` counts from 0 below the front matter. */
  function note(file: string, kind: ProblemKind, what: string, line?: number): void {
    if (pageLines.has(file)) count(kind, what, { file, line: lineIn(file, line) })
  }

  const labels: Labels = new Map()
  const anchors = createAnchors(labels, ({ anchor, line, page, source }, near) => {
    const advice = near ? `Did you mean #${near}?` : 'Correct the link, or add the heading.'
    const name = cut(anchor, maxTextLength)
    const message = `The page ${hrefOf(page)} has no anchor #${name}. ${advice}`
    count('dead_anchor', message, { file: source, line })
  })

  return {
    count,
    /** To be filled before pages are rendered. */
    labels,
    /** The generator that the folder was written for. */
    setGenerator(found: FoundGenerator): void {
      generator = found
    },
    setPages(pages: readonly SourcePage[]): void {
      for (const page of pages) pageLines.set(page.source, page)
    },
    note,
    /** To be called before the links of a page are resolved. */
    parsed(file: string, tokens: readonly Token[]): void {
      links = { file, lines: readTokens(tokens, (...what) => note(file, ...what)) }
    },
    /** To be called with each rendered page, which it returns once its links to parts of pages are right. */
    rendered: anchors.rendered,
    rest: anchors.finish,
    /** A page that a page links to, maybe itself, and the address in its HTML. */
    linksTo(page: string, href: string, source: string, resolved: string): void {
      if (!/^[?#]/.test(href)) linked.add(page)
      const anchor = anchorOf(resolved)
      if (anchor === '' || !pageLines.has(source)) return
      anchors.add({ page, href: resolved, anchor, source, line: lineOfLink(source, href) })
    },
    /** An address of a source without a target in the site. `advice`: how to fix it, if that is known. */
    missing(href: string, source: string, advice?: string): void {
      const [path = ''] = href.split(/[?#]/, 1)
      if (!pageLines.has(source) || machineFile.test(path)) return
      const place = { file: source, line: lineOfLink(source, href) }
      if (/(?:\{|%7B)(?:\{|%7B|%)/i.test(href)) {
        count('unknown_syntax', '{{ … }} in an address', place)
        return
      }
      const [kind, target, usual] = image.test(path)
        ? (['missing_image', 'image', 'Add the file, or correct its path.'] as const)
        : (['broken_link', 'page or file', 'Correct the link, or add the page.'] as const)
      count(kind, `There is no ${target} ${cut(href, maxTextLength)}. ${advice ?? usual}`, place)
    },
    /** To be called after all pages were rendered: finds pages that nothing leads to. */
    finish(pages: readonly SourcePage[]): BuildReport {
      for (const { nav, path, source } of pages) {
        if (nav || path === '404.html' || path === 'index.html' || linked.has(path)) continue
        const message =
          'No page links to this page, and it is not in the navigation (nav: false). Link to it, or remove nav: false.'
        count('orphan_page', message, { file: source })
      }
      const items = severities
        .flatMap((severity) => [...problems.values()].filter((each) => each.severity === severity))
        .slice(0, maxProblems)
      for (const [file, found] of Map.groupBy(items, (item) => item.file)) {
        const lines = new TextDecoder().decode(sources.get(file)).split(/\r\n|\n|\r/)
        for (const item of found) {
          const text = item.line === null ? undefined : lines[item.line - 1]
          item.text = text?.trim().slice(0, maxTextLength) ?? null
        }
      }
      return { total, items, ...(generator && { generator }) }
    },
  }
}
