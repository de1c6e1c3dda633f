// Navigation as its authors made it for a generator: groups in groups, with their titles, pages, whole folders, and addresses
// elsewhere. Entries without a page are counted, and left out, as are groups without entries.
import { folderOf, readableName } from '../sources/addresses.ts'
import type { FolderFacts, NavigationNode } from '../sources/generator.ts'
import type { SourcePage } from '../sources/read-pages.ts'
import { buildNavigation, byRank, type NavigationItem } from './navigation.ts'

interface AuthoredPages {
  pages: readonly SourcePage[]
  /** The path of the page that an entry leads to. */
  findPage(to: string): string | undefined
  facts: ReadonlyMap<string, FolderFacts>
  siteTitle: string
  /** Whether its titles are in another language than the pages. */
  isTranslated?: boolean
}

const maxItems = 50_000
const costOfFolder = 50
const maxDepth = 30

/** `missing`: entries that name nothing. */
export function authoredNavigation(
  nodes: readonly NavigationNode[],
  { facts, findPage, isTranslated = false, pages, siteTitle }: AuthoredPages,
): { items: NavigationItem[]; missing: string[] } {
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const missing: string[] = []
  let left = maxItems

  function read(node: NavigationNode, isTop: boolean): NavigationItem[] {
    if (left-- <= 0) return []
    const { children, folder, title, to } = node
    if (folder !== undefined) return ofFolder(folder, title)
    const isElsewhere = /^https?:\/\//i.test(to ?? '')
    const path = to === undefined || isElsewhere ? undefined : findPage(to)
    const page = byPath.get(path ?? '')
    const own = page?.label ?? page?.title
    const name = (isTranslated ? own : undefined) ?? title ?? own
    const inner = (children ?? []).flatMap((child) => read(child, false))
    if (inner.length > 0) {
      const label = name ?? (to === undefined ? siteTitle : readableName(to))
      const isInside = path === undefined || inner.some((item) => item.path === path)
      const all = isInside ? inner : [{ title: own ?? label, path }, ...inner]
      const [head, ...rest] = all
      const isSame = head?.title === label && head.path !== undefined && !head.children
      const named = isSame ? [{ ...head, title: 'Overview' }, ...rest] : all
      return [{ title: label, children: named, ...(isTop && { isSection: true as const }) }]
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

/** With those inside them, in their order. */
const allOf = (nodes: readonly NavigationNode[]): NavigationNode[] =>
  nodes.flatMap((node) => [node, ...allOf(node.children ?? [])])

/** Titles of pages in the navigation, by path of their sources: the first that each has. */
export const titlesOf = (nodes: readonly NavigationNode[]): Map<string, string> =>
  new Map(
    allOf(nodes)
      .reverse()
      .flatMap(({ title, to }) => (title === undefined || to === undefined ? [] : [[to, title]])),
  )

/** What its entries lead to, in their order. */
export const pagesIn = (nodes: readonly NavigationNode[]): string[] =>
  allOf(nodes).flatMap(({ to }) => to ?? [])

/** The pages in the groups of those that they name as `parent`; none if none names one. */
export function nestedByParent(pages: readonly SourcePage[]): NavigationNode[] {
  if (pages.every(({ parent }) => parent === undefined)) return []
  const shown = pages
    .filter(({ nav }) => nav)
    .map((page) => ({ ...page, name: page.title, rank: [page.order ?? Infinity] }))
    .sort(byRank)
  const titles = new Set(shown.map(({ title }) => title))
  const byParent = Map.groupBy(shown, ({ parent = '' }) => (titles.has(parent) ? parent : ''))
  // Titles that several pages have are followed once.
  const open = new Set([''])
  const below = (title: string, depth: number): NavigationNode[] =>
    (byParent.get(title) ?? []).map(({ source, title }) => {
      const isFirst = !open.has(title) && depth < maxDepth
      open.add(title)
      return { to: source, children: isFirst ? below(title, depth + 1) : undefined }
    })
  return below('', 0)
}
