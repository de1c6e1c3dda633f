// A page for each schema of `components/schemas`, and one that lists them.

import { html } from '../markdown/html.ts'
import { hrefOf } from '../sources/addresses.ts'
import { cut, describe, jsonText, oneLine, plainText } from '../sources/plain-text.ts'
import type { Page } from '../sources/render-input.ts'
import { entriesField, entriesOf, isFields } from './document/document-values.ts'
import type { Operation } from './document/read-operations.ts'
import { nameOf, pointerTo, type Resolve } from './document/resolve-refs.ts'
import { sampleValue } from './document/sample-value.ts'
import { type SchemaView, viewSchema } from './document/schema-view.ts'
import { createPageDraft, type Reference, type ReferenceContext } from './reference-context.ts'
import { schemaMarkdown } from './reference-markdown.ts'
import { createSchemaTrees } from './schema-tree.ts'

export function* schemaPages(reference: Reference): Generator<Page> {
  const { context } = reference
  if (context.schemaPages.size === 0) return
  const users = operationsBySchema(reference)
  yield listPage(reference)
  for (const entry of entriesField(context.document.root.components, 'schemas')) {
    yield schemaPage(entry, users.get(entry[0]) ?? [], context)
  }
}

const maxUsers = 40

/** `users`: the operations that use the schema. */
function schemaPage(
  [name, schema]: [string, unknown],
  users: Operation[],
  context: ReferenceContext,
): Page {
  const path = context.schemaPages.get(name) ?? ''
  const draft = createPageDraft(context)
  const trees = createSchemaTrees(context)
  const view = viewSchema(schema, context.resolve)
  const words = plainText(view.description)
  draft.add(
    trees.whole(schema, { ref: pointerTo(name) }),
    `${words} ${fieldWords(view, context.resolve)}`,
  )
  if (/object|array/.test(view.types.join()) || view.choices.length > 0) {
    draft.section({ level: 2, id: 'example', text: 'Example' })
    // By reference, so that it has the name that a discriminator may say.
    const named = /^[\w.-]+$/.test(name) ? { $ref: pointerTo(name) } : schema
    const sample = sampleValue(named, { resolve: context.resolve, isRequest: false })
    draft.add(context.code(jsonText(sample), 'json'))
  }
  if (users.length > 0) {
    draft.section({ level: 2, id: 'used-by', text: 'Used by' })
    const links = users.slice(0, maxUsers).map((operation) => {
      return html`<li><a href="${hrefOf(operation.path)}">${operation.title}</a></li>`
    })
    const more = users.length - links.length
    draft.add(html`<ul class="api-users">${links}</ul>
${more > 0 && html`<p>And by ${more} more.</p>`}`)
  }
  const about = view.description === undefined ? [] : [cut(view.description.trim(), 10_000)]
  return draft.page({
    path,
    title: oneLine(name),
    description: describe(words || `The schema ${oneLine(name)}.`),
    markdown: `${[`# ${oneLine(name)}`, ...about, schemaMarkdown(schema, context)].join('\n\n')}\n`,
  })
}

function fieldWords(view: SchemaView, resolve: Resolve): string {
  const words = [...view.properties].slice(0, 200).map(([name, property]) => {
    return `${name} ${plainText(viewSchema(property, resolve).description).slice(0, 300)}`
  })
  return words.join(' ')
}

function listPage({ context }: Reference): Page {
  const draft = createPageDraft(context)
  const { document, resolve, schemaPages: paths } = context
  const schemas = entriesField(document.root.components, 'schemas')
  const lines: string[] = []
  const items = schemas.map(([name, schema]) => {
    const words = oneLine(plainText(viewSchema(schema, resolve).description))
    lines.push(`- ${oneLine(name)}${words === '' ? '' : `: ${words}`}`)
    return html`<li><a href="${hrefOf(paths.get(name) ?? '')}"><strong>${oneLine(name)}</strong>${words}</a></li>
`
  })
  draft.add(html`<ul class="listing">${items}</ul>
`)
  return draft.page({
    path: context.schemasPath,
    title: 'Schemas',
    description: 'The schemas of requests and responses.',
    markdown: `# Schemas\n\n${lines.join('\n')}\n`,
  })
}

/** The operations that use a schema directly, not through another schema. */
function operationsBySchema({ operations }: Reference): Map<string, Operation[]> {
  const users = new Map<string, Operation[]>()
  for (const operation of operations) {
    const media = [...(operation.body?.media ?? []), ...operation.responses.flatMap((r) => r.media)]
    const schemas = [...media, ...operation.parameters].map((item) => item.schema)
    for (const name of namesIn(schemas)) {
      users.getOrInsert(name, []).push(operation)
    }
  }
  return users
}

const maxVisited = 5_000

function namesIn(root: unknown): Set<string> {
  const names = new Set<string>()
  const open = [root]
  for (let visited = 0; visited < maxVisited; visited += 1) {
    const value = open.pop()
    if (value === undefined) break
    if (Array.isArray(value))
      open.push(...value.slice(0, maxVisited).filter((item) => item !== undefined))
    for (const [key, item] of entriesOf(value)) {
      const name = key === '$ref' && typeof item === 'string' ? nameOf(item) : undefined
      if (name !== undefined) names.add(name)
      else if (isFields(item) || Array.isArray(item)) open.push(item)
    }
  }
  return names
}
