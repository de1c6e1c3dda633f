// The order of the navigation: pages and folders that come first, each in its folder, and groups with a title of their
// own, which take their pages out of the folders. In site.yaml:
//   navigation: [index.md, { title: Get started, pages: [guides/first.md, guides/] }, openapi.yaml]
import { DeployFailure } from '../site-files/site-file.ts'
import { isPageSource, navigationKey } from './addresses.ts'
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

/** The place of a field of site.yaml, or of a value without lines that was chosen in the project settings. */
export interface Setting {
  /** Path of the settings file. */
  file?: string | undefined
  line: number | undefined
  lineAt(...path: (string | number)[]): number | undefined
  /** Whether it is a file of the deploy that is published. */
  hasFile(path: string): boolean
  /** Throws DeployFailure, by default with the line of the field. */
  refuse(message: string, line?: number): never
}

export const maxGroupTitleLength = 100
export const navigationForm =
  'a list of Markdown files, folders and groups, each with a title and a list of pages'

/** Undefined if it is no list. A page in a group is nowhere else; lists without a title may repeat theirs. */
export function readNavigation(
  value: unknown,
  { lineAt, refuse }: Setting,
): NavigationSection[] | undefined {
  if (!Array.isArray(value)) return undefined
  const sections: NavigationSection[] = []
  const titleOf = new Map<string, string | undefined>()
  const refuseForm = (...place: (string | number)[]) =>
    refuse(`navigation must be ${navigationForm}.`, lineAt(...place))
  value.forEach((item: unknown, i) => {
    const { pages, title } = readSection(item) ?? refuseForm(i)
    if (title !== undefined && (title === '' || [...title].length > maxGroupTitleLength))
      refuse(`The title of a group has 1 to ${maxGroupTitleLength} characters.`, lineAt(i, 'title'))
    if (pages.length === 0) refuse('A group has at least one page.', lineAt(i, 'pages'))
    const entries = pages.map((path, of) => {
      if (typeof path !== 'string') return refuseForm(i, 'pages', of)
      const entry = { key: navigationKey(path), path, line: lineAt(i, 'pages', of) }
      if (titleOf.has(entry.key) && (titleOf.get(entry.key) ?? title) !== undefined) {
        const message = `navigation: ${path.slice(0, 200)} is listed twice. Keep one of them.`
        refuse(message, entry.line)
      }
      titleOf.set(entry.key, title)
      return entry
    })
    const last = sections.at(-1)
    if (title === undefined && last && last.title === undefined) last.entries.push(...entries)
    else sections.push({ title, entries })
  })
  return sections
}

function readSection(item: unknown): { title?: string; pages: unknown[] } | undefined {
  if (typeof item === 'string') return { pages: [item] }
  const { pages, title } = onlyFields(item, 'title', 'pages') ?? {}
  return typeof title === 'string' && Array.isArray(pages)
    ? { title: title.trim(), pages }
    : undefined
}

/** Throws DeployFailure for an entry of the file that names nothing. `others` are keys of what has no Markdown file. */
export function refuseMissingEntries(
  sections: readonly NavigationSection[],
  sources: ReadonlyMap<string, unknown>,
  others: readonly string[],
  file: string | undefined,
): void {
  const keys = new Set(['', ...others])
  for (const path of sources.keys()) {
    if (!isPageSource(path)) continue
    for (let key = navigationKey(path); !keys.has(key); key = key.replace(/\/?[^/]*$/, ''))
      keys.add(key)
  }
  for (const { key, line, path } of sections.flatMap(({ entries }) => entries)) {
    if (line === undefined || keys.has(key)) continue
    const message = `navigation: there is no Markdown file or folder ${path.slice(0, 200)}. Add it, or correct the path.`
    throw new DeployFailure(message, { file, line })
  }
}
