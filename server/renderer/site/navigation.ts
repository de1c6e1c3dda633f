// The navigation of a site: a tree of titles, most of which link to a page. Folders are groups.
import { folderOf, navigationKey, readableName } from '../sources/addresses.ts'
import type { NavigationSection } from '../sources/navigation-setting.ts'
import type { SourcePage } from '../sources/read-pages.ts'

export interface NavigationItem {
  title: string
  /** Canonical path of a page's file, such as `guides/first.html`; optional for a group. */
  path?: string
  /** A label next to the title, such as GET, POST or Deprecated. */
  badge?: string
  /** A group of the settings, which is no folder. */
  isSection?: true
  children?: NavigationItem[]
}

type NavigationPage = Pick<SourcePage, 'path' | 'title' | 'label' | 'order' | 'nav'>

/** The API reference: last, unless one of its keys is listed. */
export interface ListedReference {
  item: NavigationItem
  keys: readonly string[]
}

interface Entry {
  item: NavigationItem
  /** In the list of what comes first. */
  place: number
  order: number
  name: string
  isLast?: boolean
}

/**
 * The tree: what is listed in its order, the rest by `order`, then pages before groups, then by the names of the files.
 * What is listed in a section with a title is in its group instead of its folder.
 */
export function buildNavigation(
  pages: readonly NavigationPage[],
  siteTitle: string,
  sections: readonly NavigationSection[] = [],
  reference?: ListedReference,
): NavigationItem[] {
  const places = new Map<string | NavigationSection, number>()
  const grouped = new Set<string>()
  let listedSoFar = 0
  for (const section of sections) {
    const keys = section.entries.map(({ key }) => key)
    if (section.title === undefined) for (const key of keys) places.set(key, listedSoFar++)
    else {
      places.set(section, listedSoFar++)
      for (const key of keys) grouped.add(key)
    }
  }
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const folders = new Map<string, NavigationPage[]>([['', []]])
  for (const page of pages) {
    if (!page.nav) continue
    for (let folder = folderOf(page.path); !folders.has(folder); folder = parentOf(folder)) {
      folders.set(folder, [])
    }
    folders.get(folderOf(page.path))?.push(page)
  }

  function children(folder: string): NavigationItem[] {
    const own = ownPage(folder)
    const entries: Entry[] = (folders.get(folder) ?? [])
      .filter((page) => page !== own && !folders.has(`${page.path.replace(/\.html$/, '')}/`))
      .map((page) => entry({ title: page.label ?? page.title, path: page.path }, page, page.path))
    for (const inner of folders.keys()) {
      if (inner !== '' && parentOf(inner) === folder) entries.push(...group(inner))
    }
    const isRoot = folder === ''
    const free = entries.filter(({ name }) => !grouped.has(navigationKey(name)))
    const all = isRoot ? [...free, ...sections.flatMap(titled), ...ofReference()] : free
    const items = all.sort(byOrder).map(({ item }) => item)
    return own?.nav && !(isRoot && grouped.has('')) ? [overview(own, folder), ...items] : items
  }

  function ownPage(folder: string): NavigationPage | undefined {
    return byPath.get(`${folder}index.html`) ?? byPath.get(`${folder.slice(0, -1)}.html`)
  }

  /** None without pages, as when all are listed in other groups. */
  function group(folder: string): [] | [Entry] {
    const own = ownPage(folder)
    const title = own?.label ?? own?.title ?? readableName(folder)
    const inside = children(folder)
    const [only] = inside
    if (only === undefined) return []
    if (inside.length === 1 && own !== undefined && only.path === own.path) {
      return [entry({ title, path: own.path }, own, folder)]
    }
    return [entry({ title, children: inside }, own, folder)]
  }

  /** The group of a section; none if it would be empty. A folder alone is the group itself. */
  function titled(section: NavigationSection): Entry[] {
    const { entries, title } = section
    const items = title === undefined ? [] : entries.flatMap(({ key }) => listed(key))
    const [only] = items
    if (title === undefined || only === undefined) return []
    const inside = items.length === 1 ? (only.children ?? items) : items
    const place = places.get(section) ?? Number.POSITIVE_INFINITY
    return [{ item: { title, children: inside, isSection: true }, place, order: 0, name: title }]
  }

  function listed(key: string): NavigationItem[] {
    const items = reference?.keys.includes(key) ? [reference.item] : []
    if (key === '') return [...items, ...homeItem()]
    const folder = `${key}/`
    if (folders.has(folder)) return [...items, ...group(folder).map(({ item }) => item)]
    const page = byPath.get(`${key}.html`) ?? byPath.get(`${folder}index.html`)
    return page?.nav ? [...items, { title: page.label ?? page.title, path: page.path }] : items
  }

  function homeItem(): NavigationItem[] {
    const own = ownPage('')
    return own?.nav ? [overview(own, '')] : []
  }

  /** Last, unless it is listed. */
  function ofReference(): Entry[] {
    if (!reference || reference.keys.some((key) => grouped.has(key))) return []
    const place = Math.min(...reference.keys.map((key) => places.get(key) ?? Infinity))
    return [{ item: reference.item, place, order: Infinity, name: '', isLast: place === Infinity }]
  }

  function overview(page: NavigationPage, folder: string): NavigationItem {
    const title = folder === '' ? siteTitle : (page.label ?? page.title)
    const label = page.label ?? page.title
    return { title: label === title ? 'Overview' : label, path: page.path }
  }

  function entry(item: NavigationItem, page: NavigationPage | undefined, name: string): Entry {
    const place = places.get(navigationKey(name)) ?? Number.POSITIVE_INFINITY
    return { item, place, order: page?.order ?? Number.POSITIVE_INFINITY, name }
  }

  return children('')
}

const { compare } = new Intl.Collator('en', { numeric: true })

function byOrder(a: Entry, b: Entry): number {
  if (a.place !== b.place) return a.place - b.place
  if (a.isLast || b.isLast) return a.isLast ? 1 : -1
  if (a.order !== b.order) return a.order - b.order
  const groups = Number(a.item.children !== undefined) - Number(b.item.children !== undefined)
  return groups === 0 ? compare(a.name, b.name) : groups
}

function parentOf(folder: string): string {
  return folderOf(folder.slice(0, -1))
}

/** The pages in reading order. */
export function readingOrder(items: readonly NavigationItem[]): NavigationItem[] {
  return items.flatMap((item) => [
    ...(item.path === undefined ? [] : [item]),
    ...readingOrder(item.children ?? []),
  ])
}

/** The titles of the groups of the settings, by path of their pages. */
export function sectionTitles(items: readonly NavigationItem[]): ReadonlyMap<string, string> {
  const sections = items.filter(({ isSection }) => isSection)
  return new Map(
    sections.flatMap(({ children = [], title }) =>
      readingOrder(children).map(({ path = '' }) => [path, title] as const),
    ),
  )
}
