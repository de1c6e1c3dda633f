// What a site will have, known before anything is rendered: its pages, the listings of folders that have
// no page, the navigation, and where links lead.

import { type ApiReference, renderApiReference } from './api-reference/render-api-reference.ts'
import { createHighlighter } from './markdown/highlight.ts'
import { type LinkTargets, resolveLink } from './markdown/links.ts'
import { createMarkdown, type MarkdownRenderer } from './markdown/markdown.ts'
import { buildNavigation, type NavigationItem } from './site/navigation.ts'
import { folderOf, isHidden, readableName } from './sources/addresses.ts'
import {
  readPages,
  refuseClashes,
  refuseThemeFolder,
  type SourcePage,
} from './sources/read-pages.ts'
import type { Page, RenderInput } from './sources/render-input.ts'
import { readSettings, type SiteSettings } from './sources/settings.ts'

export interface SitePlan {
  settings: SiteSettings
  markdown: MarkdownRenderer
  pages: SourcePage[]
  apiPages: Page[]
  /** Paths of the pages that list the content of their folder. */
  listings: string[]
  navigation: NavigationItem[]
  targets: LinkTargets
  /** Paths of the sources that are published unchanged. */
  copied: ReadonlySet<string>
}

/** Throws DeployFailure. */
export function planSite({ title, sources, assets }: RenderInput): SitePlan {
  refuseThemeFolder(sources.keys())
  refuseThemeFolder(assets)
  const { settings, file } = readSettings(sources, title)
  const copied = new Set(
    [...sources.keys()].filter(
      (path) => path !== file && !/\.(md|markdown)$/i.test(path) && !isHidden(path),
    ),
  )
  const pagePaths = new Set<string>()
  const pagesBySource = new Map<string, string>()
  const targets: LinkTargets = {
    pages: pagesBySource,
    pagePaths,
    isFile: (path) => assets.has(path) || copied.has(path),
  }
  const highlight = createHighlighter()
  const markdown = createMarkdown(highlight, (to, source) => resolveLink(to, source, targets))
  const { findTitle } = markdown
  const pages = readPages(sources, { siteTitle: settings.title, findTitle })
  for (const { source, path } of pages) {
    pagesBySource.set(source, path)
    pagePaths.add(path)
  }
  const api: ApiReference | undefined = renderApiReference(sources, highlight, (text) =>
    markdown.renderFragment(text, ''),
  )
  const apiPages = api?.pages ?? []
  refuseClashes([...pages, ...apiPages.map(({ path }) => ({ path }))], assets)
  for (const { path } of apiPages) pagePaths.add(path)
  const listings = missingFolders(pagePaths, assets)
  for (const path of listings) pagePaths.add(path)
  settings.links = settings.links.map((link) => ({
    ...link,
    url: resolveLink(link.url, '', targets),
  }))
  const navigation = [...buildNavigation(pages, settings.title), ...(api?.navigation ?? [])]
  return { settings, markdown, pages, apiPages, listings, navigation, targets, copied }
}

function missingFolders(pages: ReadonlySet<string>, assets: ReadonlySet<string>): string[] {
  const missing = new Set<string>()
  for (const page of [...pages, '404.html']) {
    for (const folder of foldersAbove(page)) {
      const path = `${folder}index.html`
      const isThere =
        pages.has(path) || assets.has(path) || pages.has(`${folder.slice(0, -1)}.html`)
      if (!isThere) missing.add(path)
    }
  }
  return [...missing]
}

/** The folders from the root to the folder of the page. */
function foldersAbove(path: string): string[] {
  const folder = folderOf(path)
  return folder === '' ? [''] : [...foldersAbove(folder.slice(0, -1)), folder]
}

/** The pages above a page, starting at the outermost folder. */
export function crumbsOf(
  path: string,
  { targets: { pagePaths } }: Pick<SitePlan, 'targets'>,
  titles: ReadonlyMap<string, string>,
): { title: string; path: string }[] {
  const crumbs = foldersAbove(path)
    .slice(1)
    .flatMap((folder) => {
      const candidates = [`${folder}index.html`, `${folder.slice(0, -1)}.html`]
      const page = candidates.find((candidate) => pagePaths.has(candidate))
      return page === undefined
        ? []
        : [{ title: titles.get(page) ?? readableName(folder), path: page }]
    })
  return crumbs.filter((crumb) => crumb.path !== path)
}
