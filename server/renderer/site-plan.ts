// Plans a site before it is rendered: pages, listings of folders without a page, navigation, and targets of links.
import { renderApiReference } from './api-reference/render-api-reference.ts'
import { createHighlighter } from './markdown/highlight.ts'
import { type LinkTargets, resolveLink } from './markdown/links.ts'
import { createMarkdown } from './markdown/markdown.ts'
import { buildNavigation } from './site/navigation.ts'
import type { PageSurroundings } from './site/page-frame.ts'
import { DeployFailure } from './site-files/site-file.ts'
import { createProblemLog } from './source-problems.ts'
import { folderOf, isHidden, readableName } from './sources/addresses.ts'
import { refuseMissingEntries } from './sources/navigation-setting.ts'
import { readPages, refuseClashes, refuseThemeFolder } from './sources/read-pages.ts'
import type { Page, RenderInput } from './sources/render-input.ts'
import { readSettings } from './sources/settings.ts'

export type SitePlan = ReturnType<typeof planSite>

/** Throws DeployFailure. */
export function planSite(input: RenderInput) {
  const { assets, sources } = input
  refuseThemeFolder(sources.keys())
  refuseThemeFolder(assets)
  const { settings, file } = readSettings(input)
  // Sources that are published unchanged.
  const copied: ReadonlySet<string> = new Set(
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
  const problems = createProblemLog(sources)
  const highlight = createHighlighter()
  const markdown = createMarkdown(highlight, (to, source) =>
    resolveLink(to, source, targets, problems),
  )
  const { findTitle } = markdown
  const pages = readPages(sources, { siteTitle: settings.title, findTitle })
  for (const { source, path } of pages) {
    pagesBySource.set(source, path)
    pagePaths.add(path)
  }
  const toHtml = (text: string) => markdown.renderFragment(text, '')
  const { tryIt } = settings
  const api = renderApiReference(sources, { highlight, markdown: toHtml, tryIt })
  if (tryIt && !api) {
    const message = 'tryIt needs an OpenAPI document: add openapi.yaml, or remove tryIt.'
    throw new DeployFailure(message, tryIt)
  }
  const apiPages = api?.pages ?? []
  for (const problem of api?.problems ?? []) problems.inDocument(problem)
  refuseClashes([...pages, ...apiPages.map(({ path }) => ({ path }))], assets)
  for (const { path } of apiPages) pagePaths.add(path)
  const listings = missingFolders(pagePaths, assets)
  for (const path of listings) pagePaths.add(path)
  settings.links = settings.links.map((link) => ({
    ...link,
    url: resolveLink(link.url, '', targets),
  }))
  refuseMissingEntries(settings.navigation, sources, api?.keys ?? [], file)
  const navigation = buildNavigation(pages, settings.title, settings.navigation, api)
  return { settings, markdown, pages, apiPages, listings, navigation, targets, copied, problems }
}

/** Paths of the pages that list the content of their folder. */
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

/** The groups and the pages above a page, starting at the outermost one. */
export function crumbsOf(
  { group: inner, path }: Pick<Page, 'group' | 'path'>,
  { targets: { pagePaths } }: Pick<SitePlan, 'targets'>,
  titles: ReadonlyMap<string, string>,
  section: string | undefined,
): PageSurroundings['crumbs'] {
  const crumbs = foldersAbove(path)
    .slice(1)
    .flatMap((folder) => {
      const candidates = [`${folder}index.html`, `${folder.slice(0, -1)}.html`]
      const page = candidates.find((candidate) => pagePaths.has(candidate))
      return page === undefined
        ? []
        : [{ title: titles.get(page) ?? readableName(folder), path: page }]
    })
  const group = section === undefined || crumbs[0]?.title === section ? [] : [{ title: section }]
  const last = inner === undefined ? [] : [{ title: inner }]
  return [...group, ...crumbs.filter((crumb) => crumb.path !== path), ...last]
}
