// Try it: the form with which a reader sends the request of an operation to the server that the site has chosen. Its fields
// are filled with the example; theme/try-it.js sends it. Keys have no value there and no place in addresses.
import { type Html, html } from '../markdown/html.ts'
import { cut, oneLine, valueText } from '../sources/plain-text.ts'
import { isSameServer } from '../sources/settings.ts'
import { listField } from './document/document-values.ts'
import type { Operation, Parameter, SecurityScheme } from './document/read-operations.ts'
import type { Resolve } from './document/resolve-refs.ts'
import { viewSchema } from './document/schema-view.ts'
import { type ExampleBody, exampleRequest, fieldText, parameterText } from './example-request.ts'
import type { Reference } from './reference-context.ts'
import type { FieldForm } from './request/written-form.js'
import { requiredMark } from './schema-tree.ts'

const maxFields = 60
const maxOptions = 100
const maxBodyLength = 50_000
/** Browsers do not let scripts set these (Fetch standard, "forbidden request-header"). */
const forbiddenHeader =
  /^(?:cookie2?|host|origin|referer|connection|date|dnt|expect|keep-alive|te|trailer|transfer-encoding|upgrade|via|set-cookie|content-length|accept-(?:charset|encoding)|access-control-.*|proxy-.*|sec-.*)$/i

/** Undefined if it is off, or if a browser cannot send the request. */
export function tryItForm(
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
  const { explode, in: place, name, required, reserved, schema, style, type } = parameter
  const view = viewSchema(schema, resolve)
  // A value with a content type is sent as it is written.
  const kind = type === undefined ? fieldKind(view.types) : undefined
  const types = view.types.filter((type) => type !== 'string')
  const words = kind ? kindWords[kind] : types.join(' or ')
  const text = required ? parameterText(parameter, resolve) : ''
  const label = html`<code>${cut(name, 200)}</code> <span class="api-type">${words}${words !== '' && ', '}in ${place}</span>${required && requiredMark}`
  const attributes = html`data-in="${place}" ${formData({ name, style, explode, reserved, kind })}${required && html` required`}`
  const values = view.types.includes('boolean')
    ? ['true', 'false']
    : listField(view.keywords, 'enum').slice(0, maxOptions).map(valueText)
  if (kind !== undefined || values.length === 0) {
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

const kindWords = { list: 'list, separated by commas', object: 'JSON' }

const fieldKind = (types: readonly string[]) =>
  types.includes('array') ? 'list' : types.includes('object') ? 'object' : undefined

/** What the script needs to write the value (request/written-form.js). */
function formData(form: Omit<FieldForm, 'isFile'> & { kind: string | undefined }): Html {
  const { explode, kind, name, reserved, style, type } = form
  return html`data-name="${name}"${style !== undefined && html` data-style="${style}"`}${explode && html` data-explode`}${reserved && html` data-reserved`}${kind !== undefined && html` data-kind="${kind}"`}${type !== undefined && html` data-type="${type}"`}`
}

function bodyFields(body: ExampleBody | undefined, required: boolean): Html | undefined {
  if (body?.kind === 'text' || body?.kind === 'file') {
    const label = html`Body <span class="api-type">${oneLine(body.type, 100)}</span>${required && requiredMark}`
    const type = html`data-type="${body.type}"${required && html` required`}`
    if (body.kind === 'file') return field(label, html`<input type="file" data-in="file" ${type}>`)
    const text = body.text.length > maxBodyLength ? '' : body.text
    const rows = Math.min(20, Math.max(3, text.split('\n').length + 1))
    // The line break after the tag is not part of the text.
    const area = html`<textarea rows="${rows}" autocapitalize="none" spellcheck="false" data-in="body" ${type}>
${text}</textarea>`
    return field(label, area)
  }
  return html`${body?.fields.slice(0, maxFields).map(({ value, ...form }) => {
    const isObject = typeof value === 'object' && value !== null
    const kind = Array.isArray(value) ? 'list' : isObject ? 'object' : undefined
    const words = kind && !form.isFile ? `${kindWords[kind]}, ` : ''
    const control = form.isFile
      ? html`<input type="file"${kind === 'list' && html` multiple`}`
      : html`<input type="text" autocapitalize="none" spellcheck="false" value="${fieldText(value)}"`
    return field(
      html`<code>${cut(form.name, 200)}</code> <span class="api-type">${words}in body</span>`,
      html`${control} data-in="${body.kind}" ${formData({ ...form, kind })}>`,
    )
  })}`
}
