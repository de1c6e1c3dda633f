// Reads the Markdown files of a site as far as its navigation needs them: paths, titles and order of the pages.

import { DeployFailure } from '../site-files/site-file.ts'
import { folderOf, hrefOf, isPageSource, pagePath, readableName } from './addresses.ts'
import { type Generator, noGenerator, placeOf } from './generator.ts'
import { readDay } from './plain-text.ts'
import { decodeSource, readYamlFields, type YamlField } from './source-text.ts'

/**
 * The YAML between two lines of `---` at the start of a page:
 *   title, description, order (a number; lower comes first), nav: false (not in the navigation),
 *   label (its name in the navigation), draft: true (not published), updated (a date).
 * The names of these fields in Docusaurus, MkDocs, Jekyll and Hugo are accepted, too; other fields are ignored.
 */
interface FrontMatter {
  title?: string
  /** Without it, pages use their first paragraph. */
  description?: string
  order?: number
  /** The title in the navigation, if different. */
  label?: string
  /** The day of its last change: `2026-11-02`. */
  updated?: string
  /** False: hidden in the navigation. */
  nav: boolean
  draft: boolean
}

/** Undefined is refused; an empty text is as if the field were not there. */
const readers = {
  title: { names: ['title'], read: textOf, form: 'text' },
  description: { names: ['description', 'summary'], read: textOf, form: 'text' },
  label: {
    names: ['label', 'sidebar_label', 'nav_title', 'linkTitle'],
    read: textOf,
    form: 'text',
  },
  order: {
    names: ['order', 'sidebar_position', 'nav_order', 'weight'],
    read: (value: unknown) =>
      typeof value === 'number' && Number.isFinite(value) ? value : undefined,
    form: 'a number',
  },
  updated: {
    names: ['updated', 'lastmod'],
    read: (value: unknown) => (typeof value === 'string' ? readDay(value) : undefined),
    form: 'a date, such as 2026-11-02',
  },
}

function textOf(value: unknown): string | undefined {
  const isText =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isText ? String(value).replaceAll(/\s+/g, ' ').trim() : undefined
}

const block = /^---[ \t]*\n(?:([\s\S]*?)\n)?(?:---|\.\.\.)[ \t]*(?:\n|$)/

/** The front matter and the Markdown below it. Throws DeployFailure with the line. */
export function readFrontMatter(text: string, file: string): { front: FrontMatter; body: string } {
  const match = block.exec(text)
  const fields = match && readYamlFields(match[1] ?? '', { file, firstLine: 2 })
  if (!match || !fields) return { front: { nav: true, draft: false }, body: text }
  const front: FrontMatter = {
    nav: !isFalse(fields.get('nav')) && !isTrue(fields.get('nav_exclude')),
    draft: isTrue(fields.get('draft')),
  }
  for (const [key, { names, read, form }] of Object.entries(readers)) {
    const name = names.find((name) => fields.has(name) && fields.get(name)?.value !== null)
    const field = name === undefined ? undefined : fields.get(name)
    if (!field) continue
    const value = read(field.value)
    const { line } = field
    if (value === undefined) throw new DeployFailure(`${name} must be ${form}.`, { file, line })
    if (value !== '') Object.assign(front, { [key]: value })
  }
  return { front, body: text.slice(match[0].length) }
}

const isTrue = (field: YamlField | undefined) => field?.value === true
const isFalse = (field: YamlField | undefined) => field?.value === false

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
  /** Whether the Markdown starts with its title. */
  hasTitle: boolean
}

interface ReadOptions {
  siteTitle: string
  generator?: Generator
  /** The title from the Markdown itself. */
  findTitle(body: string): string | undefined
}

/** All pages but drafts, by path. Throws DeployFailure. */
export function readPages(
  sources: ReadonlyMap<string, Uint8Array>,
  { siteTitle, findTitle, generator = noGenerator }: ReadOptions,
): SourcePage[] {
  const isPage = (path: string) =>
    isPageSource(path) &&
    !generator.notPages.has(path) &&
    placeOf(path, generator)?.mount.kind === 'pages'
  const paths = [...sources.keys()].filter(isPage).sort()
  const indexes = findIndexes(paths)
  const pages: SourcePage[] = []
  for (const source of paths) {
    const text = decodeSource(sources.get(source) ?? new Uint8Array(), source)
    const { front, body } = readFrontMatter(text, source)
    if (front.draft) continue
    const folder = folderOf(source)
    const isIndex = indexes.get(folder) === source
    const path = isIndex ? `${folder}index.html` : pagePath(source)
    const isHome = isIndex && folder === ''
    const fallback = isHome ? siteTitle : readableName(isIndex ? folder : source)
    const ownTitle = findTitle(body)
    pages.push({
      ...front,
      source,
      path,
      title: front.title ?? ownTitle ?? fallback,
      nav: front.nav && path !== '404.html',
      body,
      firstLine: text.slice(0, text.length - body.length).split('\n').length,
      hasTitle: ownTitle !== undefined,
    })
  }
  return pages
}

/** The index page of each folder: index.md, otherwise README.md. */
function findIndexes(paths: string[]): Map<string, string> {
  const indexes = new Map<string, string>()
  for (const name of ['index', 'readme']) {
    for (const path of paths) {
      const folder = folderOf(path)
      const [stem] = path.slice(folder.length).toLowerCase().split('.')
      if (stem === name && !indexes.has(folder)) indexes.set(folder, path)
    }
  }
  return indexes
}

/** Throws DeployFailure if two files would have the same address. */
export function refuseClashes(
  pages: readonly { path: string; source?: string }[],
  files: { has(path: string): boolean },
): void {
  const seen = new Map<string, string>()
  for (const { path, source } of pages) {
    const address = hrefOf(path).replace(/(?<=.)\/$/, '')
    const name = source ?? 'the API reference'
    const other = seen.get(address) ?? (files.has(path) ? path : undefined)
    if (other !== undefined) {
      throw new DeployFailure(
        `${other} and ${name} would have the same address, ${hrefOf(path)}. Rename or remove one of them.`,
        { file: source ?? other },
      )
    }
    seen.set(address, name)
  }
}

/** Throws DeployFailure if the sources contain the theme's folder. */
export function refuseThemeFolder(paths: Iterable<string>): void {
  for (const path of paths) {
    if (!path.startsWith('_site/')) continue
    throw new DeployFailure(
      'The folder _site is reserved for the files of the theme. Rename or remove it. If it is a finished site, deploy its content.',
      { file: path },
    )
  }
}
