// A page for each schema of `components/schemas`, and one that lists them.

import { html } from '../markdown/html.ts'
import { hrefOf } from '../sources/addresses.ts'
import { jsonText, oneLine, plainText } from '../sources/plain-text.ts'
import type { Page } from '../sources/render-input.ts'
import { entriesField } from './document/document-values.ts'
import type { Operation } from './document/read-operations.ts'
import { nameOf, pointerTo } from './document/resolve-refs.ts'
import { sampleValue } from './document/sample-value.ts'
import { viewSchema } from './document/schema-view.ts'
import { createPageDraft, type Reference, type ReferenceContext } from './reference-context.ts'
import { createSchemaTrees } from './schema-tree.ts'

export function* schemaPages(reference: Reference): Generator<Page> {
  const { context } = reference
  if (context.schemaPages.size === 0) return
  const users = operationsBySchema(reference)
  yield listPage(context)
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
  const { code, resolve } = context
  const draft = createPageDraft(context)
  const trees = createSchemaTrees(context)
  const view = viewSchema(schema, resolve)
  const words = plainText(view.description)
  const ref = pointerTo(name)
  draft.add(trees.whole(schema, undefined, ref), `${words} ${trees.searchWords(schema)}`)
  if (/object|array/.test(view.types.join()) || view.choices.length > 0) {
    // By reference, so that it has the name that a discriminator may say.
    const named = /^[\w.-]+$/.test(name) ? { $ref: ref } : schema
    const sample = sampleValue(named, { resolve, isRequest: false })
    draft.section('example', 'Example', code(jsonText(sample), 'json'), '')
  }
  const links = users.slice(0, maxUsers).map((operation) => {
    return html`<li><a href="${hrefOf(operation.path)}">${operation.title}</a></li>`
  })
  const more = users.length > maxUsers && html`<p>And by ${users.length - maxUsers} more.</p>`
  const list = html`<ul class="api-users">${links}</ul>\n${more}`
  draft.section('used-by', 'Used by', links.length > 0 && list, '')
  return draft.page({
    path: context.schemaPages.get(name) ?? '',
    title: oneLine(name),
    description: words || `The schema ${oneLine(name)}.`,
  })
}

function listPage(context: ReferenceContext): Page {
  const draft = createPageDraft(context)
  const schemas = entriesField(context.document.root.components, 'schemas')
  const items = schemas.map(([name, schema]) => {
    const words = oneLine(plainText(viewSchema(schema, context.resolve).description))
    return html`<li><a href="${hrefOf(context.schemaPages.get(name) ?? '')}"><strong>${oneLine(name)}</strong> ${words}</a></li>`
  })
  draft.add(html`<ul class="listing">${items}</ul>`, '')
  return draft.page({
    path: context.schemasPath,
    title: 'Schemas',
    description: 'The schemas of requests and responses.',
  })
}

/** The operations that use a schema directly, not through another schema. */
function operationsBySchema({ operations }: Reference): Map<string, Operation[]> {
  const users = new Map<string, Operation[]>()
  for (const operation of operations) {
    const media = [...(operation.body?.media ?? []), ...operation.responses.flatMap((r) => r.media)]
    const schemas = [...media, ...operation.parameters].map((item) => item.schema)
    for (const name of namesIn(schemas)) users.getOrInsert(name, []).push(operation)
  }
  return users
}

/** In the first 50,000 characters of the schemas. */
function namesIn(schemas: unknown[]): Set<string> {
  const written = jsonText(schemas, { indent: false })
  const refs = written.matchAll(/"\$ref":"(#[^"\\]+)"/g)
  return new Set([...refs].flatMap(([, ref = '']) => nameOf(ref) ?? []))
}
