// Shows a schema as a collapsible tree: its fields with types and restrictions. Recursive and deeply nested
// schemas are links.
import { type Html, html } from '../markdown/html.ts'
import { cut, plainText } from '../sources/plain-text.ts'
import { isFields } from './document/document-values.ts'
import { nameOf, pointerTo } from './document/resolve-refs.ts'
import {
  type Choice,
  discriminatorValue,
  type SchemaView,
  schemaExamples,
  schemaFacts,
  typeWords,
  viewSchema,
} from './document/schema-view.ts'
import type { ReferenceContext } from './reference-context.ts'

interface Row {
  name: Html | string
  schema: unknown
  required?: boolean
  deprecated?: boolean
  /** Goes before the schema's own. */
  description?: string | undefined
  /** Goes before the schema's own. */
  examples?: readonly unknown[]
}

interface Place {
  depth: number
  /** The references that contain this one. */
  trail: readonly string[]
  /** In a request without read-only fields, in a response without write-only ones; undefined: with all. */
  isRequest?: boolean | undefined
  /** The name of the schema whose page it is. */
  name?: string | undefined
}

/** Named schemas are links below this depth, and earlier if there are many rows. */
const unfoldedDepth = 4
const fewRows = 150
const maxDepth = 12
const maxRows = 1_000

export type SchemaTrees = ReturnType<typeof createSchemaTrees>

/** For one page: it counts the rows. */
export function createSchemaTrees(context: ReferenceContext) {
  const { resolve, schemaLink, schemaPages, prose, charge, isLarge } = context
  let rows = 0

  /** The type in words, with links, and marks of a field and its schema. */
  function type(view: SchemaView, row: Partial<Row> = {}): Html {
    const words = typeWords(view, resolve).map(({ text, schema }) => schemaLink(schema, text))
    const isDeprecated = row.deprecated || view.deprecated
    return html`<span class="api-type">${words}</span>${row.required && mark('required')}${isDeprecated && mark('deprecated')}${view.readOnly && mark('read-only', '')}${view.writeOnly && mark('write-only', '')}`
  }

  /** Nothing for a field that the place leaves out, and after the last row. */
  function row(item: Row, place: Place): Html | false {
    if (rows > maxRows) return false
    const view = viewSchema(item.schema, resolve)
    if (place.isRequest === true && view.readOnly) return false
    if (place.isRequest === false && view.writeOnly) return false
    rows += 1
    if (rows > maxRows)
      return html`<li class="api-field">More fields are in the OpenAPI document.</li>`
    const description = item.description ?? view.description
    const examples = item.examples?.length ? item.examples : schemaExamples(view)
    const name = typeof item.name === 'string' ? html`${cut(item.name, 200)}` : item.name
    return html`<li class="api-field">
<div class="api-field-head"><code class="api-name">${name}</code> ${type(view, item)}</div>
${prose(description)}
${factList(view, examples)}${fold(view, place)}</li>`
  }

  function list(items: Iterable<Row>, place: Place = { depth: 0, trail: [] }): Html | false {
    const shown = Array.from(items, (item) => row(item, place)).filter((item) => item !== false)
    return shown.length > 0 && html`<ul class="api-fields">${shown}</ul>`
  }

  /** The fields below a field. */
  function fold(view: SchemaView, { depth, trail, isRequest }: Place): Html | false {
    const inner = innermost(view)
    if (!hasFields(inner)) return false
    const refs = [...view.refs, ...inner.refs]
    const isInItself = refs.some((ref) => trail.includes(ref))
    const isNamed = schemaPages.has(inner.name ?? '')
    const isDeep = depth >= unfoldedDepth || rows > fewRows || isLarge()
    if (isInItself || depth >= maxDepth || rows > maxRows || (isNamed && isDeep)) {
      const those = html`those of ${schemaLink(inner.name)}`
      return html`<p class="api-elsewhere">Its fields are ${isNamed ? those : 'in the OpenAPI document'}.</p>`
    }
    const place = { depth: depth + 1, trail: [...trail, ...refs], isRequest }
    return html`<details class="api-fold"><summary>${contentWords(inner)}</summary>
${content(inner, place)}</details>`
  }

  /** What is below a field: its fields or items, or the alternatives if it has only these. */
  function contentWords(view: SchemaView): string {
    const { words, options } = view.choices[0] ?? { words: '', options: [] }
    const name = view.name ?? view.title
    if (view.properties.size === 0 && options.length > 1) {
      const names = options.slice(0, 6).map((option, index) => optionName(view, option, index))
      return `${words} ${names.join(', ')}${options.length > 6 ? ', …' : ''}`
    }
    if (view.prefixItems.length > 0) return 'Its items'
    return name === undefined ? 'Its fields' : `Fields of ${cut(name, 80)}`
  }

  function content(view: SchemaView, place: Place): Html {
    return html`${subtypesHtml(view, place.name ?? view.name)}${list(rowsOf(view), place)}
${view.choices.map((choice) => choiceHtml(choice, view, place))}`
  }

  /** The schemas that include this one by allOf, with the values of its discriminator. */
  function subtypesHtml(view: SchemaView, base = ''): Html | false {
    const names = context.subtypes.get(base) ?? []
    if (!view.discriminator || names.length === 0) return false
    const items = names.slice(0, 50).map(([, name]) => {
      const word = discriminatorValue(view, { name, refs: [pointerTo(name)] })
      return html`<code>${cut(word ?? name, 80)}</code> ${schemaLink(name)}`
    })
    return html`<p class="api-includes">Subtypes, by <code>${cut(view.discriminator.property, 80)}</code>: ${joined(items, ', ')}.</p>`
  }

  function choiceHtml({ words, options }: Choice, view: SchemaView, place: Place): Html {
    const isOnly = options.length === 1
    const items = options.slice(0, 100).map((schema, index) => {
      const name = isOnly ? html`<em>${cut(words, 100)}</em>` : optionName(view, schema, index)
      return { name, schema }
    })
    return html`${!isOnly && html`<p class="api-choice">${words}</p>`}
${list(items, place)}`
  }

  /** The value of the discriminator that selects it, its name, or its number. */
  function optionName(view: SchemaView, option: unknown, index: number): string {
    const chosen = viewSchema(option, resolve)
    const { title, refs } = chosen
    const isMapped = view.discriminator !== undefined && view.discriminator.mapping.length > 0
    const value = isMapped ? discriminatorValue(view, chosen) : undefined
    return cut(value ?? title ?? nameOf(refs[0] ?? '') ?? `${index + 1}`, 100)
  }

  function innermost(view: SchemaView, depth = 0): SchemaView {
    if (depth > 5 || view.items === undefined || hasFields(view)) return view
    return innermost(viewSchema(view.items, resolve), depth + 1)
  }

  /** Type, description, facts and fields of a top-level schema; `ref` is the reference to it, if its page shows it. */
  function whole(schema: unknown, isRequest?: boolean, ref?: string): Html {
    const view = viewSchema(schema, resolve)
    const inner = innermost(view)
    const trail = [...(ref === undefined ? [] : [ref]), ...view.refs, ...inner.refs]
    const place = { depth: 0, trail, isRequest, name: nameOf(ref ?? '') }
    const includes = view.includes.slice(0, 50).map((name, index, { length }) => {
      return html`${index > 0 && (index === length - 1 ? ' and ' : ', ')}${schemaLink(name)}`
    })
    return html`<div class="api-schema"><p class="api-field-head">${type(view)}</p>
${prose(view.description)}
${includes.length > 0 && html`<p class="api-includes">Has all fields of ${includes}.</p>`}
${factList(view, hasFields(view) ? [] : schemaExamples(view))}${hasFields(inner) && content(inner, place)}</div>`
  }

  /** Restrictions and examples. */
  function factList(view: SchemaView, given: readonly unknown[]): Html | false {
    const items = schemaFacts(view, given).map(
      ({ label, values, words }) =>
        html`<div><dt>${label}</dt> <dd>${values.map((value) => html`<code>${value}</code> `)}${words}</dd></div>`,
    )
    const written = html`<dl class="api-facts">${items}</dl>`
    charge(written.text.length)
    return items.length > 0 && written
  }

  /** For the search index: the names of the fields, and what they are. */
  function searchWords(schema: unknown): string {
    const fields = [...viewSchema(schema, resolve).properties].slice(0, 500)
    const words = fields.flatMap(([name, field]) => {
      return [name, plainText(viewSchema(field, resolve).description).slice(0, 300)]
    })
    return words.join(' ')
  }

  return { whole, type, list, searchWords }
}

function hasFields(view: SchemaView): boolean {
  return view.choices.length > 0 || rowsOf(view).length > 0
}

function rowsOf(view: SchemaView): Row[] {
  const { additional, items, patternProperties, prefixItems, properties, required } = view
  const others = { 'any other name': additional, 'further items': prefixItems.length > 0 && items }
  return [
    ...Array.from(properties, ([name, schema]) => ({ name, schema, required: required.has(name) })),
    ...prefixItems.map((schema, index) => ({ name: `[${index}]`, schema })),
    ...patternProperties.map(([pattern, schema]) => ({ name: `/${cut(pattern, 198)}/`, schema })),
    ...Object.entries(others).flatMap(([words, schema]) =>
      isFields(schema) ? { name: html`<em>${words}</em>`, schema } : [],
    ),
  ]
}

/** Items with a sign between them. */
export const joined = (items: readonly Html[], sign: Html | string): Html =>
  html`${items.map((item, index) => html`${index > 0 && sign}${item}`)}`

/** Next to a name. Only what the theme knows has a `kind`. */
export const mark = (words: string, kind = words): Html =>
  html` <span class="api-mark${kind && ` api-mark-${kind}`}">${words}</span>`
