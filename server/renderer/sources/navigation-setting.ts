// The order of the navigation: pages and folders that come first, each in its folder, and groups with a title of their
// own, which take their pages out of the folders. In site.yaml:
//   navigation: [index.md, { title: Get started, pages: [guides/first.md, guides/] }, openapi.yaml]
import { DeployFailure } from '../site-files/site-file.ts'
import { folderOf, isPageSource, navigationKey } from './addresses.ts'
import { onlyFields } from './plain-values.ts'

export interface NavigationSection {
  /** Undefined: its entries come first, without a group. */
  title: string | undefined
  entries: NavigationEntry[]
}

interface NavigationEntry {
  key: string
  /** As it was written. */
  path: string
  /** In site.yaml. What is chosen in the project settings has none, and may name pages that do not exist yet. */
  line?: number | undefined
}

/** A field of site.yaml, or a value without lines that was chosen in the project settings. */
export interface Setting {
  /** Path of the settings file. */
  file?: string | undefined
  /** Of what is inside it, by indexes and names; otherwise its own. */
  lineAt(...path: (string | number)[]): number | undefined
  /** Whether it is a file of the deploy that is published. */
  hasFile(path: string): boolean
  /** Throws DeployFailure with that line. */
  refuse(message: string, ...path: (string | number)[]): never
}

export const maxGroupTitleLength = 100
export const navigationForm =
  'a list of Markdown files, folders and groups, each with a title and a list of pages'

/** Undefined if it is no list. A page in a group is nowhere else; lists without a title may repeat theirs. */
export function readNavigation(
  value: unknown,
  { lineAt, refuse }: Setting,
): NavigationSection[] | undefined {
  const titleOf = new Map<string, string | undefined>()
  const refuseForm = (...place: (string | number)[]) =>
    refuse(`navigation must be ${navigationForm}.`, ...place)
  if (!Array.isArray(value)) return undefined
  const sections: NavigationSection[] = []
  for (const [i, item] of value.entries()) {
    const group = typeof item === 'string' ? { pages: [item] } : onlyFields(item, 'title', 'pages')
    const { pages, title: given } = group ?? {}
    const title = typeof given === 'string' ? given.trim() : undefined
    if (!Array.isArray(pages) || (typeof item !== 'string' && title === undefined))
      return refuseForm(i)
    if (title !== undefined && (title === '' || [...title].length > maxGroupTitleLength))
      refuse(`The title of a group has 1 to ${maxGroupTitleLength} characters.`, i, 'title')
    if (pages.length === 0) refuse('A group has at least one page.', i, 'pages')
    const entries = pages.map((path: unknown, of) => {
      if (typeof path !== 'string') return refuseForm(i, 'pages', of)
      const key = navigationKey(path)
      if (titleOf.has(key) && (titleOf.get(key) ?? title) !== undefined) {
        const message = `navigation: ${path.slice(0, 200)} is listed twice. Keep one of them.`
        refuse(message, i, 'pages', of)
      }
      titleOf.set(key, title)
      return { key, path, line: lineAt(i, 'pages', of) }
    })
    const last = sections.at(-1)
    if (title === undefined && last && last.title === undefined) last.entries.push(...entries)
    else sections.push({ title, entries })
  }
  return sections
}

/** Throws DeployFailure for an entry of the file that names nothing. `others` are keys of what has no Markdown file. */
export function refuseMissingEntries(
  sections: readonly NavigationSection[],
  sources: ReadonlyMap<string, unknown>,
  others: readonly string[],
  file: string | undefined,
): void {
  // With those of the folders.
  const keys = new Set(['', ...others])
  for (const path of sources.keys().filter(isPageSource)) {
    for (let key = navigationKey(path); !keys.has(key); key = folderOf(key).slice(0, -1))
      keys.add(key)
  }
  for (const { key, line, path } of sections.flatMap(({ entries }) => entries)) {
    if (line === undefined || keys.has(key)) continue
    const message = `navigation: there is no Markdown file or folder ${path.slice(0, 200)}. Add it, or correct the path.`
    throw new DeployFailure(message, { file, line })
  }
}
