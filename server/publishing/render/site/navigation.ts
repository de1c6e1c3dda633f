// The navigation of a site: a tree of titles, most of which link to a page. Folders are groups.
import { folderOf, navigationKey, readableName } from '../sources/addresses.ts'
import type { SourcePage } from '../sources/read-pages.ts'

export interface NavigationItem {
  title: string
  /** Canonical path of a page's file, such as `guides/first.html`; optional for a group. */
  path?: string
  /** A label next to the title, such as GET, POST or Deprecated. */
  badge?: string
  children?: NavigationItem[]
}

export type NavigationPage = Pick<SourcePage, 'path' | 'title' | 'label' | 'order' | 'nav'>

interface Entry {
  item: NavigationItem
  /** In the list of what comes first. */
  place: number
  order: number
  name: string
}

/** The tree: what is in `first` (navigation keys) in its order, the rest by `order`, then pages before groups, then by the names of the files. */
export function buildNavigation(
  pages: readonly NavigationPage[],
  siteTitle: string,
  first: readonly string[] = [],
): NavigationItem[] {
  const places = new Map(first.map((key, place) => [key, place]))
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
      if (inner !== '' && parentOf(inner) === folder) entries.push(group(inner))
    }
    const items = entries.sort(byOrder).map(({ item }) => item)
    return own?.nav ? [overview(own, folder), ...items] : items
  }

  function ownPage(folder: string): NavigationPage | undefined {
    return byPath.get(`${folder}index.html`) ?? byPath.get(`${folder.slice(0, -1)}.html`)
  }

  function group(folder: string): Entry {
    const own = ownPage(folder)
    const title = own?.label ?? own?.title ?? readableName(folder)
    const inside = children(folder)
    const [only] = inside
    if (inside.length === 1 && own !== undefined && only?.path === own.path) {
      return entry({ title, path: own.path }, own, folder)
    }
    return entry({ title, children: inside }, own, folder)
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
