// What a schema says after its references and compositions are followed; its type in a few words, such as "array of Pet" or
// "string · date-time, or null"; and its restrictions (limits, pattern, default, allowed values).

import { cut, valueText } from '../../sources/plain-text.ts'
import {
  entriesField,
  type Fields,
  fieldOf,
  flagField,
  hasField,
  isFields,
  listField,
  textField,
  textsField,
} from './document-values.ts'
import type { Resolve } from './resolve-refs.ts'

export class SchemaView {
  /** The name in `components/schemas`, if it is defined there. */
  name: string | undefined
  /** All references that were followed to it and its parts. */
  refs: string[] = []
  /** JSON types other than null; empty if all are allowed. */
  types: string[] = []
  nullable = false
  /** No value can match this schema. */
  never = false
  title: string | undefined
  description: string | undefined
  deprecated = false
  readOnly = false
  writeOnly = false
  /** Names of the schemas that `allOf` combines. */
  includes: string[] = []
  properties = new Map<string, unknown>()
  required = new Set<string>()
  patternProperties: [pattern: string, schema: unknown][] = []
  /** Additional fields: their schema, or whether they are allowed. */
  additional: unknown
  items: unknown
  prefixItems: unknown[] = []
  choices: Choice[] = []
  discriminator: { property: string; mapping: [value: string, target: string][] } | undefined
  /** The keywords themselves, of the outermost part that has them. */
  keywords: Fields = Object.create(null)
}

export interface Choice {
  words: string
  options: unknown[]
}

const maxParts = 200
const jsonTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array']

export function viewSchema(schema: unknown, resolve: Resolve): SchemaView {
  const view = new SchemaView()
  let parts = 0

  /** `isWhole`: the part is the whole schema, so that its name and texts apply to the schema. */
  function add(part: unknown, isWhole: boolean): void {
    parts += 1
    const { value, ref, name } = resolve(part)
    if (parts > maxParts || (ref !== undefined && view.refs.includes(ref))) return
    if (ref !== undefined) view.refs.push(ref)
    if (value === false) view.never = true
    if (!isFields(value)) return
    if (isWhole) {
      view.name ??= name
      view.title ??= textField(value, 'title')
      view.description ??= textField(value, 'description')
    } else if (name !== undefined) {
      view.includes.push(name)
    }
    addKeywords(view, value)
    const all = listField(value, 'allOf')
    const isOnly = isWhole && all.length === 1 && !hasField(value, 'properties')
    for (const item of all) add(item, isOnly)
    addShape(view, value)
    for (const [key, words] of Object.entries({ oneOf: 'One of', anyOf: 'Any of' })) {
      const [only, ...others] = withoutNull(view, value, key)
      if (only === undefined) continue
      if (others.length === 0) add(only, isWhole)
      else view.choices.push({ words, options: [only, ...others] })
    }
    addConditions(view, value)
  }

  add(schema, true)
  if (view.types.length === 0) view.types = guessTypes(view)
  return view
}

function addKeywords(view: SchemaView, value: Fields): void {
  const typeField = fieldOf(value, 'type')
  const types = (Array.isArray(typeField) ? typeField : [typeField]).filter(
    (type) => typeof type === 'string',
  )
  if (types.includes('null') || flagField(value, 'nullable')) view.nullable = true
  if (view.types.length === 0) view.types = types.filter((type) => jsonTypes.includes(type))
  view.deprecated ||= flagField(value, 'deprecated')
  view.readOnly ||= flagField(value, 'readOnly')
  view.writeOnly ||= flagField(value, 'writeOnly')
  for (const [key, keyword] of Object.entries(value)) {
    if (!Object.hasOwn(view.keywords, key)) view.keywords[key] = keyword
  }
}

function addShape(view: SchemaView, value: Fields): void {
  for (const [name, property] of entriesField(value, 'properties')) {
    view.properties.set(name, property)
  }
  for (const name of textsField(value, 'required')) view.required.add(name)
  view.patternProperties.push(...entriesField(value, 'patternProperties'))
  for (const key of ['additionalProperties', 'unevaluatedProperties']) {
    if (view.additional === undefined) view.additional = fieldOf(value, key)
  }
  if (view.items === undefined) view.items = fieldOf(value, 'items')
  if (view.prefixItems.length === 0) view.prefixItems = listField(value, 'prefixItems')
  const discriminator = fieldOf(value, 'discriminator')
  const property = textField(discriminator, 'propertyName')
  if (property !== undefined) {
    const mapping = entriesField(discriminator, 'mapping').flatMap(([name, target]) =>
      typeof target === 'string' ? [[name, target] as [string, string]] : [],
    )
    view.discriminator ??= { property, mapping }
  }
}

function withoutNull(view: SchemaView, value: Fields, key: string): unknown[] {
  return listField(value, key).filter((option) => {
    const isNull =
      fieldOf(option, 'type') === 'null' ||
      (hasField(option, 'const') && fieldOf(option, 'const') === null) ||
      (listField(option, 'enum').length === 1 && listField(option, 'enum')[0] === null)
    if (isNull) view.nullable = true
    return !isNull
  })
}

function addConditions(view: SchemaView, value: Fields): void {
  for (const [key, words] of [
    ['if', 'If it is'],
    ['then', 'Then also'],
    ['else', 'Otherwise also'],
    ['not', 'But not'],
  ] as const) {
    if (isFields(fieldOf(value, key))) view.choices.push({ words, options: [value[key]] })
  }
  for (const [name, schema] of entriesField(value, 'dependentSchemas')) {
    view.choices.push({ words: `With ${name} also`, options: [schema] })
  }
}

function guessTypes(view: SchemaView): string[] {
  if (view.properties.size > 0 || view.patternProperties.length > 0) return ['object']
  if (isFields(view.additional)) return ['object']
  if (view.items !== undefined || view.prefixItems.length > 0) return ['array']
  const values = hasField(view.keywords, 'const')
    ? [view.keywords.const]
    : listField(view.keywords, 'enum')
  const types = new Set(values.filter((value) => value !== null).map((value) => typeof value))
  const [type] = types
  if (types.size !== 1 || type === undefined || type === 'object') return []
  return type === 'bigint' ? ['integer'] : [type]
}

/** The value of the discriminator of `view` that selects a schema; its name, if the mapping has none. */
export function discriminatorValue(
  { discriminator }: SchemaView,
  { name, refs }: Pick<SchemaView, 'name' | 'refs'>,
): string | undefined {
  const chosen = discriminator?.mapping.find(
    ([, target]) => refs[0] === target || (name !== undefined && target === name),
  )
  return chosen?.[0] ?? (discriminator && name)
}

/** A part of the type in words; `schema` is the name of a schema in it. */
type TypeWord = { text: string; schema?: string }

const maxOptions = 4
const maxTypeDepth = 3

export function typeWords(view: SchemaView, resolve: Resolve, depth = 0): TypeWord[] {
  const words = ownWords(view, resolve, depth)
  return view.nullable ? [...words, { text: words.length > 0 ? ' or null' : 'null' }] : words
}

export function typeText(view: SchemaView, resolve: Resolve): string {
  return typeWords(view, resolve)
    .map((word) => word.text)
    .join('')
}

function ownWords(view: SchemaView, resolve: Resolve, depth: number): TypeWord[] {
  if (view.never) return [{ text: 'nothing' }]
  if (view.name === undefined) return plainWords(view, resolve, depth)
  const name = { text: cut(view.name, 100), schema: view.name }
  return depth > 0 ? [name] : [name, { text: ' · ' }, ...plainWords(view, resolve, depth)]
}

function plainWords(view: SchemaView, resolve: Resolve, depth: number): TypeWord[] {
  const format = textField(view.keywords, 'format') ?? textField(view.keywords, 'contentEncoding')
  if (view.types.length === 1 && view.types[0] === 'array') {
    const isTuple = view.prefixItems.length > 0
    if (depth >= maxTypeDepth || view.items === undefined || isTuple) return [{ text: 'array' }]
    const items = typeWords(viewSchema(view.items, resolve), resolve, depth + 1)
    return [{ text: 'array of ' }, ...items]
  }
  const [choice] = view.choices
  if (view.types.length === 0 && choice !== undefined && choice.options.length > 1) {
    return optionWords(choice.options, resolve, depth)
  }
  const text = view.types.length === 0 ? 'any' : view.types.join(' or ')
  return [{ text: format === undefined ? text : `${text} · ${cut(format, 60)}` }]
}

function optionWords(options: unknown[], resolve: Resolve, depth: number): TypeWord[] {
  if (depth >= maxTypeDepth || options.length > maxOptions) {
    return [{ text: `one of ${options.length} forms` }]
  }
  return options.flatMap((option, index) => {
    const view = viewSchema(option, resolve)
    const words = optionTitle(view) ?? typeWords(view, resolve, depth + 1)
    return index === 0 ? words : [{ text: ' or ' }, ...words]
  })
}

/** Alternatives without a name differ by their titles or fields, not by being objects. */
function optionTitle({ name, properties, required, title, types }: SchemaView) {
  if (name !== undefined) return undefined
  if (title !== undefined) return [{ text: cut(title, 60) }]
  const fields = required.size > 0 ? [...required] : [...properties.keys()]
  if (types[0] !== 'object' || fields.length === 0) return undefined
  const shown = fields.slice(0, 3).map((field) => cut(field, 40))
  return [{ text: `object with ${shown.join(', ')}${fields.length > 3 ? ', …' : ''}` }]
}

export interface Fact {
  label: string
  /** Values, shown as code. */
  values: string[]
  /** Text, used instead of values. */
  words?: string
}

const maxFactValues = 60
const maxFactLength = 300

export function schemaFacts(view: SchemaView): Fact[] {
  const { keywords } = view
  const facts: Fact[] = []
  const code = (label: string, given: unknown[]) => {
    const values = given.filter((value) => value !== undefined)
    if (values.length === 0) return
    const shown = values
      .slice(0, maxFactValues)
      .map((value) => cut(valueText(value), maxFactLength))
    const more = values.length - shown.length
    facts.push({ label, values: shown, ...(more > 0 ? { words: `and ${more} more` } : {}) })
  }
  const words = (label: string, text: string | undefined) => {
    if (text !== undefined) facts.push({ label, values: [], words: text })
  }
  if (hasField(keywords, 'const')) code('Always', [keywords.const])
  else code('One of', listField(keywords, 'enum'))
  code('Default', [keywords.default])
  words('Range', numberRange(keywords))
  words('Length', countRange(keywords, 'Length', 'character'))
  words('Items', countRange(keywords, 'Items', 'item'))
  words('Fields', countRange(keywords, 'Properties', 'field'))
  if (flagField(keywords, 'uniqueItems')) words('Unique', 'no item twice')
  if (isNumber(keywords.multipleOf)) code('Multiple of', [keywords.multipleOf])
  code('Pattern', [textField(keywords, 'pattern')])
  code('Names match', [textField(fieldOf(keywords, 'propertyNames'), 'pattern')])
  code('Contains', [textField(keywords, 'contentMediaType')])
  const isElsewhere = (name: string) => !view.properties.has(name)
  code('Required', [...view.required].filter(isElsewhere))
  if (view.additional === false) words('Other fields', 'none')
  code('Discriminator', [view.discriminator?.property])
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
  if (!isNumber(over) && !isNumber(under)) return rangeText(minimum, maximum)
  const from = isNumber(over) ? `more than ${over}` : isNumber(minimum) && `at least ${minimum}`
  const to = isNumber(under) ? `less than ${under}` : isNumber(maximum) && `at most ${maximum}`
  return [from, to].filter((part) => part !== false).join(', ')
}

function countRange(keywords: Fields, suffix: string, unit: string): string | undefined {
  const from = keywords[`min${suffix}`]
  const to = keywords[`max${suffix}`]
  const text = rangeText(from === 0 ? undefined : from, to)
  return text && `${text} ${(isNumber(to) ? to : from) === 1 ? unit : `${unit}s`}`
}

function rangeText(from: unknown, to: unknown): string | undefined {
  if (!isNumber(from)) return isNumber(to) ? `at most ${to}` : undefined
  if (!isNumber(to)) return `at least ${from}`
  return from === to ? `exactly ${from}` : `${from} to ${to}`
}
