// The order of the navigation: pages and folders that come first, each in its folder, and groups with a title of their
// own, which take their pages out of the folders. In site.yaml:
//   navigation: [index.md, { title: Get started, pages: [guides/first.md, guides/] }, openapi.yaml]
import { DeployFailure } from '../site-files/site-file.ts'
import { isPageSource, navigationKey } from './addresses.ts'

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
  value: unknown
  line: number | undefined
  lineAt(...path: (string | number)[]): number | undefined
}

export const maxGroupTitleLength = 100
const form =
  'navigation must be a list of Markdown files, folders and groups, each with a title and a list of pages.'

export function readNavigation(
  { lineAt, value }: Setting,
  refuse: (message: string, line?: number) => never,
): NavigationSection[] {
  if (!Array.isArray(value)) return refuse(form)
  const sections: NavigationSection[] = []
  value.forEach((item: unknown, i) => {
    const entry = (path: unknown, ...place: (string | number)[]): NavigationEntry => {
      const line = lineAt(i, ...place)
      return typeof path === 'string'
        ? { key: navigationKey(path), path, line }
        : refuse(form, line)
    }
    if (typeof item === 'string') {
      const last = sections.at(-1)
      if (last && last.title === undefined) last.entries.push(entry(item))
      else sections.push({ title: undefined, entries: [entry(item)] })
      return
    }
    const group = readGroup(item) ?? refuse(form, lineAt(i))
    if (group.title.trim() === '' || [...group.title].length > maxGroupTitleLength)
      refuse(`The title of a group has 1 to ${maxGroupTitleLength} characters.`, lineAt(i, 'title'))
    if (group.pages.length === 0) refuse('A group has at least one page.', lineAt(i, 'pages'))
    const entries = group.pages.map((path, of) => entry(path, 'pages', of))
    sections.push({ title: group.title.trim(), entries })
  })
  const repeated = findRepeated(sections)
  if (repeated) {
    const { line, path } = repeated
    refuse(`navigation: ${path.slice(0, 200)} is listed twice. Keep one of them.`, line)
  }
  return sections
}

function readGroup(item: unknown): { title: string; pages: unknown[] } | undefined {
  if (typeof item !== 'object' || item === null) return undefined
  const { pages, title, ...others } = item as Record<string, unknown>
  if (typeof title !== 'string' || !Array.isArray(pages)) return undefined
  return Object.keys(others).length > 0 ? undefined : { title, pages }
}

/** A page in a group is nowhere else. Lists without a title may repeat theirs. */
function findRepeated(sections: readonly NavigationSection[]): NavigationEntry | undefined {
  const groupOf = new Map<string, NavigationSection>()
  for (const section of sections) {
    for (const entry of section.entries) {
      const before = groupOf.get(entry.key)
      const isGrouped = (before?.title ?? section.title) !== undefined
      if (before !== undefined && isGrouped) return entry
      groupOf.set(entry.key, section)
    }
  }
  return undefined
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
