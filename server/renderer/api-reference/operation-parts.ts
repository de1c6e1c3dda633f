// Parts of an operation's page as HTML: parameters, bodies and responses, deprecation and stability,
// authentication.
import { STATUS_CODES } from 'node:http'
import { Html, html, icon } from '../markdown/html.ts'
import { hrefOf } from '../sources/addresses.ts'
import { dayInWords, readDay } from '../sources/written-date.ts'
import {
  cut,
  exampleLanguage,
  exampleText,
  jsonText,
  oneLine,
  plainText,
  splitParagraph,
} from './plain-text.ts'
import type { Header, Media, Operation, Response, SecurityNeed } from './read-operations.ts'
import { overviewPath, type Reference } from './reference.ts'
import type { ReferenceContext } from './reference-context.ts'
import { sampleValue } from './sample-value.ts'
import type { SchemaTrees } from './schema-tree.ts'
import { viewSchema } from './schema-view.ts'
import type { SecurityScheme } from './security-schemes.ts'

export interface MediaOptions {
  context: ReferenceContext
  trees: SchemaTrees
  isRequest: boolean
  /** Whether the schema is expanded here; otherwise its name is shown, with a link. */
  isUnfolded: boolean
  /** Whether the first example is beside it, and so closed here. */
  isShownBeside?: boolean
}

/** Media types with the same content are shown together. */
export function mediaHtml(media: Media[], options: MediaOptions): Html {
  const groups = new Map<string, Media[]>()
  for (const item of media) {
    const key = jsonText([item.schema, item.examples], { indent: false })
    groups.getOrInsert(key, []).push(item)
  }
  return html`${[...groups.values()].map((group) => oneMedia(group, options))}`
}

function oneMedia(group: Media[], options: MediaOptions): Html {
  const { context, trees, isUnfolded } = options
  const [first] = group
  if (first === undefined) return html``
  const types = group.map(
    ({ type }, index) => html`${index > 0 && ' or '}<code>${oneLine(type, 100)}</code>`,
  )
  const view = viewSchema(first.schema, context.resolve)
  const schema = isUnfolded
    ? trees.whole(first.schema)
    : html`<p class="api-field-head">${trees.type(view)}</p>`
  const hasForm = first.schema !== undefined
  return html`<div class="api-media"><p class="api-media-type">${types}</p>
${hasForm && schema}${examplesHtml(first, options)}</div>
`
}

const maxExamples = 30

function examplesHtml(
  media: Media,
  { context, isRequest, isShownBeside, isUnfolded }: MediaOptions,
): Html {
  const { resolve, code } = context
  const examples = media.examples.slice(0, maxExamples)
  if (examples.length === 0 && media.schema !== undefined && /json/i.test(media.type)) {
    const value = sampleValue(media.schema, { resolve, isRequest })
    examples.push({ name: undefined, summary: undefined, value })
  }
  const language = exampleLanguage(media.type)
  const isOnly = examples.length === 1
  return html`${examples.map((example, index) => {
    const isOpen = (isUnfolded && index === 0) || isOnly
    const open = new Html(isOpen && !isShownBeside ? ' open' : '')
    const name = example.summary ?? example.name
    const title = name === undefined ? 'Example' : `Example: ${oneLine(name, 120)}`
    return html`<details class="api-example"${open}><summary>${title}</summary>
${code(exampleText(example.value, media.type), language)}</details>
`
  })}`
}

function headersHtml(headers: Header[], { reference, trees }: ResponseOptions): Html {
  const own = headers.filter((header) => !reference.headers.isCommon(header))
  const hasCommon = own.length < headers.length
  const others = html`<a href="${hrefOf(overviewPath)}#headers">headers of every response</a>`
  return html`${
    own.length > 0 &&
    html`<details class="api-fold"><summary>${own.length === 1 ? '1 header' : `${own.length} headers`}</summary>
<ul class="api-fields">${own.map((header) => headerRow(header, trees))}</ul></details>
`
  }${
    hasCommon &&
    html`<p class="api-elsewhere">${own.length > 0 ? 'And the' : 'Has the'} ${others}.</p>
`
  }`
}

export function headerRow(header: Header, trees: SchemaTrees): Html {
  // A header that is always sent is not shown as "required".
  return trees.row({ ...header, name: html`${cut(header.name, 200)}`, required: false })
}

/** The standard phrase of the status. */
export function statusWords(status: string): string {
  if (status === 'default') return 'Any other response'
  const ranges = ['', 'Information', 'Success', 'Redirection', 'Client error', 'Server error']
  return (/XX$/.test(status) ? ranges[Number(status[0])] : STATUS_CODES[status]) ?? ''
}

interface ResponseOptions {
  reference: Reference
  trees: SchemaTrees
  isOpen: boolean
  isShownBeside: boolean
}

/** The response that is shown first. */
export function mainResponse(responses: readonly Response[]): Response | undefined {
  return (
    responses.find(({ status }) => status.startsWith('2')) ??
    responses.find(({ status }) => status === 'default')
  )
}

/** A response as a collapsible block with its status and meaning as the summary. */
export function responseHtml(response: Response, options: ResponseOptions): Html {
  const { status, description = '', headers, media } = response
  const { reference, trees, isOpen, isShownBeside } = options
  const { context } = reference
  const [first, rest] = splitParagraph(description)
  const isLong = first.length > 300
  const more = isLong ? description : rest
  const kind = new Html(/^[1-5]/.exec(status)?.[0] ?? 'default')
  context.charge(600)
  return html`<details class="api-response"${new Html(isOpen ? ' open' : '')}><summary><span class="api-status api-status-${kind}">${status}</span> <span class="api-status-words">${oneLine(plainText(first), 160) || statusWords(status)}</span></summary>
<div class="api-response-content">
${more !== '' && context.prose(more)}
${mediaHtml(media, { context, trees, isRequest: false, isUnfolded: isOpen, isShownBeside })}${headersHtml(headers, options)}</div></details>
`
}

/** `2030-12-05` becomes "5 December 2030"; other text is unchanged. */
function dateInWords(text: string): string {
  const day = readDay(text)
  return day === undefined ? oneLine(text, 60) : dayInWords(day)
}

/** Such as "Deprecated. Removed on 5 December 2030." */
export function deprecationSentence({ sunset }: Operation): string {
  return `Deprecated.${sunset === undefined ? '' : ` Removed on ${dateInWords(sunset)}.`}`
}

/**
 * Moves the sentences of a deprecated operation that say what to use instead out of its description, so that they
 * appear once, at the top. Both are Markdown.
 */
export function splitDescription({ deprecated, description }: Operation): {
  replacement?: string | undefined
  description: string | undefined
} {
  if (!deprecated || description === undefined) return { description }
  const [first, rest] = splitParagraph(description)
  const sentences = first.slice(0, 4_000).match(/\S[\s\S]*?(?:[.!?](?=\s|$)|$)/g) ?? []
  if (!/^\W{0,3}deprecated\b/i.test(first)) {
    const found = sentences.find((sentence) =>
      /\b(instead|replaced by|superseded by|in favou?r of)\b/i.test(sentence),
    )
    return { replacement: found, description }
  }
  const replacement = sentences.slice(1).join(' ').trim() || undefined
  return { replacement, description: first.length > 4_000 ? description : rest || undefined }
}

export function callout(kind: 'warning' | 'caution' | 'note', title: string, text: Html): Html {
  return html`<div class="callout callout-${kind}" role="note"><div class="callout-title">${icon(kind)}<span>${title}</span></div>
${text}</div>
`
}

export function stabilityTitle({ stability }: Operation): string {
  const word = stability?.word ?? ''
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Next to the title of an operation, in lists. */
export function operationMarks(operation: Operation): Html {
  const { stability, deprecated } = operation
  const kind = stability?.meaning === undefined ? '' : ` api-mark-${kindClass(stability.word)}`
  return html`${stability && html` <span class="api-mark${kind}">${stability.word}</span>`}${
    deprecated && html` <span class="api-mark api-mark-deprecated">deprecated</span>`
  }`
}

function kindClass(word: string): string {
  return word === 'beta' || word === 'preview' ? 'beta' : 'experimental'
}

const knownMethods = ['get', 'post', 'put', 'patch', 'delete']

export function methodBadge(method: string): Html {
  const name = method.toLowerCase()
  const kind = new Html(knownMethods.includes(name) ? name : 'other')
  return html`<span class="api-method api-method-${kind}">${method}</span>`
}

/** One sentence for lists and search engines. */
export function operationSummary(operation: Operation): string {
  const { replacement, description } = splitDescription(operation)
  const notice = operation.deprecated ? `${deprecationSentence(operation)} ` : ''
  return `${notice}${plainText(description ?? replacement) || `${operation.method} ${oneLine(operation.route)}`}`
}

export function schemeSentence({ words, code }: SecurityScheme): Html {
  return html`${words}${code !== undefined && html` <code>${code}</code>.`}`
}

/** The security requirements of an operation: alternatives, each with one or more schemes. */
export function securityHtml({ security }: Operation, { schemes }: Reference): Html {
  if (security === undefined || security.length === 0) {
    return html`<p>${security === undefined ? 'Not specified.' : 'No authentication required.'}</p>
`
  }
  const items = security.slice(0, 20).map((needs) => needsHtml(needs, schemes))
  if (items.length === 1)
    return html`<p>${items}</p>
`
  return html`<p>One of these:</p>
<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>
`
}

function needsHtml(needs: SecurityNeed[], schemes: Reference['schemes']): Html {
  if (needs.length === 0) return html`No authentication.`
  return html`${needs.slice(0, 20).map(({ scheme, scopes }, index) => {
    const known = schemes.get(scheme)
    const name = known?.title ?? cut(scheme, 80)
    return html`${index > 0 && html` <strong>and</strong> `}<strong>${oneLine(name)}</strong>. ${known && schemeSentence(known)}${scopesHtml(scopes)}`
  })}`
}

function scopesHtml(scopes: string[]): Html | false {
  if (scopes.length === 0) return false
  const shown = scopes.slice(0, 30).map((scope) => html` <code>${cut(scope, 120)}</code>`)
  return html` ${scopes.length === 1 ? 'Scope:' : 'Scopes:'}${shown}.`
}
