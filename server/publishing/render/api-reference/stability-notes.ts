// Says what may become of an operation: callouts for its page, badges for lists, words for Markdown.
import { Html, html } from '../markdown/html.ts'
import { icon } from '../markdown/icons.ts'
import type { Operation } from './operation.ts'
import { oneLine, plainText, splitParagraph } from './plain-text.ts'

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** `2030-12-05` becomes "5 December 2030"; what is no date stays as it is. */
export function dateInWords(text: string): string {
  const day = /^\d{4}-\d{2}-\d{2}(?=$|T)/.exec(text.trim())?.[0]
  const date = day === undefined ? undefined : new Date(`${day}T00:00:00Z`)
  const isDay = date !== undefined && date.toJSON()?.startsWith(day ?? '') === true
  return isDay ? dateFormat.format(date) : oneLine(text, 60)
}

/** Such as "Deprecated. Removed on 5 December 2030." */
export function deprecationSentence({ sunset }: Operation): string {
  return `Deprecated.${sunset === undefined ? '' : ` Removed on ${dateInWords(sunset)}.`}`
}

export interface DescriptionParts {
  /** What to use instead, in Markdown; only of a deprecated operation. */
  replacement: string | undefined
  /** The rest of the description, in Markdown. */
  description: string | undefined
}

/** Takes what a description says of the deprecation out of it, so that it is said once and at the top. */
export function splitDescription({ deprecated, description }: Operation): DescriptionParts {
  if (!deprecated || description === undefined) return { replacement: undefined, description }
  const [first, rest] = splitParagraph(description)
  const sentences = first.slice(0, 4_000).match(/\S[\s\S]*?(?:[.!?](?=\s|$)|$)/g) ?? []
  if (!/^\W{0,3}deprecated\b/i.test(first)) {
    const found = sentences.find((sentence) =>
      /\b(instead|replaced by|superseded by|in favou?r of)\b/i.test(sentence),
    )
    return { replacement: found, description }
  }
  const replacement = sentences.slice(1).join(' ').trim() || undefined
  const isShort = first.length <= 4_000
  return isShort ? { replacement, description: rest || undefined } : { replacement, description }
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

/** Beside the title of an operation, in lists. */
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
