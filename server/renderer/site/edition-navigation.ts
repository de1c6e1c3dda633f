// The navigation of each edition of a site. It is made with keys instead of paths (editions.ts), so that what the settings and
// the generator say of the main edition holds for its translations and versions, too, unless they have a navigation of their
// own. The API reference is in all of them.
import { navigationKey } from '../sources/addresses.ts'
import { type FolderFacts, factsOnSite, type Generator } from '../sources/generator.ts'
import type { NavigationSection } from '../sources/navigation-setting.ts'
import type { SourcePage } from '../sources/read-pages.ts'
import type { SiteSettings } from '../sources/settings.ts'
import { authoredNavigation, nestedByParent } from './authored-navigation.ts'
import type { Edition, Editions } from './editions.ts'
import {
  buildNavigation,
  type ListedReference,
  type NavigationItem,
  readingOrder,
} from './navigation.ts'

interface Parts {
  pages: readonly SourcePage[]
  references: readonly ListedReference[] | undefined
  settings: Pick<SiteSettings, 'title' | 'navigation'>
  generator: Generator
  /** The path of the page that an entry leads to. */
  findPage(to: string): string | undefined
}

/** `missing`: entries of the main edition that name nothing. */
export function createNavigations(
  { all, locate, main }: Editions,
  { findPage, generator, pages, references = [], settings }: Parts,
): { navigationOf(edition: Edition): NavigationItem[]; missing: string[] } {
  const placed = new Map(all.map((edition) => [edition, [] as SourcePage[]]))
  for (const page of pages) {
    const { edition, key } = locate(page.path)
    if (edition.pages.get(key) === page.path) placed.get(edition)?.push({ ...page, path: key })
  }
  const facts = new Map(all.map((edition) => [edition, new Map<string, FolderFacts>()]))
  for (const [folder, fact] of factsOnSite(generator)) {
    const { edition, key } = locate(folder)
    facts.get(edition)?.set(key, fact)
  }
  const nodes = settings.navigation.length > 0 ? undefined : generator.navigation
  const sources = new Map(pages.map(({ path, source }) => [path, source]))
  const siteTitle = settings.title
  const missing: string[] = []

  /** The entries of the settings that lead to the edition itself; without any, those of the main one. */
  function sectionsOf(edition: Edition): NavigationSection[] {
    const sections = settings.navigation.map(({ entries, title }) => ({
      title,
      entries: entries.flatMap((entry) => {
        const place = locate(`${entry.key}/`)
        return place.edition === edition ? { ...entry, key: navigationKey(place.key) } : []
      }),
    }))
    const isOwn = edition === main || sections.some(({ entries }) => entries.length > 0)
    return isOwn ? sections : sectionsOf(main)
  }

  function create(edition: Edition): NavigationItem[] {
    const own = placed.get(edition) ?? []
    const ownFacts = new Map([...(facts.get(main) ?? []), ...(facts.get(edition) ?? [])])
    const authored = nodes ?? nestedByParent(own)
    const read = (isTranslated: boolean): NavigationItem[] => {
      const found = authoredNavigation(authored, {
        facts: ownFacts,
        isTranslated,
        siteTitle,
        pages: own.map((page) => {
          const source = isTranslated && sources.get(main.pages.get(page.path) ?? '')
          return source ? { ...page, source } : page
        }),
        findPage(to) {
          const path = findPage(to)
          const { edition: its, key } = locate(path ?? '')
          const isOwn = its === edition || (isTranslated && its === main)
          return path !== undefined && isOwn && edition.pages.has(key) ? key : undefined
        },
      })
      if (edition === main) missing.push(...found.missing.filter((to) => !findPage(to)))
      if (all.length === 1) return found.items
      // A group of another edition may have addresses elsewhere only.
      const items = found.items.filter((item) => item.url || hasPages([item]))
      const [{ children = [] } = {}, ...others] = items
      // The group of the folder of the edition.
      const isFolder = others.length === 0 && children.some(({ path }) => path === edition.start)
      return isFolder ? children : items
    }
    const attempts = edition === main ? [false] : [false, true]
    const items = attempts.values().map(read).find(hasPages)
    const whole = items
      ? [...items, ...references.map(({ item }) => item)]
      : buildNavigation(own, siteTitle, sectionsOf(edition), references, ownFacts)
    return onSite(whole, edition.pages)
  }

  const created = new Map(all.map((edition) => [edition, create(edition)]))
  return { navigationOf: (edition) => created.get(edition) ?? [], missing }
}

const hasPages = (items: NavigationItem[]): boolean => readingOrder(items).length > 0

/** With the paths of its pages. */
const onSite = (items: readonly NavigationItem[], pages: Edition['pages']): NavigationItem[] =>
  items.map(({ children, path, ...item }) => ({
    ...item,
    ...(path !== undefined && { path: pages.get(path) ?? path }),
    ...(children && { children: onSite(children, pages) }),
  }))
