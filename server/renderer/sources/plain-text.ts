// Plain text for pages and samples, from what authors wrote; it is escaped where it is inserted. JSON keeps all digits and is
// bounded in size.
import { exactInteger } from '#kit/json/exact-number.ts'
import { attempt } from './plain-values.ts'

/** At most `length` characters, with an ellipsis if shortened. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** One line, at most 200 characters. */
export function oneLine(text: string, length = 200): string {
  const start = text.slice(0, length * 4)
  return cut(start.replaceAll(/\s+/g, ' ').trim(), length)
}

/** The text of Markdown, without most of its syntax. At most 5,000 characters. */
export function plainText(markdown: string | undefined): string {
  if (markdown === undefined) return ''
  return markdown
    .slice(0, 5_000)
    .replaceAll(/<\/?[a-z][^<>]{0,200}>/gi, ' ')
    .replaceAll(/!?\[([^[\]]{0,200})\]\([^()\s]{0,500}\)/g, '$1')
    .replaceAll(/^ {0,3}(?:#{1,6}|[-*+>]|\d{1,9}[.)]) +/gm, '')
    .replaceAll(/[`*]|~~~/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** `listPets` becomes `list-pets`; empty if nothing is left. At most 80 characters. */
export function kebabCase(text: string): string {
  return text
    .slice(0, 400)
    .normalize('NFC')
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1-$2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1-$2')
    .toLowerCase()
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .slice(0, 80)
    .replaceAll(/^-+|-+$|[\uD800-\uDBFF]$/g, '')
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Gives a function that makes names unique: equal ones, and those that are `taken`, are numbered, beginning after `last`. */
export function createNumbering(last: number, taken: readonly string[] = [], sign = '-') {
  const numbers = new Map(taken.map((name) => [name, last]))
  return (name: string): string => {
    let number = numbers.get(name) ?? last
    let unique = name
    while (numbers.has(unique)) unique = `${name}${sign}${++number}`
    numbers.set(name, number).set(unique, last)
    return unique
  }
}

const maxCharacters = 50_000

/** Indented by two; `indent: false` for one line. At most 50,000 characters. */
export function jsonText(value: unknown, { indent = true } = {}): string {
  let left = maxCharacters
  const written = (_: string, item: unknown): unknown => {
    // Is cut off below.
    if (left < 0) return null
    left -= typeof item === 'string' ? item.length : 1
    return typeof item === 'bigint' ? exactInteger(item) : item
  }
  return cut(JSON.stringify(value, written, indent ? 2 : 0) ?? 'null', maxCharacters)
}

/** A value in a sentence: text without quotes, other values as JSON on one line. */
export function valueText(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : jsonText(value, { indent: false })
}

export function isJson(type: string): boolean {
  return /[/+]json\b/i.test(type) && !/ndjson|json-seq/i.test(type)
}

/** Text that is not JSON is unchanged, as is JSON that the document contains as text. */
export function exampleText(value: unknown, type: string): string {
  if (typeof value !== 'string') return jsonText(value)
  return isJson(type) && !/^\s*[[{]/.test(value) ? jsonText(value) : value
}

/** The language to highlight it in. */
export function exampleLanguage(type: string): string {
  const languages = ['json', 'xml', 'csv', 'html', 'yaml', 'graphql', 'javascript', 'css']
  return languages.find((name) => type.toLowerCase().includes(name)) ?? 'text'
}

const maxDescription = 160

/**
 * One sentence about a page, for search engines and lists: shortened at the end of a sentence if possible, otherwise after
 * a word.
 */
export function describe(text: string): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .replace(/\s*[:：]?\s*$/, '')
    .trimStart()
  if (line.length <= maxDescription) return line
  const start = line.slice(0, maxDescription)
  const sentence = /^.{60,}[.!?](?=\s)/.exec(start)?.[0]
  const words = start.slice(0, Math.max(start.lastIndexOf(' '), 60))
  return sentence ?? `${words.replace(/[\s,;:.–-]+$/, '')}…`
}

/** The first letter or digit of a title: the mark of a site without a logo. */
export function firstLetter(title: string): string {
  return (/[\p{L}\p{N}]\p{M}*/u.exec(title)?.[0] ?? '•').toUpperCase()
}

/** The day of a text that begins with `2030-12-05`; undefined for other text. */
export function readDay(text: string): string | undefined {
  const day = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/.exec(text.trim())?.[0]
  return day && attempt(() => Temporal.PlainDate.from(day).toString())
}

/** `2030-12-05` becomes "5 December 2030". */
export function dayInWords(day: string): string {
  return Temporal.PlainDate.from(day).toLocaleString('en-GB', { dateStyle: 'long' })
}
