// Try it: the form with which a reader sends the request of an operation to the server that the site has chosen. Its fields
// are filled with the example; theme/try-it.js sends it. Keys have no value there and no place in addresses.
import { type Html, html } from '../markdown/html.ts'
import { cut, oneLine, valueText } from '../sources/plain-text.ts'
import { isSameServer } from '../sources/settings.ts'
import { listField } from './document/document-values.ts'
import type { Operation, Parameter, SecurityScheme } from './document/read-operations.ts'
import type { Resolve } from './document/resolve-refs.ts'
import { viewSchema } from './document/schema-view.ts'
import { type ExampleBody, exampleRequest, fieldText, parameterValue } from './example-request.ts'
import type { Reference } from './reference-context.ts'
import { mark } from './schema-tree.ts'

const maxFields = 60
const maxOptions = 100
const maxBodyLength = 50_000
/** Browsers do not let scripts set these (Fetch standard, "forbidden request-header"). */
const forbiddenHeader =
  /^(?:cookie2?|host|origin|referer|connection|date|dnt|expect|keep-alive|te|trailer|transfer-encoding|upgrade|via|set-cookie|content-length|accept-(?:charset|encoding)|access-control-.*|proxy-.*|sec-.*)$/i

/** Undefined if it is off, or if a browser cannot send the request. */
export function tryItForm(operation: Operation, reference: Reference) {
  const { tryIt, context, schemes } = reference
  const { method, route, isWebhook, body } = operation
  if (!tryIt || isWebhook || method === 'TRACE') return undefined
  const server = operation.servers.find(({ url }) => isSameServer(url, tryIt.server))
  const credentials = sentCredentials(operation, schemes)
  const isSendable = (item: Parameter) => canSend(item.in, item.name)
  const parameters = operation.parameters.filter(isSendable).slice(0, maxFields)
  const isComplete = operation.parameters.every((item) => !item.required || isSendable(item))
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const lacksBody = !hasBody && body?.required === true
  if (!server || !credentials || !isComplete || lacksBody) return undefined
  const name = server.description === undefined ? '' : ` (${oneLine(server.description, 60)})`
  const target = html`<code>${cut(tryIt.server, 200)}</code>${name}`
  const sent = hasBody ? exampleRequest(operation, reference).body : undefined
  const inBody = bodyFields(sent, body?.required)
  // Headers that may be left out are folded.
  const fieldsOf = (isFolded: boolean) =>
    parameters
      .filter((item) => (item.in === 'header' && !item.required) === isFolded)
      .map((item) => parameterField(item, context.resolve))
  const folded = fieldsOf(true).map(fieldHtml)
  const title = folded.length === 1 ? '1 optional header' : `${folded.length} optional headers`
  const fold = html`<details class="api-fold"><summary>${title}</summary>
${folded}</details>`
  const form = html`<details class="api-try scripted"><summary>Try it</summary>
<form class="api-try-form" autocomplete="off" data-method="${method}" data-server="${tryIt.server}" data-route="${route}">
<p class="api-try-about">Sends requests to ${target}.${credentials.length > 0 && ' Keys stay in the memory of this page and are forgotten when you leave it.'}</p>
${[...credentials.flatMap(credentialFields), ...fieldsOf(false)].map(fieldHtml)}${folded.length > 0 && fold}${inBody.map(fieldHtml)}<p class="api-try-actions"><button class="api-try-send">Send ${method}</button> <span class="api-try-state" role="status"></span></p>
</form>
<div class="api-try-answer" hidden>
<details class="api-fold"><summary></summary><dl class="api-try-headers"></dl></details>
<div class="code-block"><pre class="code" tabindex="0" role="group" aria-label="Body of the response"><code></code></pre></div>
</div>
<dialog class="api-try-dialog" aria-labelledby="site:try"><h2 id="site:try">Send a real ${method}?</h2>
<p>This sends a real ${method} to ${target}, which may change data there. You are asked once on this page.</p>
<form method="dialog" class="api-try-actions"><button class="api-try-send" value="send">Send ${method}</button> <button class="api-try-cancel" value="">Cancel</button></form></dialog>
</details>`
  return { form, origin: tryIt.origin }
}

/** Of the first alternative that a browser can send; undefined if there is none. */
function sentCredentials({ security = [] }: Operation, schemes: Reference['schemes']) {
  const alternatives = security.slice(0, 20).flatMap((needs) => {
    const sent = needs.slice(0, 20).flatMap(({ scheme }) => schemes.get(scheme) ?? [])
    // Keys do not belong in addresses.
    const isSent = sent.every(
      ({ credential: { name, place } }) => place !== 'query' && canSend(place, name),
    )
    return sent.length === needs.length && isSent ? [sent] : []
  })
  if (security.length === 0) return []
  return alternatives.find((needs) => needs.length > 0) ?? alternatives[0]
}

const canSend = (place: string, name: string) =>
  place === 'header' ? !forbiddenHeader.test(name) : /^(path|query|user)$/.test(place)

interface Field {
  label: Html | string
  /** Its type and place. */
  words?: string
  required?: boolean
  /** What the script knows of it: its place, and how its value is written (request/written-form.js). */
  about: object
  /** The tag without its end, and what is between it and the end tag. */
  control?: Html
  content?: Html | false
}

const textInput = html`<input type="text" autocapitalize="none" spellcheck="false"`
const secretInput = html`<input type="password" autocomplete="off" spellcheck="false"`

function fieldHtml({ label, words = '', required, about, control = textInput, content }: Field) {
  const type = words !== '' && html` <span class="api-type">${words}</span>`
  return html`<label class="api-try-field"><span class="api-try-label">${label}${type}${required && mark('required')}</span>${control} name="${JSON.stringify(about)}"${required && html` required`}>${content}</label>`
}

const nameHtml = (name: string) => html`<code>${cut(name, 200)}</code>`

function credentialFields({ credential, name, title }: SecurityScheme): Field[] {
  if (credential.place === 'header') {
    const { name: header, prefix } = credential
    // A name such as apiKey says more than "Bearer token".
    const label = /key/i.test(name) ? 'API key' : oneLine(title, 60)
    return [{ label, control: secretInput, about: { in: 'credential', name: header, prefix } }]
  }
  return [
    { label: 'User name', about: { in: 'user' } },
    { label: 'Password', control: secretInput, about: { in: 'password' } },
  ]
}

function parameterField(parameter: Parameter, resolve: Resolve): Field {
  const { explode, in: place, name, required, reserved, schema, style, type } = parameter
  const { keywords, types } = viewSchema(schema, resolve)
  // A value with a content type is sent as it is written.
  const kind = type === undefined ? kindOf(types) : ''
  const written = kindWords[kind] ?? types.filter((type) => type !== 'string').join(' or ')
  const text = required ? fieldText(parameterValue(parameter, resolve)) : ''
  const values = types.includes('boolean')
    ? ['true', 'false']
    : listField(keywords, 'enum').slice(0, maxOptions).map(valueText)
  const isChoice = kind === '' && values.length > 0
  const options = values.map(
    (value) => html`<option${value === text && html` selected`}>${value}</option>`,
  )
  const none = !required && html`<option value="">Not sent</option>`
  return {
    label: nameHtml(name),
    words: [...(written === '' ? [] : [written]), `in ${place}`].join(', '),
    required,
    about: { in: place, name, style, explode, reserved, kind },
    control: isChoice ? html`<select` : html`${textInput} value="${text}"`,
    content: isChoice && html`${none}${options}</select>`,
  }
}

const kindWords: Record<string, string> = { list: 'list, separated by commas', object: 'JSON' }

const kindOf = (types: readonly string[]) =>
  types.includes('array') ? 'list' : types.includes('object') ? 'object' : ''

function bodyFields(body: ExampleBody | undefined, required = false): Field[] {
  if (body?.kind === 'text' || body?.kind === 'file') {
    const about = { in: 'body', type: body.type }
    const field = { label: 'Body', words: oneLine(body.type, 100), required, about }
    if (body.kind === 'file') return [{ ...field, control: html`<input type="file"` }]
    const text = body.text.length > maxBodyLength ? '' : body.text
    const rows = Math.min(20, Math.max(3, text.split('\n').length + 1))
    const control = html`<textarea rows="${rows}" autocapitalize="none" spellcheck="false"`
    // The line break after the tag is not part of the text.
    return [{ ...field, control, content: html`\n${text}</textarea>` }]
  }
  const fields = body?.fields.slice(0, maxFields) ?? []
  return fields.map(({ value, ...form }) => {
    const kind = value === null ? '' : kindOf([Array.isArray(value) ? 'array' : typeof value])
    const file = html`<input type="file"${kind === 'list' && html` multiple`}`
    const words = form.isFile || kind === '' ? 'in body' : `${kindWords[kind]}, in body`
    const control = form.isFile ? file : html`${textInput} value="${fieldText(value)}"`
    return { label: nameHtml(form.name), words, control, about: { ...form, in: body?.kind, kind } }
  })
}
