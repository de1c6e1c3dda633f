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

  function element(name: string, part: unknown, item: unknown, depth: number): string[] {
    elements += 1
    if (elements > maxElements || depth > maxDepth) return []
    const view = viewSchema(part, resolve)
    const xml = view.keywords.xml
    const own = nameOf(xml, name)
    if (Array.isArray(item)) {
      const itemXml = viewSchema(view.items, resolve).keywords.xml
      const isWrapped = flagField(xml, 'wrapped')
      const inner = textField(itemXml, 'name') ?? (isWrapped ? localName(xml, name) : name)
      const below = depth + Number(isWrapped)
      const items = item.flatMap((one) => element(inner, view.items, one, below))
      return isWrapped ? wrap(own, namespaceOf(xml), items, depth) : items
    }
    if (typeof item !== 'object' || item === null) {
      const text = item === null ? '' : escapeHtml(textOfValue(item))
      return [`${margin(depth)}<${own}${namespaceOf(xml)}>${text}</${own}>`]
    }
    let attributes = namespaceOf(xml)
    const children: string[] = []
    for (const [key, child] of entriesOf(item)) {
      const property = view.properties.get(key)
      const about = viewSchema(property, resolve).keywords.xml
      if (flagField(about, 'attribute') || textField(about, 'nodeType') === 'attribute') {
        attributes += ` ${nameOf(about, key)}="${escapeHtml(textOfValue(child))}"`
      } else children.push(...element(key, property, child, depth + 1))
    }
    return wrap(own, attributes, children, depth)
  }

  const view = viewSchema(schema, resolve)
  const lines = element(view.name ?? view.title ?? 'root', schema, value, 0)
  return ['<?xml version="1.0" encoding="UTF-8"?>', ...lines].join('\n')
}

const margin = (depth: number) => '  '.repeat(depth)

function wrap(name: string, attributes: string, children: string[], depth: number): string[] {
  if (children.length === 0) return [`${margin(depth)}<${name}${attributes}/>`]
  return [`${margin(depth)}<${name}${attributes}>`, ...children, `${margin(depth)}</${name}>`]
}

const localName = (xml: unknown, name: string) => textField(xml, 'name') ?? name

/** With its prefix. */
function nameOf(xml: unknown, name: string): string {
  const prefix = textField(xml, 'prefix')
  const local =
    localName(xml, name)
      .replaceAll(notInName, '_')
      .replace(/^(?=[\d.-])/, '_') || '_'
  return prefix === undefined ? local : `${prefix.replaceAll(notInName, '_')}:${local}`
}

function namespaceOf(xml: unknown): string {
  const namespace = textField(xml, 'namespace')
  if (namespace === undefined) return ''
  const prefix = textField(xml, 'prefix')
  const name = prefix === undefined ? 'xmlns' : `xmlns:${prefix.replaceAll(notInName, '_')}`
  return ` ${name}="${escapeHtml(namespace)}"`
}
