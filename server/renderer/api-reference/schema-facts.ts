// The restrictions of a value in addition to its type: limits, pattern, default, allowed values.
import {
  type Fields,
  fieldOf,
  flagField,
  hasField,
  listField,
  textField,
} from './document-values.ts'
import { cut, valueText } from './plain-text.ts'
import type { SchemaView } from './schema-view.ts'

export interface Fact {
  label: string
  /** Values, shown as code. */
  values: string[]
  /** Text, used instead of values. */
  words?: string
}

const maxValues = 60
const maxValueLength = 300

export function schemaFacts(view: SchemaView): Fact[] {
  const { keywords } = view
  const facts: Fact[] = []
  const code = (label: string, values: unknown[]) => {
    if (values.length === 0) return
    const shown = values.slice(0, maxValues).map((value) => cut(valueText(value), maxValueLength))
    const more = values.length - shown.length
    facts.push({ label, values: shown, ...(more > 0 ? { words: `and ${more} more` } : {}) })
  }
  const words = (label: string, text: string | undefined) => {
    if (text !== undefined) facts.push({ label, values: [], words: text })
  }
  if (hasField(keywords, 'const')) code('Always', [keywords.const])
  else code('One of', listField(keywords, 'enum'))
  if (hasField(keywords, 'default')) code('Default', [keywords.default])
  words('Range', numberRange(keywords))
  words('Length', countRange(keywords, 'Length', 'character'))
  words('Items', countRange(keywords, 'Items', 'item'))
  words('Fields', countRange(keywords, 'Properties', 'field'))
  if (flagField(keywords, 'uniqueItems')) words('Unique', 'no item twice')
  if (isNumber(keywords.multipleOf)) code('Multiple of', [keywords.multipleOf])
  const pattern = textField(keywords, 'pattern')
  if (pattern !== undefined) code('Pattern', [pattern])
  const namePattern = textField(fieldOf(keywords, 'propertyNames'), 'pattern')
  if (namePattern !== undefined) code('Names match', [namePattern])
  const mediaType = textField(keywords, 'contentMediaType')
  if (mediaType !== undefined) code('Contains', [mediaType])
  code(
    'Required',
    [...view.required].filter((name) => !view.properties.has(name)),
  )
  if (view.additional === false) words('Other fields', 'none')
  if (view.discriminator) code('Discriminator', [view.discriminator.property])
  return facts
}

/** The examples in the schema itself. */
export function schemaExamples({ keywords }: SchemaView): unknown[] {
  const several = listField(keywords, 'examples')
  if (several.length > 0) return several
  return hasField(keywords, 'example') ? [keywords.example] : []
}

/** For Markdown: all in one line. */
export function factText({ label, values, words }: Fact): string {
  const shown = [...values.map((value) => `\`${value}\``), ...(words === undefined ? [] : [words])]
  return `${label.toLowerCase()} ${shown.join(', ')}`
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function numberRange(keywords: Fields): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = keywords
  // In OpenAPI 3.0 `exclusiveMinimum` is a boolean that excludes `minimum`.
  const over = exclusiveMinimum === true ? minimum : exclusiveMinimum
  const under = exclusiveMaximum === true ? maximum : exclusiveMaximum
  if (!isNumber(over) && !isNumber(under)) {
    return rangeText(limit(minimum), limit(maximum))
  }
  const from = isNumber(over) ? `more than ${over}` : isNumber(minimum) && `at least ${minimum}`
  const to = isNumber(under) ? `less than ${under}` : isNumber(maximum) && `at most ${maximum}`
  return [from, to].filter((part) => part !== false).join(', ')
}

function countRange(keywords: Fields, suffix: string, unit: string): string | undefined {
  const from = limit(keywords[`min${suffix}`])
  const to = limit(keywords[`max${suffix}`])
  const text = rangeText(from === '0' ? undefined : from, to)
  if (text === undefined) return undefined
  return `${text} ${(to ?? from) === '1' ? unit : `${unit}s`}`
}

function limit(value: unknown): string | undefined {
  return isNumber(value) ? String(value) : undefined
}

function rangeText(from: string | undefined, to: string | undefined): string | undefined {
  if (from === undefined) return to === undefined ? undefined : `at most ${to}`
  if (to === undefined) return `at least ${from}`
  return from === to ? `exactly ${from}` : `${from} to ${to}`
}
