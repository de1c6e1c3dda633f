// The page of one operation: description, deprecation, request, example and responses; and Try it, the form with which a
// reader sends the request to the server that the site has chosen. Its fields are filled with the example;
// theme/try-it.js sends it. Keys have no value there and no place in addresses.
import { describe } from '../markdown/describe.ts'
import { Html, html } from '../markdown/html.ts'
import { hrefOf } from '../sources/addresses.ts'
import type { Page } from '../sources/render-input.ts'
import { isSameServer } from '../sources/try-it-setting.ts'
import { listField } from './document-values.ts'
import { type ExampleBody, exampleRequest, parameterText } from './example-request.ts'
import {
  callout,
  deprecationSentence,
  mainResponse,
  mediaHtml,
  methodBadge,
  operationMarks,
  operationSummary,
  responseHtml,
  securityHtml,
  splitDescription,
  stabilityTitle,
  statusWords,
} from './operation-parts.ts'
import { cut, oneLine, plainText, valueText } from './plain-text.ts'
import type { Resolve } from './read-document.ts'
import type { Operation, Parameter } from './read-operations.ts'
import type { Reference } from './reference.ts'
import { createPageDraft, type PageDraft } from './reference-context.ts'
import { operationMarkdown } from './reference-markdown.ts'
import { requestSamples } from './request-samples.ts'
import { createSchemaTrees, type SchemaTrees } from './schema-tree.ts'
import { viewSchema } from './schema-view.ts'
import type { SecurityScheme } from './security-schemes.ts'

const places = {
  path: 'In the path',
  query: 'In the query',
  header: 'Headers',
  cookie: 'Cookies',
}

export function operationPage(operation: Operation, reference: Reference): Page {
  const { context } = reference
  const draft = createPageDraft(context)
  const trees = createSchemaTrees(context)
  const tryIt = tryItForm(operation, reference)
  const hasSamples = !operation.isWebhook
  // On wide screens the samples are a column beside the text, which is around them otherwise.
  if (hasSamples) draft.add(new Html('<div class="api-operation">\n<div class="prose">\n'))
  addIntroduction(draft, operation, reference)
  if (hasSamples) {
    draft.add(new Html('</div>\n<div class="api-exchange">\n'))
    draft.section({ level: 2, id: 'request', text: 'Example request' })
    draft.add(requestSamples(operation, reference))
    draft.add(new Html('</div>\n<div class="prose">\n'))
    if (tryIt) draft.add(tryIt.form)
  }
  if (hasSamples || operation.security !== undefined) {
    draft.section({ level: 2, id: 'authentication', text: 'Authentication' })
    draft.add(securityHtml(operation, reference))
  }
  addParameters(draft, operation, trees)
  addBody(draft, operation, { reference, trees })
  addResponses(draft, operation, { reference, trees })
  addCallbacks(draft, operation)
  if (hasSamples) draft.add(new Html('</div>\n</div>\n'))
  return draft.page({
    path: operation.path,
    title: operation.title,
    description: describe(operationSummary(operation)),
    markdown: operationMarkdown(operation, reference),
    ...(tryIt && { connectTo: tryIt.origin }),
  })
}

function addIntroduction(draft: PageDraft, operation: Operation, reference: Reference): void {
  const { context } = reference
  const { method, route, isWebhook, deprecated, operationId, stability, externalDocs } = operation
  const { replacement, description } = splitDescription(operation)
  draft.add(
    html`<div class="api-endpoint">${methodBadge(method)} <code class="api-path">${routeHtml(route)}</code>${isWebhook && html` <span class="api-mark">webhook</span>`}${operationMarks(operation)}</div>
`,
    `${method} ${oneLine(route)} ${operationId ?? ''} ${plainText(operation.description)}`,
  )
  if (deprecated) {
    const text = replacement && context.prose(linkOperations(replacement, reference.operations))
    draft.add(callout('caution', deprecationSentence(operation), html`${text}`))
  }
  if (stability?.meaning !== undefined) {
    const kind = stability.meaning.includes('notice') ? 'note' : 'warning'
    draft.add(callout(kind, stabilityTitle(operation), html`<p>${stability.meaning}</p>`))
  }
  if (description !== undefined) draft.add(context.prose(description))
  if (externalDocs) {
    draft.add(html`<p><a href="${externalDocs.url}">${externalDocs.title}</a></p>
`)
  }
}

/** The route with its parameters marked; lines may break after a slash. */
export function routeHtml(route: string): Html {
  const pieces = cut(route, 500).split(/(\{[^{}]*\})/)
  return html`${pieces.map((piece, index) => {
    if (index % 2 === 1) return html`<span class="api-path-parameter">${piece}</span>`
    return new Html(html`${piece}`.text.replaceAll('/', '/<wbr>'))
  })}`
}

/** In Markdown, "GET /pets" becomes a link if the operation exists. */
function linkOperations(markdown: string, operations: readonly Operation[]): string {
  return markdown.replaceAll(
    /(`?)\b([A-Z]{3,7}) (\/[^\s`,;()[\]]*[^\s`,;:.()[\]]|\/)\1/g,
    (whole, tick, method, route) => {
      const found = operations.find((item) => item.method === method && item.route === route)
      return found ? `[${tick}${method} ${route}${tick}](${hrefOf(found.path)})` : whole
    },
  )
}

function addParameters(draft: PageDraft, { parameters }: Operation, trees: SchemaTrees): void {
  if (parameters.length === 0) return
  draft.section({ level: 2, id: 'parameters', text: 'Parameters' })
  for (const [place, title] of Object.entries(places)) {
    const found = parameters.filter((parameter) => parameter.in === place)
    if (found.length === 0) continue
    const rows = found.map((item) => trees.row({ ...item, name: html`${cut(item.name, 200)}` }))
    draft.add(
      html`<h3 class="api-place">${title}</h3>
<ul class="api-fields">${rows}</ul>
`,
      found.map(({ name, description }) => `${name} ${plainText(description)}`).join(' '),
    )
  }
}

interface Surroundings {
  reference: Reference
  trees: SchemaTrees
}

function addBody(
  draft: PageDraft,
  { body, isWebhook }: Operation,
  { reference, trees }: Surroundings,
): void {
  if (body === undefined) return
  const { context } = reference
  draft.section({ level: 2, id: 'body', text: 'Request body' })
  if (!body.required) draft.add(html`<p>Optional.</p>`)
  if (body.description !== undefined) {
    draft.add(context.prose(body.description), plainText(body.description))
  }
  const options = { context, trees, isRequest: true, isUnfolded: true, isShownBeside: !isWebhook }
  draft.add(mediaHtml(body.media, options))
  const names = body.media.flatMap(({ schema }) => [
    ...viewSchema(schema, context.resolve).properties.keys(),
  ])
  draft.add(false, [...new Set(names)].slice(0, 500).join(' '))
}

function addResponses(
  draft: PageDraft,
  { responses, isWebhook }: Operation,
  { reference, trees }: Surroundings,
): void {
  if (responses.length === 0) return
  const text = isWebhook ? 'Expected responses' : 'Responses'
  draft.section({ level: 2, id: 'responses', text })
  const opened = mainResponse(responses)
  for (const response of responses) {
    const words = plainText(response.description) || statusWords(response.status)
    const isOpen = response === opened
    const options = { reference, trees, isOpen, isShownBeside: isOpen && !isWebhook }
    draft.add(responseHtml(response, options), `${response.status} ${words}`)
  }
}

function addCallbacks(draft: PageDraft, { callbacks }: Operation): void {
  if (callbacks.length === 0) return
  draft.section({ level: 2, id: 'callbacks', text: 'Callbacks' })
  draft.add(html`<p>Requests that it may send to you:</p>
<ul class="api-fields">${callbacks.slice(0, 100).map(
    ({ name, expression, method, summary }) =>
      html`<li class="api-field"><div class="api-field-head">${methodBadge(method)} <code class="api-name">${cut(name, 100)}</code></div>
<p>${summary !== undefined && `${oneLine(plainText(summary))} `}Sent to <code>${cut(expression, 300)}</code>.</p></li>
`,
  )}</ul>
`)
}

const maxFields = 60
const maxOptions = 100
const maxBodyLength = 50_000
/** Browsers do not let scripts set these (Fetch standard, "forbidden request-header"). */
const forbiddenHeader =
  /^(?:cookie2?|host|origin|referer|connection|date|dnt|expect|keep-alive|te|trailer|transfer-encoding|upgrade|via|set-cookie|content-length|accept-(?:charset|encoding)|access-control-.*|proxy-.*|sec-.*)$/i

/** Undefined if it is off, or if a browser cannot send the request. */
function tryItForm(
  operation: Operation,
  reference: Reference,
): { form: Html; origin: string } | undefined {
  const { tryIt, context, schemes } = reference
  const { method, route, isWebhook, body } = operation
  if (!tryIt || isWebhook || method === 'TRACE') return undefined
  const server = operation.servers.find(({ url }) => isSameServer(url, tryIt.server))
  const credentials = sentCredentials(operation, schemes)
  const parameters = operation.parameters.filter(canSend).slice(0, maxFields)
  const isComplete = operation.parameters.every((item) => !item.required || canSend(item))
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const lacksBody = !hasBody && body?.required === true
  if (!server || !credentials || !isComplete || lacksBody) return undefined
  const name = server.description === undefined ? '' : ` (${oneLine(server.description, 60)})`
  const target = html`<code>${cut(tryIt.server, 200)}</code>${name}`
  const form = html`<details class="api-try scripted"><summary>Try it</summary>
<form class="api-try-form" autocomplete="off" data-method="${method}" data-server="${tryIt.server}" data-route="${route}">
<p class="api-try-about">Sends requests to ${target}.${credentials.length > 0 && ' Keys stay in the memory of this page and are forgotten when you leave it.'}</p>
${credentials.map(credentialFields)}${parameterFields(parameters, context.resolve)}${
  hasBody && body && bodyFields(exampleRequest(operation, reference).body, body.required)
}<p class="api-try-actions"><button class="api-try-send">Send ${method}</button> <span class="api-try-state" role="status"></span></p>
</form>
<div class="api-try-answer" hidden>
<details class="api-fold"><summary></summary><dl class="api-try-headers"></dl></details>
<div class="code-block"><pre class="code" tabindex="0" role="group" aria-label="Body of the response"><code></code></pre></div>
</div>
<dialog class="api-try-dialog" aria-labelledby="site:try"><h2 id="site:try">Send a real ${method}?</h2>
<p>This sends a real ${method} to ${target}, which may change data there. You are asked once on this page.</p>
<p class="api-try-actions"><button type="button" class="api-try-send" value="send">Send ${method}</button> <button type="button" class="api-try-cancel" value="">Cancel</button></p></dialog>
</details>
`
  context.charge(form.text.length)
  return { form, origin: tryIt.origin }
}

/** Of the first alternative that a browser can send; undefined if there is none. */
function sentCredentials(
  { security }: Operation,
  schemes: ReadonlyMap<string, SecurityScheme>,
): SecurityScheme[] | undefined {
  if (security === undefined || security.length === 0) return []
  const alternatives = security.slice(0, 20).flatMap((needs) => {
    const sent = needs.slice(0, 20).flatMap(({ scheme }) => schemes.get(scheme) ?? [])
    return sent.length === needs.length && sent.every(canSendCredential) ? [sent] : []
  })
  return alternatives.find((needs) => needs.length > 0) ?? alternatives[0]
}

function canSendCredential({ credential }: SecurityScheme): boolean {
  if (credential.place === 'header') return !forbiddenHeader.test(credential.name)
  return credential.place === 'user'
}

function canSend({ in: place, name }: Parameter): boolean {
  return place !== 'cookie' && !(place === 'header' && forbiddenHeader.test(name))
}

function field(label: Html | string, control: Html): Html {
  return html`<label class="api-try-field"><span class="api-try-label">${label}</span>${control}</label>
`
}

function credentialFields({ credential, ...scheme }: SecurityScheme): Html {
  const secret = html`<input type="password" autocomplete="off" spellcheck="false"`
  if (credential.place === 'header') {
    // A name such as apiKey says more than "Bearer token".
    const title = /key/i.test(scheme.name) ? 'API key' : scheme.title
    return field(
      oneLine(title, 60),
      html`${secret} data-in="credential" data-name="${credential.name}" data-prefix="${credential.prefix}">`,
    )
  }
  const user = html`<input type="text" autocomplete="off" autocapitalize="none" spellcheck="false" data-in="user">`
  return html`${field('User name', user)}${field('Password', html`${secret} data-in="password">`)}`
}

/** Headers that may be left out are folded. */
function parameterFields(parameters: readonly Parameter[], resolve: Resolve): Html {
  const isFolded = (item: Parameter) => item.in === 'header' && !item.required
  const fields = (items: readonly Parameter[]) => items.map((item) => parameterField(item, resolve))
  const folded = fields(parameters.filter(isFolded))
  return html`${fields(parameters.filter((item) => !isFolded(item)))}${
    folded.length > 0 &&
    html`<details class="api-fold"><summary>${folded.length === 1 ? '1 optional header' : `${folded.length} optional headers`}</summary>
${folded}</details>
`
  }`
}

function parameterField(parameter: Parameter, resolve: Resolve): Html {
  const { explode, in: place, name, required, schema } = parameter
  const view = viewSchema(schema, resolve)
  const isList = view.types.includes('array')
  const types = view.types.filter((type) => type !== 'string')
  const kind = isList ? 'list, separated by commas' : types.join(' or ')
  const text = required ? parameterText(parameter, resolve) : ''
  const label = html`<code>${cut(name, 200)}</code> <span class="api-type">${kind}${kind !== '' && ', '}in ${place}</span>${
    required && html` <span class="api-mark api-mark-required">required</span>`
  }`
  const attributes = html`data-in="${place}" data-name="${name}"${isList && html` data-list="${explode ? 'repeated' : 'joined'}"`}${required && html` required`}`
  const values = view.types.includes('boolean')
    ? ['true', 'false']
    : listField(view.keywords, 'enum').slice(0, maxOptions).map(valueText)
  if (isList || values.length === 0) {
    return field(
      label,
      html`<input type="text" autocapitalize="none" spellcheck="false" ${attributes} value="${text}">`,
    )
  }
  const options = values.map(
    (value) => html`<option${value === text && html` selected`}>${value}</option>`,
  )
  return field(
    label,
    html`<select ${attributes}>${!required && html`<option value="">Not sent</option>`}${options}</select>`,
  )
}

function bodyFields(body: ExampleBody | undefined, required: boolean): Html | undefined {
  const mark = required && html` <span class="api-mark api-mark-required">required</span>`
  if (body?.kind === 'text') {
    const text = body.text.length > maxBodyLength ? '' : body.text
    const rows = Math.min(20, Math.max(3, text.split('\n').length + 1))
    // The line break after the tag is not part of the text.
    return field(
      html`Body <span class="api-type">${oneLine(body.type, 100)}</span>${mark}`,
      html`<textarea rows="${rows}" autocapitalize="none" spellcheck="false" data-in="body" data-type="${body.type}"${required && html` required`}>
${text}</textarea>`,
    )
  }
  if (body?.kind === 'file') {
    return field(
      html`Body <span class="api-type">${oneLine(body.type, 100)}</span>${mark}`,
      html`<input type="file" data-in="file" data-type="${body.type}"${required && html` required`}>`,
    )
  }
  return html`${body?.fields.slice(0, maxFields).map((item) => {
    const isFile = 'isFile' in item && item.isFile === true
    const control = isFile
      ? html`<input type="file"`
      : html`<input type="text" autocapitalize="none" spellcheck="false" value="${item.text}"`
    return field(
      html`<code>${cut(item.name, 200)}</code> <span class="api-type">in body</span>`,
      html`${control} data-in="${body.kind}" data-name="${item.name}">`,
    )
  })}`
}
