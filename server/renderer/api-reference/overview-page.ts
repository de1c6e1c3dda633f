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
import { entriesField, fieldsOf, listField, textField } from './document/document-values.ts'
import {
  isWebAddress,
  type Operation,
  readLink,
  readServers,
  type SecurityScheme,
} from './document/read-operations.ts'
import { viewSchema } from './document/schema-view.ts'
import {
  headerList,
  methodBadge,
  operationMarks,
  routeHtml,
  schemeSentence,
  searchWords,
} from './operation-page.ts'
import {
  createPageDraft,
  type PageDraft,
  type Reference,
  type ReferenceContext,
} from './reference-context.ts'
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
    html`<p class="lead">${name}${version !== undefined && html` <span class="api-version">version ${oneLine(version, 60)}</span>`}${summary !== undefined && html`<br>${oneLine(summary)}`}</p>
`,
    `${name} ${plainText(summary)} ${plainText(description)}`,
  )
  if (description !== undefined) draft.prose(description)

  const servers = readServers([root]).slice(0, 50)
  const serverParts = servers.map(({ url, description, variables }) => {
    const shown = variables.slice(0, 30).map(([name, variable]) => {
      // Restrictions and default are keywords of schemas, too.
      return { name: `{${cut(name, 100)}}`, schema: { ...fieldsOf(variable), type: 'string' } }
    })
    const title = oneLine(plainText(description))
    return html`${context.code(url, 'text', title)}${trees.list(shown)}
`
  })
  draft.section('servers', `Base address${servers.length === 1 ? '' : 'es'}`, serverParts)
  draft.section('authentication', 'Authentication', schemesHtml(reference))
  addOperations(draft, reference)
  draft.section('schemas', 'Schemas', schemasHtml(context), '')
  draft.section('errors', 'Errors', errorsHtml(reference))
  for (const [id, title, shown] of [
    ['rate-limits', 'Rate limits', headers.limits.slice(0, 60)],
    ['headers', 'Headers of every response', headers.always.slice(0, 60)],
  ] as const) {
    draft.section(id, title, headerList(shown, trees), searchWords(shown))
  }
  draft.section('about', 'About this reference', aboutHtml(context), '')
  return draft.page({
    path: context.overviewPath,
    title: context.title,
    description: describe(summary ?? (plainText(description) || `The operations of ${name}.`)),
  })
}

function schemesHtml({ schemes, context }: Reference): Html[] {
  return [...schemes.values()].map((scheme) => {
    const { name, title, description, links } = scheme
    const places = links.map(({ title: words, url }) => html` <a href="${url}">${words}</a>`)
    const heading = html`<h3>${title} <code>${cut(name, 60)}</code></h3>`
    return html`${schemes.size > 1 && heading}
<p>${schemes.size === 1 && html`<strong>${title}.</strong> `}${schemeSentence(scheme)}${places}</p>
${description !== undefined && context.prose(description)}
${scopesHtml(scheme)}`
  })
}

function scopesHtml({ scopes }: SecurityScheme): Html | false {
  const rows = scopes.slice(0, 300).map(({ name, description }) => {
    return [html`<code>${cut(name, 120)}</code>`, html`${oneLine(description)}`]
  })
  return rows.length > 0 && table(['Scope', 'What it allows'], rows)
}

function addOperations(draft: PageDraft, { groups, context }: Reference): void {
  draft.section('operations', 'Operations', groups.length > 0 && '\n')
  const toUnique = createNumbering(1)
  for (const { tag, title, description, operations } of groups) {
    const id = toUnique(`operations-${kebabCase(title) || 'more'}`)
    if (groups.length > 1 && tag !== undefined) context.anchor('tag', tag, `#${id}`)
    const rows = operations.map(operationCells)
    const content = html`${description !== undefined && context.prose(description)}${rows.length > 0 && table(['Operation', 'What it does'], rows, 'api-operations')}`
    if (groups.length > 1) draft.section(id, title, content, undefined, 3)
    else draft.add(content)
  }
}

function operationCells(operation: Operation): Html[] {
  const { method, route, title, path } = operation
  return [
    html`<span class="api-route">${methodBadge(method)} <code class="api-path">${routeHtml(route)}</code></span>`,
    html`<a href="${hrefOf(path)}">${title}</a>${operationMarks(operation)}`,
  ]
}

function schemasHtml({ schemaLink, schemaPages, schemasPath }: ReferenceContext): Html | false {
  const names = [...schemaPages.keys()].slice(0, 40)
  const links = names.map((name, index) => html`${index > 0 && ', '}${schemaLink(name)}`)
  const more = schemaPages.size - names.length
  const rest = html` and <a href="${hrefOf(schemasPath)}">${more} more</a>`
  return (
    names.length > 0 &&
    html`<p>The schemas of requests and responses: ${links}${more > 0 && rest}.</p>
`
  )
}

function aboutHtml({ document: { root, path } }: ReferenceContext): Html {
  const { contact, license, termsOfService: url } = fieldsOf(root.info)
  const links: [words: string, place: unknown, nameFields: string[]][] = [
    ['Contact', contact, ['name', 'email', 'url']],
    ['Terms', { url }, ['url']],
    ['License', license, ['name', 'identifier', 'url']],
    ['More', readLink(root.externalDocs), ['title']],
  ]
  const items = links.map(([words, place, nameFields]) => {
    const [name] = nameFields.flatMap((field) => textField(place, field) ?? [])
    const target = textField(place, 'url') ?? ''
    const text = oneLine(name ?? '')
    const linked = isWebAddress(target) ? html`<a href="${target}">${text}</a>` : text
    return name !== undefined && html`<li>${words}: ${linked}</li>`
  })
  return html`<ul><li>Generated from <a href="${encodePath(path)}">${path.split('/').at(-1)}</a>.</li>${items}</ul>
`
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

const maxCodes = 1_000

/** The codes of an error schema, if responses say something about them. */
function errorsHtml({ context, operations }: Reference): Html | false {
  const schema = findErrorSchema(context)
  if (schema === undefined) return false
  const responses = operations.flatMap((operation) => operation.responses)
  const uses = responses.flatMap(({ status, description = '', media }) => [
    ...description
      .slice(0, 20_000)
      .matchAll(/^ *[-*] +`([^`\n]{1,100})`: *(\S.*)$/gm)
      .map(([, code, meaning]) => ({ code, meaning, status })),
    ...media.flatMap(({ examples }) =>
      examples.map(({ summary, value }) => {
        const meaning = summary ?? textField(value, 'message')
        return { code: textField(value, schema.field), meaning, status }
      }),
    ),
  ])
  const byCode = Map.groupBy(uses, ({ code }) => code)
  const rows = schema.codes.slice(0, maxCodes).map((code) => {
    const own = byCode.get(code) ?? []
    const statuses = own.map(({ status }) => status).filter((status) => /^[45]\d\d$/.test(status))
    const meaning = plainText(own.find(({ meaning }) => meaning !== undefined)?.meaning)
    const shown = html`${cut(code, 120)}`.text.replaceAll('_', '_<wbr>')
    return [
      html`<code>${new Html(shown)}</code>`,
      html`${[...new Set(statuses)].sort().join(', ') || '–'}`,
      html`${oneLine(meaning) || '–'}`,
    ]
  })
  return (
    schema.codes.some((code) => byCode.has(code)) &&
    html`<p>Errors have the form ${context.schemaLink(schema.name)} with one of these codes.</p>
${table(['Code', 'Status', 'Meaning'], rows, 'api-errors')}`
  )
}

const codeFields = ['code', 'error_code', 'errorCode', 'error', 'type']

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
