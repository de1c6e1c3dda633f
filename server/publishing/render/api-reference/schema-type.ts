// The type of a value in a few words, such as "array of Pet" or "string · date-time, or null".
import { textField } from './document-values.ts'
import { cut } from './plain-text.ts'
import type { Resolve } from './references.ts'
import { type SchemaView, viewSchema } from './schema-view.ts'

/** A piece of the words; `schema` is the name of the schema that it names. */
export interface TypeWord {
  text: string
  schema?: string
}

const maxOptions = 4
const deepest = 3

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
  if (view.name !== undefined && depth > 0) return [nameWord(view.name)]
  const named = view.name === undefined ? [] : [nameWord(view.name)]
  const plain = plainWords(view, resolve, depth)
  if (named.length === 0 || plain.length === 0) return [...named, ...plain]
  return [...named, { text: ' · ' }, ...plain]
}

function nameWord(name: string): TypeWord {
  return { text: cut(name, 100), schema: name }
}

function plainWords(view: SchemaView, resolve: Resolve, depth: number): TypeWord[] {
  const format = textField(view.keywords, 'format') ?? textField(view.keywords, 'contentEncoding')
  if (view.types.length === 1 && view.types[0] === 'array') {
    const isTuple = view.prefixItems.length > 0
    if (depth >= deepest || view.items === undefined || isTuple) return [{ text: 'array' }]
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
  if (depth >= deepest || options.length > maxOptions) {
    return [{ text: `one of ${options.length} forms` }]
  }
  return options.flatMap((option, index) => {
    const words = typeWords(viewSchema(option, resolve), resolve, depth + 1)
    return index === 0 ? words : [{ text: ' or ' }, ...words]
  })
}
