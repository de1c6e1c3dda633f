// The navigation of a site: a tree of titles, most of which link to a page, its HTML, and the listing of a folder without a
// page of its own. Folders are groups.
import { Html, html, icon } from '../markdown/html.ts'
import { folderOf, hrefOf, navigationKey, readableName } from '../sources/addresses.ts'
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

export type NavigationPage = Pick<SourcePage, 'path' | 'title' | 'label' | 'order' | 'nav'>

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
  const isTitled = ({ title }: NavigationSection) => title !== undefined
  const listedFirst = sections.flatMap<string | NavigationSection>((section) =>
    isTitled(section) ? section : keysOf(section),
  )
  const places = new Map(listedFirst.map((each, place) => [each, place]))
  const grouped = new Set(sections.filter(isTitled).flatMap(keysOf))
  const placeOf = (listed: string | NavigationSection) => places.get(listed) ?? Infinity
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const folders = new Map<string, NavigationPage[]>([['', []]])
  for (const page of pages) {
    if (!page.nav) continue
    for (let folder = folderOf(page.path); !folders.has(folder); folder = parentOf(folder)) {
      folders.set(folder, [])
    }
    folders.get(folderOf(page.path))?.push(page)
  }
  const foldersIn = Map.groupBy([...folders.keys()].slice(1), parentOf)

  function children(folder: string): NavigationItem[] {
    const own = ownPage(folder)
    const free = [
      ...(folders.get(folder) ?? [])
        .filter((page) => page !== own && !isOfFolder(page))
        .map((page) => entry(itemOf(page), page, page.path)),
      ...(foldersIn.get(folder) ?? []).flatMap(group),
    ].filter(({ name }) => !grouped.has(navigationKey(name)))
    const isRoot = folder === ''
    const all = isRoot ? [...free, ...sections.flatMap(titled), ...ofReferences()] : free
    const items = all.sort(byRank).map(({ item }) => item)
    return own?.nav && !(isRoot && grouped.has('')) ? [overview(own, folder), ...items] : items
  }

  function ownPage(folder: string): NavigationPage | undefined {
    return byPath.get(`${folder}index.html`) ?? byPath.get(`${folder.slice(0, -1)}.html`)
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

  /** Whether a folder with its name has it as its own page. */
  function isOfFolder(page: NavigationPage): boolean {
    const folder = `${page.path.replace(/\.html$/, '')}/`
    return folders.has(folder) && ownPage(folder) === page
  }

  /** The group of a section; none if it would be empty. A folder alone is the group itself. */
  function titled(section: NavigationSection): Entry[] {
    const { title } = section
    const items = title === undefined ? [] : keysOf(section).flatMap(listed)
    const [only] = items
    if (title === undefined || only === undefined) return []
    const children = items.length === 1 ? (only.children ?? items) : items
    return [{ item: { title, children, isSection: true }, rank: [placeOf(section)], name: title }]
  }

  function listed(key: string): NavigationItem[] {
    const items = references.filter(({ keys }) => keys.includes(key)).map(({ item }) => item)
    const folder = `${key}/`
    const own = ownPage('')
    if (key === '') return own?.nav ? [...items, overview(own, '')] : items
    if (folders.has(folder)) return [...items, ...group(folder).map(({ item }) => item)]
    const page = byPath.get(`${key}.html`) ?? byPath.get(`${folder}index.html`)
    return page?.nav ? [...items, itemOf(page)] : items
  }

  /** Last, unless they are listed. */
  function ofReferences(): Entry[] {
    const others = references.filter(({ keys }) => !keys.some((key) => grouped.has(key)))
    return others.map(({ item, keys }, order) => {
      const place = Math.min(...keys.map(placeOf))
      return { item, rank: [place, place === Infinity ? 1 : 0, order], name: '' }
    })
  }

  function overview(page: NavigationPage, folder: string): NavigationItem {
    const { path, title } = itemOf(page)
    return { title: title === (folder === '' ? siteTitle : title) ? 'Overview' : title, path }
  }

  function entry(item: NavigationItem, page: NavigationPage | undefined, name: string): Entry {
    const order = facts.get(name)?.order ?? page?.order ?? Infinity
    const isGroup = item.children !== undefined
    return { item, rank: [placeOf(navigationKey(name)), 0, order, isGroup ? 1 : 0], name }
  }

  return children('')
}

const itemOf = ({ label, path, title }: NavigationPage) => ({ title: label ?? title, path })

const { compare } = new Intl.Collator('en', { numeric: true })

/** The first difference that is a number: of two without a place it is none. */
export function byRank(a: Omit<Entry, 'item'>, b: Omit<Entry, 'item'>): number {
  const differences = a.rank.map((each, at) => each - (b.rank[at] ?? 0))
  return differences.find((difference) => difference) ?? compare(a.name, b.name)
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
  const total = readingOrder(items).length
  // A set preserves its order: the first path is the first page.
  const paths = new Map(items.flatMap(within).map((item) => [item, new Set(pathsIn([item]))]))
  const holds = (item: NavigationItem, path: string) => paths.get(item)?.has(path) === true
  const firstOf = (item: NavigationItem | undefined) =>
    item && paths.get(item)?.values().next().value
  const open = alwaysOpen(items)

  function list(children: readonly NavigationItem[], path: string): Html {
    const current = children.findIndex((item) => holds(item, path))
    const isLong = children.length > maxGroupItems
    const from = isLong ? Math.max(0, Math.min(current, children.length - around) - around) : 0
    const to = isLong ? Math.max(current, 0) + around : children.length
    return html`<ul>${[
      from > 0 && more('Earlier…', firstOf(children[from - 1])),
      ...children.slice(from, to).map((item) => node(item, path)),
      to < children.length && more('Later…', firstOf(children[to])),
    ]}</ul>`
  }

  function node(item: NavigationItem, path: string): Html {
    if (item.children === undefined) return html`<li>${link(item, path)}</li>`
    const isOpen = open.has(item) || holds(item, path)
    const first = firstOf(item)
    if (total > fullUpTo && !isOpen && first !== undefined) {
      return html`<li><a class="nav-closed" href="${hrefOf(first)}">${item.title}${icon('chevron')}</a></li>`
    }
    const mark = new Html(isOpen ? ' open' : '')
    return html`<li><details${mark}><summary>${item.title}${icon('chevron')}</summary>${list(item.children, path)}</details></li>`
  }

  return (path) => list(items, path)
}

/** The first groups that have few pages together, with those inside them: on large sites others are closed. */
function alwaysOpen(items: readonly NavigationItem[]): ReadonlySet<NavigationItem> {
  let left = openUpTo
  const open = items.filter((item) => {
    const count = readingOrder([item]).length
    if (count > left) return false
    left -= count
    return true
  })
  return new Set(open.flatMap(within))
}

function link({ badge, path = '', title, url }: NavigationItem, current: string): Html {
  if (url !== undefined) return html`<a href="${url}"><span>${title}</span></a>`
  const mark = new Html(path === current ? ' aria-current="page"' : '')
  // As wide as the other methods, beside a title in a narrow column.
  const label = badge === 'DELETE' ? 'DEL' : badge
  return html`<a href="${hrefOf(path)}"${mark}><span>${title}</span>${badge !== undefined && html` <span class="nav-badge nav-badge-${badge.toLowerCase()}">${label}</span>`}</a>`
}

function more(title: string, path: string | undefined): Html | false {
  return (
    path !== undefined && html`<li><a class="nav-more" href="${hrefOf(path)}">${title}</a></li>`
  )
}

/** Plain text by path of the page. */
type Descriptions = ReadonlyMap<string, string>

/** The items as a list, with a heading per group. */
export function listing(items: readonly NavigationItem[], descriptions: Descriptions): string {
  const pages = items.filter((item) => item.children === undefined && item.path !== undefined)
  const groups = items.filter((item) => item.children !== undefined)
  return html`${pages.length > 0 && cards(pages, descriptions)}${groups.map(
    (group) =>
      html`<section class="listing-group"><h2>${group.title}</h2>${cards(readingOrder(group.children ?? []), descriptions)}</section>`,
  )}`.text
}

function cards(items: readonly NavigationItem[], descriptions: Descriptions): Html {
  return html`<ul class="listing">${items.map(
    ({ title, path = '' }) =>
      html`<li><a href="${hrefOf(path)}"><strong>${title}</strong>${descriptions.get(path) && html`<span>${descriptions.get(path)}</span>`}</a></li>`,
  )}</ul>`
}
