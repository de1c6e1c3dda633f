// The fields at the start of a page: YAML between two lines of `---`, TOML between `+++`, or JSON. They were written for some
// generator, so that their names are those of all of them, and nothing in them stops the build: a field that cannot be used is
// reported with its line and ignored; of YAML that is not valid, the lines are read that can be.
import { parse as parseToml, TomlDate } from 'smol-toml'
import { DeployFailure } from '../site-files/site-file.ts'
import { readDay } from './plain-text.ts'
import { type Fields, inside, isRecord } from './plain-values.ts'
import { readYamlFields } from './source-text.ts'

export interface FrontMatter {
  title?: string
  /** Without it, pages use their first paragraph. */
  description?: string
  /** Lower comes first. */
  order?: number | undefined
  /** The title in the navigation, if different. */
  label?: string
  /** The day of a post. */
  date?: string
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

type OnProblem = (message: string, line: number) => void

/** The fields that give each of these, in all generators. The first that has a value is used. */
const names = {
  title: ['title'],
  description: ['description', 'summary', 'excerpt'],
  label: ['label', 'sidebar_label', 'nav_title', 'linkTitle', 'sidebarTitle', 'sidebar.label'],
  order: ['order', 'sidebar_position', 'nav_order', 'weight', 'sidebar.order'],
  date: ['date.created', 'date'],
  updated: ['updated', 'lastmod', 'lastUpdated', 'last_update.date'],
  address: ['permalink', 'url'],
  slug: ['slug'],
  id: ['id'],
  parent: ['parent'],
}

/** Of those that are no text. Undefined cannot be used; an empty text is as if the field were not there. */
const readers: { [Name in keyof typeof names]?: { read(value: unknown): unknown; form: string } } =
  {
    order: { read: numberOf, form: 'a number' },
    date: { read: (value) => dayOf(value) ?? '', form: 'a date' },
    updated: { read: dayOf, form: 'a date, such as 2026-11-02' },
  }

function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.every(isPlain) ? value.map(textOf).join(', ') : undefined
  return isPlain(value) ? String(value).replaceAll(/\s+/g, ' ').trim() : undefined
}

const isPlain = (value: unknown) => ['string', 'number', 'boolean', 'bigint'].includes(typeof value)

function numberOf(value: unknown): number | string | undefined {
  const text = textOf(value)
  if (!text) return text
  return Number.isFinite(Number(text)) ? Number(text) : undefined
}

function dayOf(value: unknown): string | undefined {
  // As generators have it: the day comes from the program.
  if (typeof value === 'boolean') return ''
  const text = value instanceof TomlDate ? value.toISOString() : textOf(value)
  return text && readDay(text)
}

const blocks = [
  /^---[ \t]*\n(?:([\s\S]*?)\n)?(?:---|\.\.\.)[ \t]*(?:\n|$)/,
  /^\+\+\+[ \t]*\n(?:([\s\S]*?)\n)?\+\+\+[ \t]*(?:\n|$)/,
  // JSON is YAML, too.
  /^(\{[ \t]*\n[ \t]*"[\w-]+":[\s\S]*?\n\})[ \t]*(?:\n|$)/,
]
const maxCharacters = 256 * 1024

/** The front matter, and the Markdown below it, with the number of its first line, counted from 1. `onProblem`: of a field, with its line. */
export function readFrontMatter(
  text: string,
  file: string,
  onProblem: OnProblem = () => {},
): { front: FrontMatter; body: string; firstLine: number } {
  const [block, fields] = readFields(text, file, onProblem)
  // `sidebar.label` is inside `sidebar`.
  const given = (name: string) => inside(fields, ...name.split('.'))
  const says = (answer: boolean, ...names: string[]) =>
    names.some((name) => [answer, `${answer}`].includes(given(name) as boolean))
  const isHidden = says(true, 'nav_exclude', 'hidden', 'unlisted', 'sidebar.hidden')
  const aliases = ['aliases', 'redirect_from', 'redirects'].flatMap((name) => given(name) ?? [])
  const [hero, features] = [given('hero'), given('features')]
  const front: FrontMatter = {
    nav: !isHidden && !says(false, 'nav'),
    draft: says(true, 'draft') || says(false, 'published'),
    aliases: aliases.filter((value) => typeof value === 'string'),
    ...(isRecord(hero) && { hero }),
    ...(Array.isArray(features) && { features }),
  }
  const lines = block.split('\n')
  for (const [key, usual] of Object.entries(names)) {
    const name = usual.find((name) => (given(name) ?? null) !== null)
    if (name === undefined) continue
    const { form = 'text', read = textOf } = readers[key as keyof typeof names] ?? {}
    const value = read(given(name))
    if (value !== undefined && value !== '') Object.assign(front, { [key]: value })
    const isIt = (line: string) => /^(?:\[| *")?([\w-]+)/.exec(line)?.[1] === name.split('.')[0]
    const line = lines.findIndex(isIt) + 1 || 1
    if (value === undefined) onProblem(`${name} must be ${form}: it is ignored.`, line)
  }
  return { front, body: text.slice(block.length), firstLine: lines.length }
}

/** The block, and its fields. */
function readFields(text: string, file: string, onProblem: OnProblem): [string, Fields] {
  const none: [string, Fields] = ['', {}]
  const match = blocks.map((block) => block.exec(text)).find((found) => found !== null)
  if (!match) return none
  const [block, content = ''] = match
  const isToml = block.startsWith('+')
  try {
    if (content.length > maxCharacters) throw new Error('it has more than 256 KB.')
    if (isToml) return [block, parseToml(content)]
    const { fields } = readYamlFields(content, { file, firstLine: 2, onProblem }) ?? {}
    return fields ? [block, fields] : none
  } catch (error) {
    // Not Markdown that begins with a brace or a line.
    if (!isToml && !/^[\w-]+:/m.test(content)) return none
    const message = error instanceof Error ? error.message.split('\n', 1)[0] : ''
    const line = error instanceof DeployFailure ? error.line : undefined
    onProblem(`Only the lines of the front matter that can be read are used. ${message}`, line ?? 1)
    return [block, readLines(content)]
  }
}

/** `name: value` in each line, of which many are right although the whole is not. */
function readLines(content: string): Fields {
  const lines = content.slice(0, maxCharacters).split('\n')
  const fields = lines.flatMap((text): [string, string][] => {
    const [, name, rest = ''] = /^"?([\w-]+)"?[ \t]*[:=][ \t]*(.*)$/.exec(text) ?? []
    const value = rest.trim().replace(/^(["'])(.*)\1$/, '$2')
    const isWhole = value !== '' && !/^[[{>|&*!"'](?!\{)/.test(value)
    return name !== undefined && isWhole ? [[name, value]] : []
  })
  // The first of those with the same name.
  return Object.fromEntries(fields.reverse())
}
