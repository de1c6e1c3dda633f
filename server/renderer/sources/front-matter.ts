// The fields at the start of a page: YAML between two lines of `---`, TOML between `+++`, or JSON. They were written for some
// generator, so that their names are those of all of them, and nothing in them stops the build: a field that cannot be used is
// reported with its line and ignored; of YAML that is not valid, the lines are read that can be.
import { parse as parseToml, TomlDate } from 'smol-toml'
import { DeployFailure } from '../site-files/site-file.ts'
import { readDay } from './plain-text.ts'
import { isRecord } from './plain-values.ts'
import { readYamlFields, type YamlField } from './source-text.ts'

export interface FrontMatter {
  title?: string
  /** Without it, pages use their first paragraph. */
  description?: string
  /** Lower comes first. */
  order?: number
  /** The title in the navigation, if different. */
  label?: string
  /** The day of its last change: `2026-11-02`. */
  updated?: string
  /** The address that the author chose, as written: `/start`, `start`, `/start/index.html`. */
  address?: string
  /** The last part of its address. */
  slug?: string
  /** The name by which the navigation refers to it (Docusaurus). */
  id?: string
  /** The title of the page above it (just-the-docs). */
  parent?: string
  /** Addresses that it had. */
  aliases: string[]
  /** False: hidden in the navigation. */
  nav: boolean
  /** Not published. */
  draft: boolean
  /** What a start page begins with: the fields `hero` and `features` of VitePress and Starlight. */
  hero?: Record<string, unknown>
  features?: unknown[]
}

type Fields = ReadonlyMap<string, Pick<YamlField, 'value' | 'line'>>
type OnProblem = (message: string, line: number) => void

/** Undefined cannot be used; an empty text is as if the field were not there. */
const readers = {
  title: { names: ['title'], read: textOf, form: 'text' },
  description: { names: ['description', 'summary', 'excerpt'], read: textOf, form: 'text' },
  label: {
    names: ['label', 'sidebar_label', 'nav_title', 'linkTitle', 'sidebarTitle', 'sidebar.label'],
    read: textOf,
    form: 'text',
  },
  order: {
    names: ['order', 'sidebar_position', 'nav_order', 'weight', 'sidebar.order'],
    read: numberOf,
    form: 'a number',
  },
  updated: {
    names: ['updated', 'lastmod', 'lastUpdated', 'last_update.date'],
    read: dayOf,
    form: 'a date, such as 2026-11-02',
  },
  address: { names: ['permalink', 'url'], read: textOf, form: 'text' },
  slug: { names: ['slug'], read: textOf, form: 'text' },
  id: { names: ['id'], read: textOf, form: 'text' },
  parent: { names: ['parent'], read: textOf, form: 'text' },
}

function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.every(isPlain) ? value.map(textOf).join(', ') : undefined
  return isPlain(value) ? String(value).replaceAll(/\s+/g, ' ').trim() : undefined
}

const isPlain = (value: unknown) => ['string', 'number', 'boolean', 'bigint'].includes(typeof value)

function numberOf(value: unknown): number | string | undefined {
  if (typeof value === 'string' && value.trim() === '') return ''
  const isNumber = typeof value === 'number' || typeof value === 'string'
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : undefined
}

/** Of `2026-11-02`, or in words with a day: `2 November 2026`, `November 2, 2026`. */
function dayOf(value: unknown): string | undefined {
  // As generators have it: the day comes from the program.
  if (typeof value === 'boolean') return ''
  if (value instanceof TomlDate) return value.toISOString().slice(0, 10)
  const text = textOf(value)
  if (text === undefined || text === '') return text
  const hasDay = /^(?:\d{1,2}(?:st|nd|rd|th)? [a-z]+|[a-z]+ \d{1,2}(?:st|nd|rd|th)?),? \d{4}$/i
  if (!hasDay.test(text)) return readDay(text)
  const time = Date.parse(`${text.replace(/(\d)(?:st|nd|rd|th)/, '$1')} UTC`)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10)
}

const yamlBlock = /^---[ \t]*\n(?:([\s\S]*?)\n)?(?:---|\.\.\.)[ \t]*(?:\n|$)/
const tomlBlock = /^\+\+\+[ \t]*\n(?:([\s\S]*?)\n)?\+\+\+[ \t]*(?:\n|$)/
const jsonBlock = /^(\{[ \t]*\n[\s\S]*?\n\})[ \t]*(?:\n|$)/
const maxCharacters = 256 * 1024

/** The front matter, and the Markdown below it, with the number of its first line, counted from 1. `onProblem`: of a field, with its line. */
export function readFrontMatter(
  text: string,
  file: string,
  onProblem: OnProblem = () => {},
): { front: FrontMatter; body: string; firstLine: number } {
  const [length, fields] = readFields(text, file, onProblem)
  const front: FrontMatter = {
    nav: !isFalse(fields.get('nav')) && !hidden.some((name) => isTrue(fields.get(name))),
    draft: isTrue(fields.get('draft')) || isFalse(fields.get('published')),
    aliases: listOf(fields, ['aliases', 'redirect_from', 'redirects']),
  }
  for (const [key, { names, read, form }] of Object.entries(readers)) {
    const name = names.find((name) => (fields.get(name)?.value ?? null) !== null)
    const field = name === undefined ? undefined : fields.get(name)
    if (!field) continue
    const value = read(field.value)
    if (value === undefined) onProblem(`${name} must be ${form}: it is ignored.`, field.line)
    else if (value !== '') Object.assign(front, { [key]: value })
  }
  const hero = fields.get('hero')?.value
  if (isRecord(hero)) front.hero = hero
  const features = fields.get('features')?.value
  if (Array.isArray(features)) front.features = features
  const firstLine = text.slice(0, length).split('\n').length
  return { front, body: text.slice(length), firstLine }
}

const hidden = ['nav_exclude', 'hidden', 'unlisted', 'sidebar.hidden']
const isTrue = (field: { value: unknown } | undefined) => `${field?.value}` === 'true'
const isFalse = (field: { value: unknown } | undefined) => `${field?.value}` === 'false'

function listOf(fields: Fields, names: string[]): string[] {
  const values = names.flatMap((name) => fields.get(name)?.value ?? [])
  return values.filter((value) => typeof value === 'string')
}

/** The length of the block, and its fields, with those inside `sidebar` and `last_update` as `sidebar.label`. */
function readFields(text: string, file: string, onProblem: OnProblem): [number, Fields] {
  const none: [number, Fields] = [0, new Map()]
  const match = yamlBlock.exec(text) ?? tomlBlock.exec(text) ?? jsonBlock.exec(text)
  if (!match) return none
  const [block, content = ''] = match
  const isYaml = block.startsWith('---')
  let fields: Fields | undefined
  try {
    if (content.length > maxCharacters) throw new Error('it has more than 256 KB.')
    if (isYaml) fields = readYamlFields(content, { file, firstLine: 2, onProblem })
    else fields = readOther(block, content)
  } catch (error) {
    // Not Markdown that begins with a brace or a line.
    if (block.startsWith('{') || (isYaml && !/^[\w-]+:/m.test(content))) return none
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''
    const line = error instanceof DeployFailure ? error.line : undefined
    onProblem(`Only the lines of the front matter that can be read are used. ${message}`, line ?? 1)
    fields = readLines(content)
  }
  if (!fields) return none
  return [block.length, withInner(fields)]
}

function readOther(block: string, content: string): Fields {
  const read: unknown = block.startsWith('{') ? JSON.parse(content) : parseToml(content)
  if (!isRecord(read)) throw new Error('it has no fields.')
  const firstLine = block.startsWith('{') ? 1 : 2
  const lines = new Map<string, number>()
  for (const [index, text] of content.split('\n').entries()) {
    const name = /^[\s[]*"?([\w-]+)/.exec(text)?.[1]
    if (name !== undefined && !lines.has(name)) lines.set(name, index + firstLine)
  }
  return new Map(
    Object.entries(read).map(([name, value]) => [name, { value, line: lines.get(name) ?? 1 }]),
  )
}

/** `name: value` in each line, of which many are right although the whole is not. */
function readLines(content: string): Fields {
  const fields = new Map<string, { value: unknown; line: number }>()
  for (const [index, text] of content.slice(0, maxCharacters).split('\n').entries()) {
    const [, name = '', rest = ''] = /^"?([\w-]+)"?[ \t]*[:=][ \t]*(.*)$/.exec(text) ?? []
    const value = rest.trim().replace(/^(["'])(.*)\1$/, '$2')
    if (name === '' || value === '' || /^[[{>|&*!"'](?!\{)/.test(value) || fields.has(name))
      continue
    fields.set(name, { value, line: index + 2 })
  }
  return fields
}

function withInner(fields: Fields): Fields {
  const all = new Map(fields)
  for (const name of ['sidebar', 'last_update', 'params']) {
    const field = fields.get(name)
    if (!field || !isRecord(field.value)) continue
    for (const [inner, value] of Object.entries(field.value)) {
      all.set(`${name}.${inner}`, { value, line: field.line })
    }
  }
  return all
}
