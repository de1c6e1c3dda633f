// The navigation of a site: a tree of titles, most of which link to a page, its HTML, and the listing of a folder without a
// page of its own. Folders are groups.
import { Html, html, icon } from '../markdown/html.ts'
import {
  folderOf,
  foldersAbove,
  hrefOf,
  navigationKey,
  readableName,
} from '../sources/addresses.ts'
import type { FolderFacts } from '../sources/generator.ts'
import type { NavigationSection } from '../sources/navigation-setting.ts'
import type { SourcePage } from '../sources/read-pages.ts'

export interface NavigationItem {
  title: string
  /** Canonical path of a page's file, such as `guides/first.html`; optional for a group. */
  path?: string
  /** An http or https address instead of a page. */
  url?: string
  /** A label next to the title, such as GET, POST or Deprecated. */
  badge?: string
  /** A group of the settings, which is no folder. */
  isSection?: true
  children?: NavigationItem[]
}

type NavigationPage = Pick<SourcePage, 'path' | 'title' | 'label' | 'order' | 'nav'>

/** An API reference: last, unless one of its keys is listed. */
export interface ListedReference {
  item: NavigationItem
  keys: readonly string[]
}

interface Entry {
  item: NavigationItem
  /** Lower numbers come first, then names. */
  rank: number[]
  name: string
}

/**
 * The tree: what is listed in its order, the rest by `order`, then pages before groups, then by the names of the files.
 * What is listed in a section with a title is in its group instead of its folder.
 */
export function buildNavigation(
  pages: readonly NavigationPage[],
  siteTitle: string,
  sections: readonly NavigationSection[] = [],
  references: readonly ListedReference[] = [],
  facts: ReadonlyMap<string, FolderFacts> = new Map(),
): NavigationItem[] {
  const keysOf = ({ entries }: NavigationSection) => entries.map(({ key }) => key)
  const titled = sections.filter(({ title }) => title !== undefined)
  const grouped = new Set(titled.flatMap(keysOf))
  const listedFirst = sections.flatMap<string | NavigationSection>((each) =>
    each.title === undefined ? keysOf(each) : each,
  )
  const places = new Map(listedFirst.map((each, place) => [each, place]))
  const placeOf = (listed: string | NavigationSection) => places.get(listed) ?? Infinity
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const shown = pages.filter(({ nav }) => nav)
  const pagesIn = Map.groupBy(shown, ({ path }) => folderOf(path))
  const folders = new Set([...pagesIn.keys()].flatMap(foldersAbove))
  folders.delete('')
  const foldersIn = Map.groupBy(folders, parentOf)
  const ownPage = (folder: string) =>
    byPath.get(`${folder}index.html`) ?? byPath.get(`${folder.slice(0, -1)}.html`)

  function children(folder: string): NavigationItem[] {
    const inner = foldersIn.get(folder) ?? []
    const own = ownPage(folder)
    const ofFolders = new Set([folder, ...inner].map(ownPage))
    const free = [
      ...(pagesIn.get(folder) ?? [])
        .filter((page) => !ofFolders.has(page))
        .map((page) => entry(itemOf(page), page, page.path)),
      ...inner.flatMap(group),
    ].filter(({ name }) => !grouped.has(navigationKey(name)))
    const all = folder === '' ? [...free, ...titled.flatMap(section), ...ofReferences()] : free
    const items = all.sort(byRank).map(({ item }) => item)
    const hasOwn = own?.nav && !(folder === '' && grouped.has(''))
    return hasOwn ? [overview(own, folder), ...items] : items
  }

  /** None without pages, as when all are listed in other groups. */
  function group(folder: string): Entry[] {
    const own = ownPage(folder)
    const title = facts.get(folder)?.title ?? own?.label ?? own?.title ?? readableName(folder)
    const inside = children(folder)
    if (inside.length === 0) return []
    const isOne = own !== undefined && inside.length === 1 && inside[0]?.path === own.path
    const item = isOne ? { title, path: own.path } : { title, children: inside }
    return [entry(item, own, folder)]
  }

  /** The group of a section; none if it would be empty. A folder alone is the group itself. */
  function section(of: NavigationSection): Entry[] {
    const title = of.title ?? ''
    const items = keysOf(of).flatMap(listed)
    const [only, ...others] = items
    if (only === undefined) return []
    const children = others.length === 0 ? (only.children ?? items) : items
    return [{ item: { title, children, isSection: true }, rank: [placeOf(of)], name: title }]
  }

  function listed(key: string): NavigationItem[] {
    const items = references.filter(({ keys }) => keys.includes(key)).map(({ item }) => item)
    const folder = `${key}/`
    if (folders.has(folder)) return [...items, ...group(folder).map(({ item }) => item)]
    const page = byPath.get(`${key}.html`) ?? ownPage(key === '' ? '' : folder)
    if (!page?.nav) return items
    return [...items, key === '' ? overview(page, '') : itemOf(page)]
  }

  /** Last, unless they are listed. */
  const ofReferences = (): Entry[] =>
    references
      .filter(({ keys }) => !keys.some((key) => grouped.has(key)))
      .map(({ item, keys }) => {
        return { item, rank: [Math.min(...keys.map(placeOf)), Infinity, 2], name: '' }
      })

  function overview(page: NavigationPage, folder: string): NavigationItem {
    const { path, title } = itemOf(page)
    return { title: folder !== '' || title === siteTitle ? 'Overview' : title, path }
  }

  function entry(item: NavigationItem, page: NavigationPage | undefined, name: string): Entry {
    const order = facts.get(name)?.order ?? page?.order ?? Infinity
    return { item, rank: [placeOf(navigationKey(name)), order, item.children ? 1 : 0], name }
  }

  return children('')
}

const itemOf = ({ label, path, title }: NavigationPage) => ({ title: label ?? title, path })

const { compare } = new Intl.Collator('en', { numeric: true })

/** The first difference that is a number: of two without a place it is none. */
export function byRank(a: Omit<Entry, 'item'>, b: Omit<Entry, 'item'>): number {
  const differences = a.rank.map((each, at) => each - (b.rank[at] ?? 0))
  return differences.find(Boolean) ?? compare(a.name, b.name)
}

const parentOf = (folder: string): string => folderOf(folder.slice(0, -1))

/** An item and all that is inside it. */
const within = (item: NavigationItem): NavigationItem[] => [
  item,
  ...(item.children ?? []).flatMap(within),
]

/** The pages in reading order, without addresses elsewhere. */
export const readingOrder = (items: readonly NavigationItem[]): NavigationItem[] =>
  items.flatMap(within).filter(({ path }) => path !== undefined)

const pathsIn = (items: readonly NavigationItem[]): string[] =>
  readingOrder(items).map(({ path = '' }) => path)

/** The titles of the groups of the settings, by path of their pages. */
export function sectionTitles(items: readonly NavigationItem[]): ReadonlyMap<string, string> {
  const sections = items.filter(({ isSection }) => isSection)
  return new Map(
    sections.flatMap((section) => pathsIn([section]).map((path) => [path, section.title])),
  )
}

const fullUpTo = 250
const openUpTo = 60
const maxGroupItems = 120
const around = 40

/** Creates the navigation lists of the pages. */
export function createNavigationHtml(items: readonly NavigationItem[]): (path: string) => Html {
  const isLarge = readingOrder(items).length > fullUpTo
  // A set preserves its order: the first path is the first page.
  const paths = new Map(items.flatMap(within).map((item) => [item, new Set(pathsIn([item]))]))
  const pathsOf = (item: NavigationItem | undefined) => (item && paths.get(item)) ?? new Set()
  const open = new Set<NavigationItem>()
  // On large sites the first groups with few pages together, with those inside them; others are closed.
  let left = openUpTo
  for (const item of items) {
    if (pathsOf(item).size > left) continue
    left -= pathsOf(item).size
    for (const each of within(item)) open.add(each)
  }

  function list(children: readonly NavigationItem[], path: string): Html {
    const current = children.findIndex((item) => pathsOf(item).has(path))
    const isLong = children.length > maxGroupItems
    const from = isLong ? Math.max(0, Math.min(current, children.length - around) - around) : 0
    const to = isLong ? Math.max(current, 0) + around : children.length
    return html`<ul>${[
      from > 0 && closed('more', 'Earlier…', children[from - 1]),
      ...children.slice(from, to).map((item) => node(item, path)),
      to < children.length && closed('more', 'Later…', children[to]),
    ]}</ul>`
  }

  function node(item: NavigationItem, path: string): Html | false {
    if (item.children === undefined) return html`<li>${link(item, path)}</li>`
    const isOpen = open.has(item) || pathsOf(item).has(path)
    const title = html`${item.title}${icon('chevron')}`
    if (isLarge && !isOpen && pathsOf(item).size > 0) return closed('closed', title, item)
    const mark = new Html(isOpen ? ' open' : '')
    return html`<li><details${mark}><summary>${title}</summary>${list(item.children, path)}</details></li>`
  }

  /** A link to the first page of an item. */
  function closed(kind: string, title: string | Html, item: NavigationItem | undefined) {
    const [path] = pathsOf(item)
    return (
      path !== undefined &&
      html`<li><a class="nav-${kind}" href="${hrefOf(path)}">${title}</a></li>`
    )
  }

  return (path) => list(items, path)
}

function link({ badge, path = '', title, url }: NavigationItem, current: string): Html {
  if (url !== undefined) return html`<a href="${url}"><span>${title}</span></a>`
  const mark = new Html(path === current ? ' aria-current="page"' : '')
  // As wide as the other methods, beside a title in a narrow column.
  const label = badge === 'DELETE' ? 'DEL' : badge
  return html`<a href="${hrefOf(path)}"${mark}><span>${title}</span>${badge !== undefined && html` <span class="nav-badge nav-badge-${badge.toLowerCase()}">${label}</span>`}</a>`
}

/** The items as a list, with a heading per group. `descriptions`: plain text by path of the page. */
export function listing(
  items: readonly NavigationItem[],
  descriptions: ReadonlyMap<string, string>,
): string {
  const card = ({ title, path = '' }: NavigationItem) =>
    html`<li><a href="${hrefOf(path)}"><strong>${title}</strong>${descriptions.get(path) && html`<span>${descriptions.get(path)}</span>`}</a></li>`
  const cards = (items: readonly NavigationItem[]) =>
    html`<ul class="listing">${readingOrder(items).map(card)}</ul>`
  const pages = items.filter((item) => item.children === undefined && item.path !== undefined)
  const groups = items.flatMap(({ children, title }) => (children ? { children, title } : []))
  return html`${pages.length > 0 && cards(pages)}${groups.map(
    ({ children, title }) =>
      html`<section class="listing-group"><h2>${title}</h2>${cards(children)}</section>`,
  )}`.text
}
