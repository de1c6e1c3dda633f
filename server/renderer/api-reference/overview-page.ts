// The overview of a reference: servers, authentication, operations by tag, and headers that responses have in common.

import { type Html, html, type Value } from '../markdown/html.ts'
import { encodePath, hrefOf } from '../sources/addresses.ts'
import { createNumbering, cut, kebabCase, oneLine, plainText } from '../sources/plain-text.ts'
import type { Page } from '../sources/render-input.ts'
import { fieldsOf, textField } from './document/document-values.ts'
import { isWebAddress, readLink, readServers } from './document/read-operations.ts'
import { headerList, operationCells, schemeSentence } from './operation-page.ts'
import { createPageDraft, type PageDraft, type Reference } from './reference-context.ts'
import { createSchemaTrees } from './schema-tree.ts'

export function overviewPage(reference: Reference): Page {
  const { context, headers } = reference
  const { root } = context.document
  const draft = createPageDraft(context)
  const trees = createSchemaTrees(context)
  const name = oneLine(textField(root.info, 'title') ?? 'The API')
  const version = textField(root.info, 'version')
  const summary = textField(root.info, 'summary')
  const description = textField(root.info, 'description')
  draft.add(
    html`<p class="lead">${name}${version !== undefined && html` <span class="api-version">version ${oneLine(version, 60)}</span>`}${summary !== undefined && html`<br>${oneLine(summary)}`}</p>`,
    `${name} ${plainText(summary)} ${plainText(description)}`,
  )
  draft.prose(description)

  const servers = readServers([root]).slice(0, 50)
  const serverParts = servers.map(({ url, description, variables }) => {
    const shown = variables.slice(0, 30).map(([name, variable]) => {
      // Restrictions and default are keywords of schemas, too.
      return { name: `{${cut(name, 100)}}`, schema: { ...fieldsOf(variable), type: 'string' } }
    })
    const title = oneLine(plainText(description))
    return html`${context.code(url, 'text', title)}${trees.list(shown)}`
  })
  draft.section('servers', `Base address${servers.length === 1 ? '' : 'es'}`, serverParts)
  draft.section('authentication', 'Authentication', schemesHtml(reference))
  addOperations(draft, reference)
  const { size } = context.schemaPages
  const all = html`<a href="${hrefOf(context.schemasPath)}">${size === 1 ? 'schema' : `${size} schemas`}</a>`
  const schemas = html`<p>The ${all} of requests and responses.</p>`
  draft.section('schemas', 'Schemas', size > 0 && schemas, '')
  draft.section('rate-limits', 'Rate limits', headerList(headers.limits, trees))
  draft.section('headers', 'Headers of every response', headerList(headers.always, trees))
  draft.section('about', 'About this reference', aboutHtml(reference), '')
  return draft.page({
    path: context.overviewPath,
    title: context.title,
    description: summary ?? (plainText(description) || `The operations of ${name}.`),
  })
}

function schemesHtml({ schemes, context }: Reference): Html[] {
  return [...schemes.values()].map((scheme) => {
    const { name, title, description, links, scopes } = scheme
    const rows = scopes.slice(0, 300).map(([name, words]) => {
      return [html`<code>${cut(name, 120)}</code>`, typeof words === 'string' && oneLine(words)]
    })
    const places = links.map(({ title: words, url }) => html` <a href="${url}">${words}</a>`)
    const heading = html`<h3>${title} <code>${cut(name, 60)}</code></h3>`
    return html`${schemes.size > 1 && heading}
<p>${schemes.size === 1 && html`<strong>${title}.</strong> `}${schemeSentence(scheme)}${places}</p>
${context.prose(description)}
${table(['Scope', 'What it allows'], rows)}`
  })
}

function addOperations(draft: PageDraft, { groups, context }: Reference): void {
  draft.section('operations', 'Operations', groups.length > 0 && '\n')
  const toUnique = createNumbering(1)
  for (const { tag, title, description, operations } of groups) {
    const id = toUnique(`operations-${kebabCase(title) || 'more'}`)
    if (groups.length > 1) context.anchor('tag', tag, `#${id}`)
    const rows = operations.map(operationCells)
    const content = html`${context.prose(description)}${table(['Operation', 'What it does'], rows, 'api-operations')}`
    if (groups.length > 1) draft.section(id, title, content, undefined, 3)
    else draft.add(content)
  }
}

function aboutHtml({ context }: Reference): Html {
  const { root, path } = context.document
  const { contact, license, termsOfService: url } = fieldsOf(root.info)
  const more = readLink(root.externalDocs)
  const links = { Contact: contact, Terms: { url }, License: license, More: more }
  const items = Object.entries(links).map(([words, place]) => {
    const names = ['name', 'title', 'identifier', 'email', 'url']
    const [name] = names.flatMap((field) => textField(place, field) ?? [])
    const target = textField(place, 'url') ?? ''
    const text = oneLine(name ?? '')
    const linked = isWebAddress(target) ? html`<a href="${target}">${text}</a>` : text
    return name !== undefined && html`<li>${words}: ${linked}</li>`
  })
  return html`<ul><li>Generated from <a href="${encodePath(path)}">${path.split('/').at(-1)}</a>.</li>${items}</ul>`
}

/** Nothing without rows. */
function table(heads: string[], rows: Value[][], kind = ''): Html | false {
  const written = html`<div class="table ${kind}" role="group" aria-label="${heads.join(', ')}" tabindex="0"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`
  return rows.length > 0 && written
}
