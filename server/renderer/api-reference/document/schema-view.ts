// What a schema says after its references and compositions are followed; its type in a few words, such as "array of Pet" or
// "string · date-time, or null"; and its restrictions (limits, pattern, default, allowed values).

import { cut, valueText } from '../../sources/plain-text.ts'
import * as values from './document-values.ts'
import type { Resolve } from './resolve-refs.ts'

const { entriesField, fieldsOf, flagField, hasField, isFields } = values
const { listField, textField, textsField } = values

export interface Choice {
  words: string
  options: unknown[]
}

const maxParts = 200
const jsonTypes = /^(string|number|integer|boolean|object|array)$/

export type SchemaView = ReturnType<typeof viewSchema>

export function viewSchema(schema: unknown, resolve: Resolve) {
  const refs: string[] = []
  const names: string[] = []
  const includes: string[] = []
  /** The schema and those that it is composed of, and which of them are the whole schema: outer ones first. */
  const parts: values.Fields[] = []
  const wholes: values.Fields[] = []
  const choices: Choice[] = []
  let never = false
  let hasNull = false
  let count = 0

  /**
   * Returns the part after those that it is composed of. `isWhole`: it is the whole schema, so that its name and texts apply
   * to the schema.
   */
  function add(part: unknown, isWhole: boolean): values.Fields[] {
    count += 1
    const { value, ref, name } = resolve(part)
    if (count > maxParts || (ref !== undefined && refs.includes(ref))) return []
    if (ref !== undefined) refs.push(ref)
    never ||= value === false
    if (!isFields(value)) return []
    parts.push(value)
    if (isWhole) wholes.push(value)
    if (name !== undefined) (isWhole ? names : includes).push(name)
    const all = listField(value, 'allOf')
    const isOnly = isWhole && all.length === 1 && !hasField(value, 'properties')
    const inner = all.flatMap((item) => add(item, isOnly))
    for (const [key, words] of Object.entries({ oneOf: 'One of', anyOf: 'Any of' })) {
      const options = listField(value, key)
      const others = options.filter((option) => !isNull(option))
      hasNull ||= others.length < options.length
      if (others.length === 1) inner.push(...add(others[0], isWhole))
      else if (others.length > 1) choices.push({ words, options: others })
    }
    choices.push(...conditionsOf(value))
    return [...inner, value]
  }

  const innerFirst = add(schema, true)
  const keywords = outermost(parts)
  const whole = outermost(wholes)
  const entriesAt = (key: string) => innerFirst.flatMap((part) => entriesField(part, key))
  const properties = new Map(entriesAt('properties'))
  const patternProperties = entriesAt('patternProperties')
  const types = [keywords.type].flat().filter((type) => typeof type === 'string')
  const known = types.filter((type) => jsonTypes.test(type))
  const hasFields = properties.size > 0 || patternProperties.length > 0
  const property = textField(keywords.discriminator, 'propertyName')
  const mapping = entriesField(keywords.discriminator, 'mapping')
  return {
    /** The name in `components/schemas`, if it is defined there. */
    name: names[0],
    /** All references that were followed to it and its parts. */
    refs,
    /** JSON types other than null; empty if all are allowed. */
    types: known.length > 0 ? known : guessTypes(keywords, hasFields),
    nullable: hasNull || types.includes('null') || flagField(keywords, 'nullable'),
    /** No value can match this schema. */
    never,
    title: textField(whole, 'title'),
    description: textField(whole, 'description'),
    deprecated: flagField(keywords, 'deprecated'),
    readOnly: flagField(keywords, 'readOnly'),
    writeOnly: flagField(keywords, 'writeOnly'),
    /** Names of the schemas that `allOf` combines. */
    includes,
    properties,
    required: new Set(innerFirst.flatMap((part) => textsField(part, 'required'))),
    patternProperties,
    /** Additional fields: their schema, or whether they are allowed. */
    additional: keywords.additionalProperties ?? keywords.unevaluatedProperties,
    items: keywords.items,
    prefixItems: listField(keywords, 'prefixItems'),
    choices,
    discriminator: property === undefined ? undefined : { property, mapping },
    /** The keywords themselves, of the outermost part that has them. */
    keywords,
  }
}

/** Each field is that of the first object that has it. */
const outermost = (parts: values.Fields[]): values.Fields =>
  Object.assign(Object.create(null), ...parts.toReversed())

function isNull(option: unknown): boolean {
  const { type, const: only } = fieldsOf(option)
  const [first, ...others] = listField(option, 'enum')
  return type === 'null' || only === null || (first === null && others.length === 0)
}

function conditionsOf(value: values.Fields): Choice[] {
  const inner: [words: string, schema: unknown][] = [
    ['If it is', value.if],
    ['Then also', value.then],
    ['Otherwise also', value.else],
    ['But not', value.not],
  ]
  for (const [name, schema] of entriesField(value, 'dependentSchemas')) {
    inner.push([`With ${name} also`, schema])
  }
  return inner.flatMap(([words, schema]) => (isFields(schema) ? { words, options: [schema] } : []))
}

function guessTypes(keywords: values.Fields, hasFields: boolean): string[] {
  const { additionalProperties, items, unevaluatedProperties } = keywords
  if (hasFields || isFields(additionalProperties ?? unevaluatedProperties)) return ['object']
  if (items !== undefined || listField(keywords, 'prefixItems').length > 0) return ['array']
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

const maxFactValues = 60
const maxFactLength = 300
const maxExampleLength = 200

/** Restrictions and short examples. Each has values, which are shown as code, and words after them. */
export function schemaFacts(view: SchemaView, examples: readonly unknown[] = []) {
  const texts = examples.slice(0, 3).map(valueText)
  const short = texts.filter((text) => text.length <= maxExampleLength)
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
    [short.length === 1 ? 'Example' : 'Examples', short],
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
