// Renders a documentation site from its sources, file by file: pages, their Markdown, search index, theme, and the files
// for programs: sitemap.xml (sitemaps.org, version 0.9), robots.txt (RFC 9309) and llms.txt (llmstxt.org). It reads only
// its input and the files of the theme.

import { renderApiReference } from './api-reference/render-api-reference.ts'
import { recogniseGenerator } from './generators/recognise-generator.ts'
import { createHighlighter } from './markdown/highlight.ts'
import { escapeHtml } from './markdown/html.ts'
import { type LinkTargets, pageAt, resolveLink } from './markdown/links.ts'
import { createMarkdown } from './markdown/markdown.ts'
import { addComponents, isMdxSource } from './mdx/components.ts'
import { addLinks, readLabels } from './notations/myst.ts'
import { addNotations } from './notations/notations.ts'
import { createProblemLog, type ProblemLog } from './report/build-report.ts'
import { noteLostFiles } from './report/lost-files.ts'
import { pagesIn, titlesOf } from './site/authored-navigation.ts'
import { createNavigations } from './site/edition-navigation.ts'
import {
  createEditions,
  type Edition,
  nameOfEdition,
  placeFolders,
  placeTranslations,
} from './site/editions.ts'
import {
  createNavigationHtml,
  listing,
  type NavigationItem,
  readingOrder,
  sectionTitles,
} from './site/navigation.ts'
import {
  type FramedPage,
  type PageSurroundings,
  pageFrame,
  type SiteFrame,
} from './site/page-frame.ts'
import { createSearchIndex } from './site/search-index.ts'
import {
  colourStyle,
  diagramScripts,
  favicon,
  themeAssets,
  tryItScript,
} from './site/theme-assets.ts'
import { type BuildReport, DeployFailure, type SiteFile, textFile } from './site-files/site-file.ts'
import {
  encodePath,
  folderOf,
  foldersAbove,
  hrefOf,
  markdownPath,
  navigationKey,
  readableName,
} from './sources/addresses.ts'
import {
  placeOf,
  publishedFiles,
  rootsOf,
  type Generator as SiteSource,
} from './sources/generator.ts'
import { refuseMissingEntries } from './sources/navigation-setting.ts'
import { keysOf } from './sources/page-address.ts'
import { describe, firstLetter } from './sources/plain-text.ts'
import {
  readPages,
  refuseClashes,
  refuseThemeFolder,
  type SourcePage,
} from './sources/read-pages.ts'
import { originPlaceholder, type Page, type RenderInput } from './sources/render-input.ts'
import { editAddress, readSettings } from './sources/settings.ts'
import { siteTitle } from './sources/site-title.ts'

/**
 * Returns what is wrong with the sources without stopping the build. Throws DeployFailure with file and line before the
 * first file, or at the page with the error.
 */
export function* renderSite(input: RenderInput): Generator<SiteFile, BuildReport> {
  const { sources } = input
  const plan = planSite(input)
  const { published } = plan
  const theme = themeAssets()
  yield* theme.files
  const { colour, favicon: chosenIcon, logo } = plan.settings
  const usualIcons = ['favicon.svg', 'favicon.ico', 'favicon.png']
  const ownIcon = chosenIcon ?? usualIcons.find((path) => published.has(path))
  const madeIcon = favicon(plan.settings.title, colour)
  if (ownIcon === undefined) yield madeIcon
  const colours = colour && colourStyle(colour)
  if (colours) yield colours
  const tryIt = plan.settings.tryIt && tryItScript()
  if (tryIt) yield tryIt
  let diagrams: SiteFile[] = []
  const frame = createFrame(plan, {
    ...plan.settings,
    assets: theme,
    icon: encodePath(ownIcon ?? madeIcon.path),
    colours: colours && encodePath(colours.path),
    logo: logo === undefined ? undefined : encodePath(logo),
    tryIt: tryIt && encodePath(tryIt.path),
    diagrams() {
      diagrams = diagramScripts()
      return encodePath(diagrams.at(-1)?.path ?? '')
    },
    letter: firstLetter(plan.settings.title),
  })
  const framed = (page: FramedPage, more: Partial<SiteFile> = {}) =>
    plan.problems.rendered(page, frame(page), more)
  const { editions } = plan
  const searches = new Map(editions.all.map((edition) => [edition, createSearchIndex()]))
  const reference = new Set(plan.apiPages.map(({ path }) => path))
  const descriptions = new Map<string, string>()
  const readable = new Set<string>()
  for (const page of pagesOf(plan)) {
    descriptions.set(page.path, page.description)
    if (page.markdown !== undefined) {
      readable.add(page.path)
      yield textFile(markdownPath(page.path), page.markdown)
    }
    const isOne = reference.has(page.path)
    const searched = isOne ? editions.all : [editions.locate(page.path).edition]
    if (page.path !== missingPage.path)
      for (const edition of searched) searches.get(edition)?.add(page, isOne)
    const { connectTo } = page
    yield* framed(page, connectTo === undefined ? {} : { connectTo })
  }
  for (const path of plan.listings) yield* framed(listingPage(path, plan, descriptions))
  const isThere = (path: string) => published.has(path) || plan.targets.pagePaths.has(path)
  if (!isThere(missingPage.path)) yield* framed(missingPage)
  yield* plan.problems.rest()
  yield* diagrams
  for (const [edition, search] of searches)
    yield textFile(searchPath(plan, edition), search.toJson())
  const machineFiles = {
    'sitemap.xml': () => sitemap(plan),
    'robots.txt': () => `User-agent: *\nAllow: /\n\nSitemap: ${originPlaceholder}/sitemap.xml\n`,
    'llms.txt': () => llms(plan, descriptions, readable),
  }
  for (const [path, create] of Object.entries(machineFiles)) {
    if (!published.has(path)) yield textFile(path, create())
  }
  const own = sources.get(published.get('_redirects') ?? '')
  const redirects = redirectsFile(plan, own ? new TextDecoder().decode(own) : input.redirects)
  if (redirects) {
    published.delete('_redirects')
    yield redirects
  }
  for (const [path, copyOf] of published) yield { path, bytes: new Uint8Array(), copyOf }
  const deployed = [...sources.keys(), ...input.assets]
  noteLostFiles({ published: published.values(), deployed }, plan.problems)
  return plan.problems.finish(plan.pages)
}

/** Of the index of an edition. */
const searchPath = ({ editions }: SitePlan, edition: Edition): string =>
  `_site/search${editions.all.indexOf(edition) || ''}.json`

type SitePlan = ReturnType<typeof planSite>

/** Pages, listings of folders without a page, navigation, and targets of links. Throws DeployFailure. */
function planSite(input: RenderInput) {
  const { assets, sources } = input
  refuseThemeFolder([...sources.keys(), ...assets])
  const problems = createProblemLog(sources)
  const generator = recogniseGenerator(input, (what, line, file) =>
    problems.count('setting_not_used', what, { file, line }),
  )
  const { settings, file } = readSettings(input, generator)
  const { places, published } = publishedFiles(input, generator, file)
  const pagePaths = new Set<string>()
  const pagesBySource = new Map<string, string>()
  const targets: LinkTargets = {
    labels: problems.labels,
    pages: pagesBySource,
    pagePaths,
    fileAt: (path) => places.get(path) ?? (published.has(path) ? path : undefined),
    filePaths: published,
    isDeployed: (path) => sources.has(path) || assets.has(path),
    base: generator.base,
    origin: generator.origin,
    roots: rootsOf(generator),
    redirects: new Set(generator.redirects.map(({ from }) => from.replace(/(?<=.)\/$/, ''))),
  }
  const highlight = createHighlighter()
  const markdown = createSiteMarkdown(generator, highlight, problems, targets)
  const pages = readPages(sources, {
    siteTitle: settings.title,
    findTitle: markdown.findTitle,
    generator,
    titles: titlesOf(generator.navigation ?? []),
    onProblem: problems.count,
  })
  settings.title = siteTitle(settings.title, pages, sources)
  addHome(pages, generator, published)
  targets.languages = placeTranslations(pages, settings, pagesBySource)
  problems.setPages(pages)
  readLabels(pages, problems.labels)
  for (const { source, path } of pages) {
    pagesBySource.set(source, path)
    pagePaths.add(path)
  }
  for (const page of pages) {
    const aliases = page.aliases.map((alias) => decodeURI(alias).slice(1))
    for (const key of [...keysOf(page, generator), ...aliases])
      pagesBySource.getOrInsert(key, page.path)
  }
  const documents = new Map<string, Uint8Array>()
  for (const [path, bytes] of sources) {
    const place = places.get(path) ?? (generator.name === undefined ? path : undefined)
    if (place !== undefined) documents.set(place, bytes)
  }
  const { tryIt } = settings
  const toHtml = (text: string) => markdown.renderFragment(text, '')
  const api = renderApiReference(documents, { highlight, markdown: toHtml, tryIt })
  if (tryIt && !api) {
    const message = 'tryIt needs an OpenAPI document: add openapi.yaml, or remove tryIt.'
    throw new DeployFailure(message, tryIt)
  }
  const { listed = [], pages: apiPages = [], problems: faults = [] } = api ?? {}
  for (const { file = '', line, message } of faults)
    problems.count('bad_openapi', message, { file: published.get(file) ?? file, line })
  // A page takes the place of a file that its generator has for programs.
  if (generator.name !== undefined) for (const { path } of pages) published.delete(path)
  refuseClashes([...pages, ...apiPages.map(({ path }) => ({ path }))], published)
  for (const { path } of apiPages) pagePaths.add(path)
  // A page that has another address now leads there itself.
  const listings = missingFolders(pagePaths, published).filter(
    (path) => !pagesBySource.has(folderOf(path)),
  )
  for (const path of listings) pagePaths.add(path)
  for (const link of settings.links) link.url = resolveLink(link.url, '', targets)
  const keysOfApi = listed.flatMap(({ keys }) => keys)
  refuseMissingEntries(settings.navigation, sources, keysOfApi, file)
  for (const entry of settings.navigation.flatMap(({ entries }) => entries)) {
    const path = pagesBySource.get(entry.key) ?? placeOf(`${entry.key}/`, generator)?.path
    if (path !== undefined) entry.key = navigationKey(path)
  }
  placeFolders(settings, pagePaths, file)
  const editions = createEditions(settings, [...pagePaths].sort())
  const { missing, navigationOf } = createNavigations(editions, {
    ...{ generator, pages, references: listed, settings },
    findPage: (to) => pageAt(to, targets),
  })
  const { evidence: shown, name, taken } = generator
  if (name && shown) {
    problems.setGenerator({ name, file: shown, taken })
    for (const to of missing) {
      const what = `${to} of the navigation, which names no page,`
      problems.count('setting_not_used', what, { file: shown })
    }
  }
  return {
    ...{ generator, settings, markdown, pages, listings, editions, navigationOf, targets },
    ...{ apiPages, renderApi: api?.render, published, problems },
  }
}

/** Markdown with the notations of all generators, whose links lead to the targets. */
function createSiteMarkdown(
  { name, slug }: SiteSource,
  highlight: Parameters<typeof createMarkdown>[0],
  problems: ProblemLog,
  targets: LinkTargets,
) {
  const isMdx = (source: string) => isMdxSource(source, name)
  const resolve = (to: string, source: string) => resolveLink(to, source, targets, problems)
  return createMarkdown(highlight, resolve, {
    extend(md) {
      addNotations(md)
      addComponents(md, isMdx)
      addLinks(md, targets)
    },
    note: problems.note,
    parsed: problems.parsed,
    anchors: { slug, sign: name === 'MkDocs' ? '_' : '-' },
  })
}

/** These generators show the first page of the navigation at the root if there is no other page. */
function addHome(
  pages: SourcePage[],
  { name, navigation = [] }: Pick<SiteSource, 'name' | 'navigation'>,
  published: ReadonlyMap<string, string>,
): void {
  const isHome = pages.some(({ path }) => path === 'index.html') || published.has('index.html')
  if (isHome || !['mdBook', 'GitBook', 'Mintlify'].includes(name ?? '')) return
  const [first] = pagesIn(navigation)
  const page = pages.find(({ source }) => source === first || source.startsWith(`${first}.md`))
  if (!page) return
  page.aliases.push(hrefOf(page.path))
  page.path = 'index.html'
}

/** The redirects of the deploy, then those to pages from addresses that they had; undefined if there are none of these. */
function redirectsFile(plan: SitePlan, own = ''): SiteFile | undefined {
  const { generator, pages, targets } = plan
  const isFree = (address: string) =>
    ['.html', '/index.html'].every((end) => !targets.pagePaths.has(address.slice(1) + end))
  const rules = new Map<string, string>()
  for (const { aliases, path } of pages) {
    for (const from of aliases) if (isFree(decodeURI(from))) rules.set(from, hrefOf(path))
  }
  for (const { from, to } of generator.redirects) rules.getOrInsert(from, to)
  if (rules.size === 0) return undefined
  const lines = [...rules].map(([from, to]) => `${from} ${to} 301\n`)
  return textFile('_redirects', `${own.trimEnd()}\n${lines.join('')}`.trimStart())
}

/** Paths of the pages that list the content of their folder. */
function missingFolders(pages: ReadonlySet<string>, files: ReadonlyMap<string, string>): string[] {
  const folders = new Set([...pages, '404.html'].flatMap(foldersAbove))
  const isMissing = (folder: string) =>
    !files.has(`${folder}index.html`) && !pagesOfFolder(folder).some((path) => pages.has(path))
  return [...folders].filter(isMissing).map((folder) => `${folder}index.html`)
}

/** The paths that the page of a folder may have. */
const pagesOfFolder = (folder: string) => [`${folder}index.html`, `${folder.slice(0, -1)}.html`]

/** The 404 page. */
const missingPage = {
  path: '404.html',
  title: 'Page not found',
  description: '',
  html: '<p>It may have moved, or the link may be wrong.</p><p><a href="/">Go to the start page</a>, or search for what you need.</p>',
  headings: [],
}

function* pagesOf(plan: SitePlan): Generator<Page & FramedPage> {
  const { markdown, pages, renderApi, settings } = plan
  for (const { body, description, hasTitle, isTitled, path, source, title, updated } of pages) {
    const { firstParagraph, ...rendered } = markdown.renderPage(body, source, isTitled)
    const ofSite = path === 'index.html' ? settings.description : undefined
    const text = body.replace(/^\n+/, '')
    yield {
      ...{ ...rendered, path, title, updated },
      description: describe(description ?? ofSite ?? firstParagraph),
      lead: description,
      edit: editAddress(settings.edit, source),
      markdown: hasTitle ? text : `# ${title}\n\n${text}`,
    }
  }
  if (renderApi) yield* renderApi()
}

function createFrame(plan: SitePlan, site: SiteFrame): (page: FramedPage) => string {
  const { editions, listings, navigationOf } = plan
  const titles = new Map([...plan.pages, ...plan.apiPages].map(({ path, title }) => [path, title]))
  const shared = (edition: Edition) => {
    const navigation = navigationOf(edition)
    const overview = { title: 'Overview', path: editions.homeOf(edition) }
    const items = listings.includes(overview.path) ? [overview, ...navigation] : navigation
    const order = readingOrder(items)
    return {
      navigationHtml: createNavigationHtml(items),
      order,
      places: new Map(order.map(({ path }, index) => [path, index])),
      search: encodePath(searchPath(plan, edition)),
      sections: sectionTitles(navigation),
    }
  }
  const known = new Map<Edition, ReturnType<typeof shared>>()
  return (page) => {
    const around = editions.around(page.path)
    const of = known.getOrInsertComputed(around.edition, shared)
    const place = of.places.get(page.path)
    return pageFrame(site, page, {
      ...{ editions: around, search: of.search },
      navigation: of.navigationHtml(page.path),
      crumbs: crumbsOf(page, plan, titles, of.sections.get(page.path)),
      previous: place === undefined ? undefined : of.order[place - 1],
      next: place === undefined ? undefined : of.order[place + 1],
    })
  }
}

/** The groups and the pages above a page, starting at the outermost one. */
function crumbsOf(
  { group, path }: FramedPage,
  { editions, targets }: SitePlan,
  titles: ReadonlyMap<string, string>,
  section: string | undefined,
): PageSurroundings['crumbs'] {
  const home = folderOf(editions.homeOf(editions.locate(path).edition))
  const folders = foldersAbove(path).filter((folder) => folder.length > home.length)
  const crumbs = folders.flatMap((folder) => {
    const page = pagesOfFolder(folder).find((each) => targets.pagePaths.has(each))
    return page ? [{ title: titles.get(page) ?? readableName(folder), path: page }] : []
  })
  const outer = section === undefined || crumbs[0]?.title === section ? [] : [{ title: section }]
  const inner = group === undefined ? [] : [{ title: group }]
  return [...outer, ...crumbs.filter((crumb) => crumb.path !== path), ...inner]
}

function listingPage(path: string, plan: SitePlan, descriptions: Map<string, string>): FramedPage {
  const folder = folderOf(path)
  const { title, description = '' } = plan.settings
  const { editions, navigationOf } = plan
  const { edition } = editions.locate(path)
  const isRoot = folder === '' || path === editions.homeOf(edition)
  const all = navigationOf(edition)
  const below = () => readingOrder(all).filter(({ path }) => path?.startsWith(folder))
  return {
    path,
    title: isRoot ? title : readableName(folder),
    description: isRoot ? description : '',
    lead: isRoot && description !== '' ? description : undefined,
    html: listing(isRoot ? all : below(), descriptions),
    headings: [],
  }
}

/** With the days of their last changes, where they are known. */
function sitemap({
  editions: { around, locate },
  pages,
  targets: { pagePaths },
}: SitePlan): string {
  const updates = new Map(pages.map(({ path, updated }) => [path, updated]))
  const paths = [...pagePaths].filter((path) => locate(path).key !== missingPage.path).sort()
  const place = (path: string) => escapeHtml(originPlaceholder + hrefOf(path))
  const urls = paths.flatMap((path) => {
    const { alternates, canonical } = around(path)
    // The page of the newest version stands for it.
    if (canonical !== undefined) return []
    const links = alternates.map(
      ({ name, path }) => `<xhtml:link rel="alternate" hreflang="${name}" href="${place(path)}"/>`,
    )
    const day = updates.get(path)
    const changed = day === undefined ? '' : `<lastmod>${day}</lastmod>`
    return [`<url><loc>${place(path)}</loc>${changed}${links.join('')}</url>\n`]
  })
  const links = urls.some((url) => url.includes('<xhtml:'))
    ? ' xmlns:xhtml="http://www.w3.org/1999/xhtml"'
    : ''
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"${links}>\n${urls.join('')}</urlset>\n`
}

/** `descriptions`: by path of the page. `readable`: paths of the pages that are also published as Markdown. */
function llms(
  { editions, navigationOf, settings }: SitePlan,
  descriptions: ReadonlyMap<string, string>,
  readable: ReadonlySet<string>,
): string {
  const section = (title: string, items: NavigationItem[]): string => {
    const links = readingOrder(items).map(({ path = '', title }) => {
      const file = readable.has(path) ? markdownPath(path) : path
      const description = descriptions.get(path)
      const name = line(title).replaceAll(/[[\]\\]/g, '\\$&')
      return `- [${name}](${originPlaceholder}${encodePath(file)})${description ? `: ${line(description)}` : ''}`
    })
    return `## ${line(title)}\n\n${links.join('\n')}`
  }
  const navigation = navigationOf(editions.main)
  const pages = navigation.filter((item) => item.children === undefined)
  const groups = navigation.filter((item) => item.children !== undefined)
  const { title, description = descriptions.get('index.html') } = settings
  const blocks = [
    `# ${line(title)}`,
    ...(description === undefined ? [] : [`> ${line(description)}`]),
    ...(pages.length > 0 ? [section('Pages', pages)] : []),
    ...groups.map((group) => section(group.title, [group])),
    ...editions.all
      .filter((edition) => edition !== editions.main)
      .map((edition) => section(nameOfEdition(edition), navigationOf(edition))),
  ]
  return `${blocks.join('\n\n')}\n`
}

const line = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
