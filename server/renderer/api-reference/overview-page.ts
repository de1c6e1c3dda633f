// The overview of a reference: servers, authentication, operations by tag, and the error codes found in error
// schemas, examples and descriptions.

import { Html, html } from '../markdown/html.ts'
import { encodePath, hrefOf } from '../sources/addresses.ts'
import {
  createNumbering,
  cut,
  describe,
  kebabCase,
  oneLine,
  plainText,
} from '../sources/plain-text.ts'
import type { Page } from '../sources/render-input.ts'
import {
  entriesField,
  fieldOf,
  fieldsOf,
  listField,
  textField,
} from './document/document-values.ts'
import {
  type Header,
  isWebAddress,
  type Operation,
  readLink,
  readServers,
} from './document/read-operations.ts'
import { viewSchema } from './document/schema-view.ts'
import {
  headerRow,
  methodBadge,
  operationMarks,
  routeHtml,
  schemeSentence,
} from './operation-page.ts'
import {
  createPageDraft,
  type PageDraft,
  type Reference,
  type ReferenceContext,
} from './reference-context.ts'
import { operationLine } from './reference-markdown.ts'
import { createSchemaTrees, type SchemaTrees } from './schema-tree.ts'

export function overviewPage(reference: Reference): Page {
  const { context } = reference
  const { root } = context.document
  const name = oneLine(textField(root.info, 'title') ?? 'The API')
  const version = textField(root.info, 'version')
  const summary = textField(root.info, 'summary')
  const description = textField(root.info, 'description')
  const draft = createPageDraft(context)
  const trees = createSchemaTrees(context)

  draft.add(
    html`<p class="lead">${name}${version !== undefined && html` <span class="api-version">version ${oneLine(version, 60)}</span>`}${summary !== undefined && html`<br>${oneLine(summary)}`}</p>
`,
    `${name} ${plainText(summary)} ${plainText(description)}`,
  )
  if (description !== undefined) draft.prose(description)
  addServers(draft, trees, reference)
  addSchemes(draft, reference)
  addOperations(draft, reference)
  addSchemas(draft, reference)
  addErrors(draft, reference)
  const { limits, always } = reference.headers
  addHeaders(draft, trees, limits, 'rate-limits', 'Rate limits')
  addHeaders(draft, trees, always, 'headers', 'Headers of every response')
  addAbout(draft, reference)
  return draft.page({
    path: context.overviewPath,
    title: context.title,
    description: describe(summary ?? (plainText(description) || `The operations of ${name}.`)),
    markdown: overviewMarkdown(reference, { name, version, description: description ?? summary }),
  })
}

function addServers(draft: PageDraft, trees: SchemaTrees, { context }: Reference): void {
  const servers = readServers([context.document.root]).slice(0, 50)
  if (servers.length === 0) return
  const text = servers.length === 1 ? 'Base address' : 'Base addresses'
  draft.section({ level: 2, id: 'servers', text })
  for (const { url, description, variables } of servers) {
    const caption =
      description !== undefined && html`<figcaption>${oneLine(plainText(description))}</figcaption>`
    draft.add(
      html`<figure class="code-block api-server">${caption}${new Html(context.code(url, 'text').text.replace(/^<div class="code-block">|<\/div>$/g, ''))}</figure>
`,
      url,
    )
    const rows = variables.slice(0, 30).map(([name, variable]) =>
      // Restrictions and default are keywords of schemas, too.
      trees.row({
        name: html`{${cut(name, 100)}}`,
        schema: { ...fieldsOf(variable), type: 'string' },
      }),
    )
    if (rows.length > 0)
      draft.add(html`<ul class="api-fields">${rows}</ul>
`)
  }
}

function addSchemes(draft: PageDraft, { schemes, context }: Reference): void {
  if (schemes.size === 0) return
  draft.section({ level: 2, id: 'authentication', text: 'Authentication' })
  for (const scheme of schemes.values()) {
    const { name, title, description, links, scopes } = scheme
    const places = links.map(({ title: words, url }) => html` <a href="${url}">${words}</a>`)
    draft.add(
      html`${schemes.size > 1 && html`<h3>${title} <code>${cut(name, 60)}</code></h3>`}
<p>${schemes.size === 1 && html`<strong>${title}.</strong> `}${schemeSentence(scheme)}${places}</p>
${description !== undefined && context.prose(description)}
`,
      `${title} ${plainText(description)}`,
    )
    if (scopes.length === 0) continue
    const cells = ({ name, description }: (typeof scopes)[number]) => {
      return [html`<code>${cut(name, 120)}</code>`, html`${oneLine(description)}`]
    }
    draft.add(table(['Scope', 'What it allows'], scopes.slice(0, 300).map(cells)))
  }
}

function addOperations(draft: PageDraft, { groups, context }: Reference): void {
  if (groups.length === 0) return
  draft.section({ level: 2, id: 'operations', text: 'Operations' })
  const toUnique = createNumbering(1)
  for (const { tag, title, description, operations } of groups) {
    if (groups.length > 1) {
      const id = toUnique(`operations-${kebabCase(title) || 'more'}`)
      draft.section({ level: 3, id, text: title })
      if (tag !== undefined) context.anchor('tag', tag, `#${id}`)
    }
    if (description !== undefined) draft.add(context.prose(description), plainText(description))
    if (operations.length === 0) continue
    draft.add(
      table(['Operation', 'What it does'], operations.map(operationCells), 'api-operations'),
      operations.map((item) => `${item.title} ${item.method} ${oneLine(item.route)}`).join(' '),
    )
  }
}

function operationCells(operation: Operation): Html[] {
  const { method, route, title, path } = operation
  return [
    html`<span class="api-route">${methodBadge(method)} <code class="api-path">${routeHtml(route)}</code></span>`,
    html`<a href="${hrefOf(path)}">${title}</a>${operationMarks(operation)}`,
  ]
}

function addSchemas(draft: PageDraft, { context }: Reference): void {
  const count = context.schemaPages.size
  if (count === 0) return
  draft.section({ level: 2, id: 'schemas', text: 'Schemas' })
  const names = [...context.schemaPages].slice(0, 40).map(([name, path], index) => {
    return html`${index > 0 && ', '}<a href="${hrefOf(path)}">${cut(name, 80)}</a>`
  })
  draft.add(html`<p>The schemas of requests and responses: ${names}${count > 40 && html` and <a href="${hrefOf(context.schemasPath)}">${count - 40} more</a>`}.</p>
`)
}

function addErrors(draft: PageDraft, { context, operations }: Reference): void {
  const errorCodes = readErrorCodes(context, operations)
  if (errorCodes === undefined) return
  const { codes, schema } = errorCodes
  draft.section({ level: 2, id: 'errors', text: 'Errors' })
  const href = context.schemaHref(schema) ?? ''
  const hasStatus = codes.some(({ statuses }) => statuses.length > 0)
  const hasMeaning = codes.some(({ meaning }) => meaning !== undefined)
  const rows = codes.map(({ code, statuses, meaning }) => [
    html`<code>${breakable(cut(code, 120))}</code>`,
    ...(hasStatus ? [html`${statuses.join(', ') || '–'}`] : []),
    ...(hasMeaning ? [html`${plainText(meaning) || '–'}`] : []),
  ])
  const heads = ['Code', ...(hasStatus ? ['Status'] : []), ...(hasMeaning ? ['Meaning'] : [])]
  draft.add(
    html`<p>Errors have the form <a href="${href}">${cut(schema, 80)}</a> with one of these codes.</p>
${table(heads, rows, 'api-errors')}`,
    codes.map(({ code, meaning = '' }) => `${code} ${plainText(meaning)}`).join(' '),
  )
}

/** Allows line breaks after underscores, for narrow screens. */
function breakable(code: string): Html {
  return new Html(html`${code}`.text.replaceAll('_', '_<wbr>'))
}

function addHeaders(
  draft: PageDraft,
  trees: SchemaTrees,
  headers: Header[],
  id: string,
  title: string,
): void {
  if (headers.length === 0) return
  draft.section({ level: 2, id, text: title })
  draft.add(
    html`<ul class="api-fields">${headers.slice(0, 60).map((header) => headerRow(header, trees))}</ul>
`,
    headers.map(({ name, description }) => `${name} ${plainText(description)}`).join(' '),
  )
}

function addAbout(draft: PageDraft, { context: { document } }: Reference): void {
  const { root, path } = document
  draft.section({ level: 2, id: 'about', text: 'About this reference' })
  const { contact, license, termsOfService: url } = fieldsOf(root.info)
  const more = readLink(root.externalDocs)
  const linked = (words: string, place: unknown, nameFields: string[]) => {
    const [name] = nameFields.flatMap((field) => textField(place, field) ?? [])
    if (name === undefined) return undefined
    const target = textField(place, 'url')
    const isLink = target !== undefined && isWebAddress(target)
    const text = isLink ? html`<a href="${target}">${oneLine(name)}</a>` : oneLine(name)
    return html`<li>${words}: ${text}</li>`
  }
  draft.add(html`<ul><li>Generated from <a href="${encodePath(path)}">${path.split('/').at(-1) ?? path}</a>.</li>${[
    linked('Contact', contact, ['name', 'email', 'url']),
    linked('Terms', { url }, ['url']),
    linked('License', license, ['name', 'identifier', 'url']),
    linked('More', more, ['title']),
  ]}</ul>
`)
}

function table(heads: string[], rows: Html[][], kind = ''): Html {
  return html`<div class="table ${kind}" role="group" aria-label="${heads.join(', ')}" tabindex="0"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
  )}</tbody></table></div>
`
}

function overviewMarkdown(
  { context, groups }: Reference,
  about: { name: string; version: string | undefined; description: string | undefined },
): string {
  const { name, version, description } = about
  const blocks = [
    `# ${context.title}`,
    `${name}${version === undefined ? '' : `, version ${oneLine(version, 60)}`}`,
  ]
  if (description !== undefined) blocks.push(cut(description.trim(), 20_000))
  const servers = readServers([context.document.root]).slice(0, 50)
  if (servers.length > 0) {
    blocks.push('## Base addresses', servers.map(({ url }) => `- ${oneLine(url)}`).join('\n'))
  }
  for (const { title, operations } of groups) {
    blocks.push(`## ${oneLine(title)}`, operations.map(operationLine).join('\n'))
  }
  const text = `${blocks.join('\n\n')}\n`
  context.charge(text.length)
  return text
}

const codeFields = ['code', 'error_code', 'errorCode', 'error', 'type']
const maxCodes = 1_000

/** With statuses in ascending order. Undefined if no error schema lists its codes. */
function readErrorCodes(context: ReferenceContext, operations: readonly Operation[]) {
  const schema = findErrorSchema(context)
  if (schema === undefined) return undefined
  const statuses = new Map<string, Set<string>>()
  const meanings = new Map<string, string>()
  const note = (code: string, status: string | undefined, meaning: string | undefined) => {
    if (status !== undefined && /^[45]\d\d$/.test(status)) {
      statuses.set(code, (statuses.get(code) ?? new Set()).add(status))
    }
    if (meaning !== undefined && !meanings.has(code)) meanings.set(code, oneLine(meaning))
  }
  const noteExample = (value: unknown, summary?: string, status?: string) => {
    const code = textField(value, schema.field)
    if (code !== undefined) note(code, status, summary ?? textField(value, 'message'))
  }
  const responses = operations.flatMap((operation) => operation.responses)
  for (const { status, description = '' } of responses) {
    const lines = description.slice(0, 20_000).matchAll(/^ *[-*] +`([^`\n]{1,100})`: *(\S.*)$/gm)
    for (const [, code = '', meaning] of lines) note(code, status, meaning)
  }
  for (const { status, media } of responses) {
    for (const { summary, value } of media.flatMap((item) => item.examples)) {
      noteExample(value, summary, status)
    }
  }
  const { root } = context.document
  for (const [, item] of entriesField(root.components, 'examples')) {
    const example = context.resolve(item).value
    const value = fieldOf(example, 'value')
    noteExample(value, textField(example, 'summary'), textField(value, 'status'))
  }
  const codes = schema.codes.slice(0, maxCodes).map((code) => ({
    code,
    statuses: [...(statuses.get(code) ?? [])].sort(),
    meaning: meanings.get(code),
  }))
  return { schema: schema.name, codes }
}

function findErrorSchema({ document, resolve }: ReferenceContext) {
  const schemas = entriesField(document.root.components, 'schemas')
  const named = schemas.filter(([name]) => /error|problem|fault/i.test(name))
  const rows = named.flatMap(([name, schema]) => {
    const { properties } = viewSchema(schema, resolve)
    return codeFields.flatMap((field) => {
      const { keywords } = viewSchema(properties.get(field), resolve)
      const codes = listField(keywords, 'enum').filter((code) => typeof code === 'string')
      return codes.length > 0 ? { name, field, codes } : []
    })
  })
  return rows.find(({ name }) => /^error$/i.test(name)) ?? rows[0]
}
