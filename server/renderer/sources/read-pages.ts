// Reads the Markdown files of a site as far as its navigation needs them: paths, titles and order of the pages. The address of
// a page is that of the generator that it was written for; its file's own name leads there, too.

import { DeployFailure, type ProblemKind } from '../site-files/site-file.ts'
import { folderOf, hrefOf, isPageSource, readableName } from './addresses.ts'
import { type FrontMatter, readFrontMatter } from './front-matter.ts'
import { type Generator, noGenerator, placeOf } from './generator.ts'
import { homeMarkdown } from './home-page.ts'
import { createIncludes } from './includes.ts'
import { createPageAddresses, numberOf } from './page-address.ts'
import { inside, textOf } from './plain-values.ts'
import { decodeSource } from './source-text.ts'

export interface SourcePage extends Omit<FrontMatter, 'draft'> {
  /** Path of the Markdown file. */
  source: string
  /** Canonical path of the page's file. */
  path: string
  title: string
  /** The Markdown below the front matter. */
  body: string
  /** Number of its first line in the file, counted from 1. */
  firstLine: number
  /** By line of `body`, the line below the front matter that it comes from. Undefined if it includes nothing. */
  lines: number[] | undefined
  /** Whether the Markdown starts with its title. */
  hasTitle: boolean
  /** Whether it has no other title than that. */
  isTitled: boolean
}

interface ReadOptions {
  siteTitle: string
  generator?: Generator
  /** The title from the Markdown itself. `isOnly`: there is no other, so that a heading of any level is one. */
  findTitle(body: string, isOnly: boolean, source: string): string | undefined
  /** Titles of the navigation by path of the source. */
  titles?: ReadonlyMap<string, string>
  /** `what`: a message of a field, or what a page includes that could not be. */
  onProblem?(kind: ProblemKind, what: string, place: { file: string; line: number }): void
}

const titleOfSite = /\{\{\s*site\.title\s*\}\}/g
const param = /\{\{[<%][ \t]*_?param[ \t]+"?([\w.]{1,100})"?[ \t]*[%>]\}\}/g

/** All pages but drafts, by path of their source. Throws DeployFailure. */
export function readPages(
  sources: ReadonlyMap<string, Uint8Array>,
  { siteTitle, findTitle, generator = noGenerator, onProblem, titles }: ReadOptions,
): SourcePage[] {
  const isPage = (path: string) =>
    isPageSource(path) &&
    !generator.notPages.has(path) &&
    placeOf(path, generator)?.mount.kind === 'pages'
  const paths = [...sources.keys()].filter(isPage).sort()
  const addressesOf = createPageAddresses(paths, generator)
  const includes = createIncludes(sources)
  const read = paths.flatMap((source) => {
    const text = decodeSource(sources.get(source) ?? new Uint8Array(), source)
    const report = (message: string, line: number, kind: ProblemKind = 'front_matter') =>
      onProblem?.(kind, message, { file: source, line })
    const { body, firstLine, front } = readFrontMatter(text, source, report)
    const { draft, ...fields } = front
    const said = (whole: string, name: string) =>
      textOf(inside({ ...generator.params, ...fields }, ...name.split('.'))) ?? whole
    const ownBody = generator.params ? body.replaceAll(param, said) : body
    const included = includes.expand(ownBody, source, (kind, what, line) =>
      report(what, line + firstLine, kind),
    )
    if (draft) return []
    const { chosen, others, own } = addressesOf(source, front)
    const name = readableName(own.endsWith('index.html') ? folderOf(own) : source)
    const usual = titles?.get(source) ?? (own === 'index.html' ? siteTitle : name)
    const given = (fields.title ?? textOf(fields.hero?.name))?.replaceAll(titleOfSite, siteTitle)
    const ownTitle = findTitle(included.text, given === undefined, source)
    const title = given ?? ownTitle ?? usual
    const start = homeMarkdown(fields)
    const address = chosen(title)
    const wanted = fields.address ?? fields.slug ?? 'https:'
    if (address === undefined && !/^https?:/.test(wanted))
      report(`${wanted} cannot be the address of a page: it is ignored.`, 1)
    return {
      ...fields,
      ...{ chosen: address, others, own, report, source, title },
      order: fields.order ?? numberOf(source, generator),
      body: start + included.text,
      firstLine: firstLine - (start.split('\n').length - 1),
      lines: included.lines,
      hasTitle: ownTitle !== undefined,
      isTitled: given === undefined,
    }
  })
  const found = read.filter(({ source }) => !(isPartial(source) && includes.included.has(source)))
  // A chosen address does not take that of a file.
  const taken = new Set(found.map(({ own }) => own))
  const pages = found.map(({ chosen, others, own, report, ...page }) => {
    const isClash = chosen !== undefined && chosen !== own && taken.has(chosen)
    if (isClash) report(`Another page has the address ${hrefOf(chosen)}: it is ignored.`, 1)
    const path = isClash ? own : (chosen ?? own)
    taken.add(path)
    const addresses = others.filter((other) => other !== path).map(hrefOf)
    const aliases = [...new Set(addresses.map((href) => href.replace(/(?<=.)\/$/, '')))]
    return { ...page, path, nav: page.nav && path !== '404.html', aliases }
  })
  if (generator.name === undefined) return pages
  // Folders that a generator lays over each other, of which the first has the page.
  const byPath = new Map(pages.toReversed().map((page) => [page.path, page]))
  const mountOf = (source: string) => placeOf(source, generator)?.mount
  for (const page of pages) {
    const { source = '' } = byPath.get(page.path) ?? {}
    if (source === page.source || mountOf(source) !== mountOf(page.source)) continue
    const message = `${source} has the same address, ${hrefOf(page.path)}: this page is left out. Rename one of them.`
    onProblem?.('front_matter', message, { file: page.source, line: 1 })
  }
  return [...byPath.values()].toReversed()
}

/** `_part.md`, which is no page if others include it. */
const isPartial = (source: string) => /(?:^|\/)_[^/]*$/.test(source)

/** Throws DeployFailure if two files would have the same address. */
export function refuseClashes(
  pages: readonly { path: string; source?: string }[],
  files: { has(path: string): boolean },
): void {
  const seen = new Map<string, string>()
  for (const { path, source } of pages) {
    const name = source ?? 'the API reference'
    const other = seen.get(path) ?? (files.has(path) ? path : undefined)
    if (other !== undefined) {
      const message = `${other} and ${name} would have the same address, ${hrefOf(path)}. Rename or remove one of them.`
      throw new DeployFailure(message, { file: source ?? other })
    }
    seen.set(path, name)
  }
}

/** Throws DeployFailure if the sources contain the theme's folder. */
export function refuseThemeFolder(paths: Iterable<string>): void {
  const file = Iterator.from(paths).find((path) => path.startsWith('_site/'))
  const message =
    'The folder _site is reserved for the files of the theme. Rename or remove it. If it is a finished site, deploy its content.'
  if (file !== undefined) throw new DeployFailure(message, { file })
}
