// A value as XML, by the `xml` keywords of its schema (OpenAPI 3.1.1, section 4.8.26).
import { escapeHtml } from '../../markdown/html.ts'
import { entriesOf, flagField, textField } from '../document/document-values.ts'
import type { Resolve } from '../document/resolve-refs.ts'
import { viewSchema } from '../document/schema-view.ts'
import { textOfValue } from './written-form.js'

const maxDepth = 20
const maxElements = 1_000
/** Characters of names (XML 1.0, section 2.3); others become `_`. */
const notInName = /[^\p{L}\p{N}_.-]/gu

export function xmlText(schema: unknown, value: unknown, resolve: Resolve): string {
  let elements = 0

  /** The lines of an element, or of several for a list that is not wrapped. */
  function element(name: string, part: unknown, item: unknown, depth: number): string[] {
    elements += 1
    if (elements > maxElements || depth > maxDepth) return []
    const { items, keywords, properties } = viewSchema(part, resolve)
    const { own, local, namespace } = namesOf(keywords.xml, name)
    if (Array.isArray(item)) {
      const isWrapped = flagField(keywords.xml, 'wrapped')
      const inner = isWrapped ? local : name
      const lines = item.flatMap((one) => element(inner, items, one, depth + 1))
      return isWrapped ? wrap(own, namespace, lines) : lines
    }
    if (typeof item !== 'object' || item === null) {
      const text = item === null ? '' : escapeHtml(textOfValue(item))
      return [`<${own}${namespace}>${text}</${own}>`]
    }
    let attributes = namespace
    const children = entriesOf(item).flatMap(([key, child]) => {
      const { xml } = viewSchema(properties.get(key), resolve).keywords
      const isAttribute = flagField(xml, 'attribute') || textField(xml, 'nodeType') === 'attribute'
      if (!isAttribute) return element(key, properties.get(key), child, depth + 1)
      attributes += ` ${namesOf(xml, key).own}="${escapeHtml(textOfValue(child))}"`
      return []
    })
    return wrap(own, attributes, children)
  }

  const { name, title } = viewSchema(schema, resolve)
  const lines = element(name ?? title ?? 'root', schema, value, 0)
  return ['<?xml version="1.0" encoding="UTF-8"?>', ...lines].join('\n')
}

function wrap(name: string, attributes: string, children: string[]): string[] {
  if (children.length === 0) return [`<${name}${attributes}/>`]
  return [`<${name}${attributes}>`, ...children.map((line) => `  ${line}`), `</${name}>`]
}

/** The name with its prefix and without, and the attribute of its namespace. */
function namesOf(xml: unknown, name: string) {
  const local = textField(xml, 'name') ?? name
  const prefix = textField(xml, 'prefix')?.replaceAll(notInName, '_')
  const plain = local.replaceAll(notInName, '_').replace(/^(?=[\d.-])/, '_') || '_'
  const uri = textField(xml, 'namespace')
  const attribute = ` xmlns${prefix ? `:${prefix}` : ''}="${escapeHtml(uri ?? '')}"`
  return { own: prefix ? `${prefix}:${plain}` : plain, local, namespace: uri ? attribute : '' }
}
