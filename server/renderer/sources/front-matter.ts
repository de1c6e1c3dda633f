// The YAML between two lines of `---` at the start of a page:
//   title, description, order (a number; lower comes first), nav: false (not in the navigation),
//   label (its name in the navigation), draft: true (not published), updated (a date).
// The names of these fields in Docusaurus, MkDocs, Jekyll and Hugo are accepted, too; other fields are ignored.
import { DeployFailure } from '../site-files/deploy-failure.ts'
import { readDay } from './written-date.ts'
import { readYamlFields, type YamlField } from './yaml-fields.ts'

export interface FrontMatter {
  title?: string
  /** Without it, pages use their first paragraph. */
  description?: string
  order?: number
  /** The title in the navigation, if different. */
  label?: string
  /** The day of its last change: `2026-11-02`. */
  updated?: string
  /** False: hidden in the navigation. */
  nav: boolean
  draft: boolean
}

const names = {
  title: ['title'],
  description: ['description', 'summary'],
  order: ['order', 'sidebar_position', 'nav_order', 'weight'],
  label: ['label', 'sidebar_label', 'nav_title', 'linkTitle'],
  updated: ['updated', 'lastmod'],
}

const block = /^---[ \t]*\n(?:([\s\S]*?)\n)?(?:---|\.\.\.)[ \t]*(?:\n|$)/

/** The front matter and the Markdown below it. Throws DeployFailure with the line. */
export function readFrontMatter(text: string, file: string): { front: FrontMatter; body: string } {
  const found = block.exec(text)
  const fields = found && readYamlFields(found[1] ?? '', { file, firstLine: 2 })
  if (!found || !fields) return { front: { nav: true, draft: false }, body: text }
  const front: FrontMatter = {
    nav: !isFalse(fields.get('nav')) && !isTrue(fields.get('nav_exclude')),
    draft: isTrue(fields.get('draft')),
  }
  for (const name of ['title', 'description', 'label'] as const) {
    const text = readText(pick(fields, names[name]), file)
    if (text !== undefined) front[name] = text
  }
  const order = readNumber(pick(fields, names.order), file)
  if (order !== undefined) front.order = order
  const updated = readDate(pick(fields, names.updated), file)
  if (updated !== undefined) front.updated = updated
  return { front, body: text.slice(found[0].length) }
}

function pick(fields: Map<string, YamlField>, candidates: string[]) {
  for (const name of candidates) {
    const field = fields.get(name)
    if (field !== undefined && field.value !== null) return { name, ...field }
  }
  return undefined
}

type Picked = ReturnType<typeof pick>

function readText(field: Picked, file: string): string | undefined {
  if (field === undefined) return undefined
  const { name, value, line } = field
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    const text = String(value).replaceAll(/\s+/g, ' ').trim()
    return text === '' ? undefined : text
  }
  throw new DeployFailure(`${name} must be text.`, { file, line })
}

function readNumber(field: Picked, file: string): number | undefined {
  if (field === undefined) return undefined
  const { name, value, line } = field
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new DeployFailure(`${name} must be a number.`, { file, line })
}

function readDate(field: Picked, file: string): string | undefined {
  if (field === undefined) return undefined
  const { name, value, line } = field
  const day = typeof value === 'string' ? readDay(value) : undefined
  if (day !== undefined) return day
  throw new DeployFailure(`${name} must be a date, such as 2026-11-02.`, { file, line })
}

const isTrue = (field: YamlField | undefined) => field?.value === true
const isFalse = (field: YamlField | undefined) => field?.value === false
