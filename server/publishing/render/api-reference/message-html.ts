// Shows what goes over the wire: bodies by media type, their examples, headers, responses.
import { STATUS_CODES } from 'node:http'
import { Html, html } from '../markdown/html.ts'
import { hrefOf } from '../sources/addresses.ts'
import { exampleLanguage, exampleText } from './example-text.ts'
import { jsonText } from './json-text.ts'
import type { Example, Header, Media, Response } from './operation.ts'
import { cut, oneLine, plainText, splitParagraph } from './plain-text.ts'
import { overviewPath, type Reference } from './reference.ts'
import type { ReferenceContext } from './reference-context.ts'
import { sampleValue } from './sample-value.ts'
import type { SchemaTrees } from './schema-tree.ts'
import { viewSchema } from './schema-view.ts'

export interface MediaOptions {
  context: ReferenceContext
  trees: SchemaTrees
  isRequest: boolean
  /** Whether the schema is unfolded here; else it is named, with a link. */
  isUnfolded: boolean
}

/** Media types that say the same are shown together. */
export function mediaHtml(media: Media[], options: MediaOptions): Html {
  const groups = new Map<string, Media[]>()
  for (const item of media) {
    const key = jsonText([item.schema, item.examples], { indent: false })
    groups.getOrInsert(key, []).push(item)
  }
  return html`${[...groups.values()].map((group) => oneMedia(group, options))}`
}

function oneMedia(group: Media[], { context, trees, isRequest, isUnfolded }: MediaOptions): Html {
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
${hasForm && schema}${examplesHtml(first, { context, isRequest, isOpen: isUnfolded })}</div>
`
}

interface ExampleOptions {
  context: ReferenceContext
  isRequest: boolean
  isOpen: boolean
}

const maxExamples = 30

function examplesHtml(media: Media, { context, isRequest, isOpen }: ExampleOptions): Html {
  const { resolve, code } = context
  const isMade = media.examples.length === 0
  const made = () => sampleValue(media.schema, { resolve, isRequest })
  const canBeMade = media.schema !== undefined && /json/i.test(media.type)
  const examples: Example[] = !isMade
    ? media.examples.slice(0, maxExamples)
    : canBeMade
      ? [{ name: undefined, summary: undefined, value: made() }]
      : []
  const language = exampleLanguage(media.type)
  const isOnly = examples.length === 1
  return html`${examples.map((example, index) => {
    const open = new Html((isOpen && index === 0) || isOnly ? ' open' : '')
    const title = oneLine(example.summary ?? example.name ?? 'Example', 120)
    return html`<details class="api-example"${open}><summary>${title}</summary>
${code(exampleText(example.value, media.type), language)}</details>
`
  })}`
}

function headersHtml(headers: Header[], { reference, trees }: ResponseOptions): Html {
  const own = headers.filter((header) => !reference.headers.isCommon(header))
  const hasCommon = own.length < headers.length
  const others = html`<a href="${hrefOf(overviewPath)}#headers">headers of every answer</a>`
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
  // A header that is always sent is not "required" of the reader.
  const { name, description, deprecated, schema, examples } = header
  return trees.row({ name: html`${cut(name, 200)}`, schema, description, deprecated, examples })
}

/** The words that the status is known by. */
export function statusWords(status: string): string {
  if (status === 'default') return 'Any other answer'
  const ranges = ['', 'Information', 'Success', 'Redirection', 'Client error', 'Server error']
  return (/XX$/.test(status) ? ranges[Number(status[0])] : STATUS_CODES[status]) ?? ''
}

export interface ResponseOptions {
  reference: Reference
  trees: SchemaTrees
  isOpen: boolean
}

/** The response that readers want to see first. */
export function mainResponse(responses: readonly Response[]): Response | undefined {
  return (
    responses.find(({ status }) => status.startsWith('2')) ??
    responses.find(({ status }) => status === 'default')
  )
}

/** A response as a fold: its status and what it means; inside, all about it. */
export function responseHtml(response: Response, options: ResponseOptions): Html {
  const { status, description = '', headers, media } = response
  const { reference, trees, isOpen } = options
  const { context } = reference
  const [first, rest] = splitParagraph(description)
  const isLong = first.length > 300
  const more = isLong ? description : rest
  const kind = new Html(/^[1-5]/.exec(status)?.[0] ?? 'default')
  context.charge(600)
  return html`<details class="api-response"${new Html(isOpen ? ' open' : '')}><summary><span class="api-status api-status-${kind}">${status}</span> <span class="api-status-words">${oneLine(plainText(first), 160) || statusWords(status)}</span></summary>
<div class="api-response-content">
${more !== '' && context.prose(more)}
${mediaHtml(media, { context, trees, isRequest: false, isUnfolded: isOpen })}${headersHtml(headers, options)}</div></details>
`
}
