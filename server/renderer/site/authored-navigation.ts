// Navigation as its authors made it for a generator: groups in groups, with their titles, pages, whole folders, and addresses
// elsewhere. Entries without a page are counted, and left out, as are groups without entries.
import { folderOf } from '../sources/addresses.ts'
import type { FolderFacts, NavigationNode } from '../sources/generator.ts'
import type { SourcePage } from '../sources/read-pages.ts'
import { buildNavigation, type NavigationItem } from './navigation.ts'

interface AuthoredPages {
  pages: readonly SourcePage[]
  /** The path of the page that an entry leads to. */
  findPage(to: string): string | undefined
  facts: ReadonlyMap<string, FolderFacts>
  siteTitle: string
}

interface AuthoredNavigation {
  items: NavigationItem[]
  /** Entries that name nothing. */
  missing: string[]
}

const maxItems = 50_000
const costOfFolder = 50
const maxDepth = 30

export function authoredNavigation(
  nodes: readonly NavigationNode[],
  { facts, findPage, pages, siteTitle }: AuthoredPages,
): AuthoredNavigation {
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const missing: string[] = []
  let left = maxItems

  function read(node: NavigationNode, isTop: boolean): NavigationItem[] {
    if (left-- <= 0) return []
    const { children, folder, title, to } = node
    if (folder !== undefined) return ofFolder(folder, title)
    const isElsewhere = to !== undefined && /^https?:\/\//i.test(to)
    const path = to === undefined || isElsewhere ? undefined : findPage(to)
    const page = path === undefined ? undefined : byPath.get(path)
    const name = title ?? page?.label ?? page?.title
    const inner = (children ?? []).flatMap((child) => read(child, false))
    if (inner.length > 0) {
      const label = name ?? siteTitle
      const own = page?.label ?? page?.title ?? label
      const first = path === undefined ? [] : [{ title: own === label ? 'Overview' : own, path }]
      const isInside = path !== undefined && inner.some((item) => item.path === path)
      const [start, ...rest] = inner
      const isSame = start?.title === label && start.path !== undefined && !start.children
      const named = isSame ? [{ ...start, title: 'Overview' }, ...rest] : inner
      const all = isInside ? named : [...first, ...named]
      return [{ title: label, children: all, ...(isTop && { isSection: true as const }) }]
    }
    if (path === undefined && to !== undefined && !isElsewhere) missing.push(to)
    if (to === undefined || name === undefined) return []
    if (isElsewhere) return [{ title: name, url: to }]
    return path === undefined ? [] : [{ title: name, path }]
  }

  /** The pages of a folder in their own order, in a group if it has a title. */
  function ofFolder(folder: string, title: string | undefined): NavigationItem[] {
    // Each folder is searched in all pages.
    left -= costOfFolder
    const inside = pages.filter(({ nav, source }) => nav && source.startsWith(folder))
    left -= inside.length
    let items = buildNavigation(inside, siteTitle, [], [], facts)
    const [{ path = '' } = {}] = inside
    for (let depth = folderOf(path).split('/').length; depth > 1; depth--) {
      const [only, ...others] = items
      if (!only?.children || others.length > 0) break
      items = only.children
    }
    return title === undefined || items.length === 0 ? items : [{ title, children: items }]
  }

  return { items: nodes.flatMap((node) => read(node, true)), missing }
}

/** Titles of pages in the navigation, by path of their sources. */
export function titlesOf(nodes: readonly NavigationNode[]): Map<string, string> {
  const titles = new Map<string, string>()
  const add = ({ children = [], title, to }: NavigationNode) => {
    if (title !== undefined && to !== undefined && !titles.has(to)) titles.set(to, title)
    children.forEach(add)
  }
  nodes.forEach(add)
  return titles
}

/** What its entries lead to, in their order. */
export const pagesIn = (nodes: readonly NavigationNode[]): string[] =>
  nodes.flatMap(({ children = [], to }) => [
    ...(to === undefined ? [] : [to]),
    ...pagesIn(children),
  ])

/** The pages in the groups of those that they name as `parent`; undefined if none names one. */
export function nestedByParent(pages: readonly SourcePage[]): NavigationNode[] | undefined {
  if (pages.every(({ parent }) => parent === undefined)) return undefined
  const shown = pages.filter(({ nav }) => nav)
  const titles = new Set(shown.map(({ title }) => title))
  const byParent = Map.groupBy(shown, ({ parent = '' }) => (titles.has(parent) ? parent : ''))
  const { compare } = new Intl.Collator('en', { numeric: true })
  const orderOf = ({ order = Number.POSITIVE_INFINITY }: SourcePage) => order
  // Titles that several pages have are followed once.
  const open = new Set([''])
  const below = (title: string, depth: number): NavigationNode[] =>
    (byParent.get(title) ?? [])
      .toSorted((a, b) =>
        orderOf(a) === orderOf(b) ? compare(a.title, b.title) : orderOf(a) - orderOf(b),
      )
      .map((page) => {
        const isFirst = !open.has(page.title) && depth < maxDepth
        open.add(page.title)
        return { to: page.source, children: isFirst ? below(page.title, depth + 1) : undefined }
      })
  return below('', 0)
}
