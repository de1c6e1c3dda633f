// What a schema says after its references and compositions are followed; its type in a few words, such as "array of Pet" or
// "string · date-time, or null"; and its restrictions (limits, pattern, default, allowed values).

import { cut, valueText } from '../../sources/plain-text.ts'
import * as values from './document-values.ts'
import type { Resolve } from './resolve-refs.ts'

const { entriesField, fieldOf, fieldsOf, flagField, hasField, isFields } = values
const { listField, textField, textsField } = values

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
  discriminator: { property: string; mapping: [value: string, target: unknown][] } | undefined
  /** The keywords themselves, of the outermost part that has them. */
  keywords: values.Fields = Object.create(null)
}

export interface Choice {
  words: string
  options: unknown[]
}

const maxParts = 200
const jsonTypes = /^(string|number|integer|boolean|object|array)$/

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
    for (const [key, words] of Object.entries({ oneOf: 'One of', anyOf: 'Any of' })) {
      const options = listField(value, key)
      const others = options.filter((option) => !isNull(option))
      view.nullable ||= others.length < options.length
      if (others.length === 1) add(others[0], isWhole)
      else if (others.length > 1) view.choices.push({ words, options: others })
    }
    addShape(view, value)
  }

  add(schema, true)
  const { keywords } = view
  view.items = keywords.items
  view.prefixItems = listField(keywords, 'prefixItems')
  view.additional = keywords.additionalProperties ?? keywords.unevaluatedProperties
  const property = textField(keywords.discriminator, 'propertyName')
  const mapping = entriesField(keywords.discriminator, 'mapping')
  if (property !== undefined) view.discriminator = { property, mapping }
  if (view.types.length === 0) view.types = guessTypes(view)
  return view
}

function isNull(option: unknown): boolean {
  const { type, const: only } = fieldsOf(option)
  const [first, ...others] = listField(option, 'enum')
  return type === 'null' || only === null || (first === null && others.length === 0)
}

function addKeywords(view: SchemaView, value: values.Fields): void {
  const types = [value.type].flat().filter((type) => typeof type === 'string')
  view.nullable ||= types.includes('null') || flagField(value, 'nullable')
  if (view.types.length === 0) view.types = types.filter((type) => jsonTypes.test(type))
  for (const key of ['deprecated', 'readOnly', 'writeOnly'] as const) {
    view[key] ||= flagField(value, key)
  }
  for (const [key, keyword] of Object.entries(value)) {
    if (!Object.hasOwn(view.keywords, key)) view.keywords[key] = keyword
  }
}

const conditions = new Map([
  ['if', 'If it is'],
  ['then', 'Then also'],
  ['else', 'Otherwise also'],
  ['not', 'But not'],
])

/** After that of the schemas that it includes. */
function addShape(view: SchemaView, value: values.Fields): void {
  for (const [name, property] of entriesField(value, 'properties')) {
    view.properties.set(name, property)
  }
  for (const name of textsField(value, 'required')) view.required.add(name)
  view.patternProperties.push(...entriesField(value, 'patternProperties'))
  for (const [key, words] of conditions) {
    if (isFields(fieldOf(value, key))) view.choices.push({ words, options: [value[key]] })
  }
  for (const [name, schema] of entriesField(value, 'dependentSchemas')) {
    view.choices.push({ words: `With ${name} also`, options: [schema] })
  }
}

function guessTypes({ additional, items, keywords, ...view }: SchemaView): string[] {
  const hasFields = view.properties.size > 0 || view.patternProperties.length > 0
  if (hasFields || isFields(additional)) return ['object']
  if (items !== undefined || view.prefixItems.length > 0) return ['array']
  const given = hasField(keywords, 'const') ? [keywords.const] : listField(keywords, 'enum')
  const types = new Set(given.filter((value) => value !== null).map((value) => typeof value))
  const [type = 'object', ...others] = types
  if (type === 'object' || others.length > 0) return []
  return [type === 'bigint' ? 'integer' : type]
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
  const { name, never, nullable } = view
  const named = name === undefined ? [] : [{ text: cut(name, 100), schema: name }]
  const plain = never ? [{ text: 'nothing' }] : plainWords(view, resolve, depth)
  const rest = name === undefined ? plain : depth === 0 ? [{ text: ' · ' }, ...plain] : []
  return [...named, ...rest, ...(nullable ? [{ text: ' or null' }] : [])]
}

function plainWords(view: SchemaView, resolve: Resolve, depth: number): TypeWord[] {
  const { choices, items, keywords, prefixItems, types } = view
  const isDeep = depth >= maxTypeDepth
  if (types.join() === 'array') {
    if (isDeep || items === undefined || prefixItems.length > 0) return [{ text: 'array' }]
    return [{ text: 'array of ' }, ...typeWords(viewSchema(items, resolve), resolve, depth + 1)]
  }
  const { options = [] } = choices[0] ?? {}
  if (types.length === 0 && options.length > 1) {
    if (isDeep || options.length > maxOptions) return [{ text: `one of ${options.length} forms` }]
    return options.flatMap((option, index) => {
      const chosen = viewSchema(option, resolve)
      const title = optionTitle(chosen)
      const words = title ? [{ text: title }] : typeWords(chosen, resolve, depth + 1)
      return index === 0 ? words : [{ text: ' or ' }, ...words]
    })
  }
  const format = textField(keywords, 'format') ?? textField(keywords, 'contentEncoding')
  const text = types.join(' or ') || 'any'
  return [{ text: format === undefined ? text : `${text} · ${cut(format, 60)}` }]
}

/** Alternatives without a name differ by their titles or fields, not by being objects. */
function optionTitle({ name, properties, required, title, types }: SchemaView) {
  if (name !== undefined) return undefined
  if (title !== undefined) return cut(title, 60)
  const fields = required.size > 0 ? [...required] : [...properties.keys()]
  if (types[0] !== 'object' || fields.length === 0) return undefined
  const shown = fields.slice(0, 3).map((field) => cut(field, 40))
  return `object with ${shown.join(', ')}${fields.length > 3 ? ', …' : ''}`
}

export interface Fact {
  label: string
  /** Values, shown as code. */
  values: string[]
  /** Text, after the values. */
  words?: string | undefined
}

const maxFactValues = 60
const maxFactLength = 300

export function schemaFacts(view: SchemaView): Fact[] {
  const { keywords, properties, required } = view
  const always: [string, unknown[]] = ['Always', [keywords.const]]
  const facts: [label: string, values: unknown[], words?: string | false][] = [
    hasField(keywords, 'const') ? always : ['One of', listField(keywords, 'enum')],
    ['Default', [keywords.default]],
    ['Range', [], numberRange(keywords)],
    ['Length', [], countRange(keywords, 'Length', 'character')],
    ['Items', [], countRange(keywords, 'Items', 'item')],
    ['Fields', [], countRange(keywords, 'Properties', 'field')],
    ['Unique', [], flagField(keywords, 'uniqueItems') && 'no item twice'],
    ['Multiple of', [keywords.multipleOf].filter(isNumber)],
    ['Pattern', [textField(keywords, 'pattern')]],
    ['Names match', [textField(keywords.propertyNames, 'pattern')]],
    ['Contains', [textField(keywords, 'contentMediaType')]],
    ['Required', [...required].filter((name) => !properties.has(name))],
    ['Other fields', [], view.additional === false && 'none'],
    ['Discriminator', [view.discriminator?.property]],
  ]
  return facts.flatMap(([label, given, about]) => {
    const known = given.filter((value) => value !== undefined)
    const shown = known.slice(0, maxFactValues)
    const more = known.length - shown.length
    const words = more > 0 ? `and ${more} more` : about || undefined
    if (shown.length === 0 && words === undefined) return []
    return { label, values: shown.map((value) => cut(valueText(value), maxFactLength)), words }
  })
}

/** The examples in the schema itself. */
export function schemaExamples({ keywords }: SchemaView): unknown[] {
  const several = listField(keywords, 'examples')
  if (several.length > 0) return several
  return hasField(keywords, 'example') ? [keywords.example] : []
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function numberRange(keywords: values.Fields): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = keywords
  // In OpenAPI 3.0 `exclusiveMinimum` is a boolean that excludes `minimum`.
  const over = exclusiveMinimum === true ? minimum : exclusiveMinimum
  const under = exclusiveMaximum === true ? maximum : exclusiveMaximum
  return rangeText(minimum, maximum, over, under)
}

function countRange(keywords: values.Fields, suffix: string, unit: string): string {
  const from = keywords[`min${suffix}`]
  const to = keywords[`max${suffix}`]
  const text = rangeText(from === 0 ? undefined : from, to)
  return text && `${text} ${(isNumber(to) ? to : from) === 1 ? unit : `${unit}s`}`
}

/** Empty without any limit. */
function rangeText(from: unknown, to: unknown, over?: unknown, under?: unknown): string {
  const isClosed = isNumber(from) && isNumber(to) && !isNumber(over) && !isNumber(under)
  if (isClosed) return from === to ? `exactly ${from}` : `${from} to ${to}`
  const low = isNumber(over) ? `more than ${over}` : isNumber(from) && `at least ${from}`
  const high = isNumber(under) ? `less than ${under}` : isNumber(to) && `at most ${to}`
  return [low, high].filter((part) => part !== false).join(', ')
}
