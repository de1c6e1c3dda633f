// Schemas as nested lists of Markdown.
import { cut, oneLine } from './plain-text.ts'
import type { ReferenceContext } from './reference-context.ts'
import { factText, schemaFacts } from './schema-facts.ts'
import { typeText } from './schema-type.ts'
import { type SchemaView, viewSchema } from './schema-view.ts'

const maxLines = 150
const deepest = 3

/** The type, and a list of its fields. */
export function schemaMarkdown(schema: unknown, context: ReferenceContext): string {
  const view = viewSchema(schema, context.resolve)
  const lines: string[] = []

  function add(parent: SchemaView, depth: number, trail: readonly string[]): void {
    const item = parent.items === undefined || parent.properties.size > 0
    const inner = item ? parent : viewSchema(parent.items, context.resolve)
    const refs = [...parent.refs, ...inner.refs]
    const isTooDeep = depth > (context.isLarge() ? 0 : deepest)
    if (isTooDeep || refs.some((ref) => trail.includes(ref))) return
    for (const [name, property] of inner.properties) {
      if (lines.length >= maxLines) return
      const facts = [inner.required.has(name) && 'required']
      lines.push('  '.repeat(depth) + valueLine({ name, schema: property }, facts, context))
      add(viewSchema(property, context.resolve), depth + 1, [...trail, ...refs])
    }
  }

  add(view, 0, [])
  const type = typeText(view, context.resolve)
  const text = lines.length === 0 ? type : `${type}\n\n${lines.join('\n')}`
  context.charge(text.length)
  return text
}

export interface NamedValue {
  name: string
  schema: unknown
  description?: string | undefined
}

/** One item of a list: name, type, what holds for it, description. */
export function valueLine(
  { name, schema, description }: NamedValue,
  words: readonly (string | false)[],
  context: ReferenceContext,
): string {
  const view = viewSchema(schema, context.resolve)
  const facts = [typeText(view, context.resolve), ...words.filter((word) => word !== false)]
  const more = schemaFacts(view).map(factText)
  const text = oneLine(description ?? view.description ?? '', 1_000)
  const end = [
    text,
    ...more.map((fact) => `${fact.charAt(0).toUpperCase()}${cut(fact, 500).slice(1)}.`),
  ]
  const line = `- \`${oneLine(name)}\` (${facts.join(', ')})${end.join(' ').trim() === '' ? '' : `: ${end.join(' ').trim()}`}`
  context.charge(line.length)
  return line
}
