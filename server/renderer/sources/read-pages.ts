// Reads the Markdown files of a site as far as its navigation needs them: paths, titles and order of the pages.
import { DeployFailure } from '../site-files/deploy-failure.ts'
import { folderOf, hrefOf, isPageSource, pagePath, readableName } from './addresses.ts'
import { decodeSource } from './decode-source.ts'
import { type FrontMatter, readFrontMatter } from './front-matter.ts'

export interface SourcePage extends Omit<FrontMatter, 'draft'> {
  /** Path of the Markdown file. */
  source: string
  /** Canonical path of the page's file. */
  path: string
  title: string
  /** The Markdown below the front matter. */
  body: string
  /** Whether the Markdown starts with its title. */
  hasTitle: boolean
}

interface ReadOptions {
  siteTitle: string
  /** The title from the Markdown itself. */
  findTitle(body: string): string | undefined
}

/** All pages but drafts, by path. Throws DeployFailure. */
export function readPages(
  sources: ReadonlyMap<string, Uint8Array>,
  { siteTitle, findTitle }: ReadOptions,
): SourcePage[] {
  const paths = [...sources.keys()].filter(isPageSource).sort()
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
  assets: ReadonlySet<string>,
): void {
  const seen = new Map<string, string>()
  for (const { path, source } of pages) {
    const address = hrefOf(path).replace(/(?<=.)\/$/, '')
    const name = source ?? 'the API reference'
    const other = seen.get(address) ?? (assets.has(path) ? path : undefined)
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
