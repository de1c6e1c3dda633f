// Changes markdown-it's tokens into what the theme shows: callouts, task lists, tables that scroll. What
// it writes is marked as the renderer's own (sanitise.ts).
import type { Token } from 'markdown-it'
import { icon } from './icons.ts'

/** Keeps HTML out of the sanitiser's way and gives the tag that stands for it. */
export type PutBlock = (html: string) => string

export interface BlockOptions {
  mark: string
  put: PutBlock
  /** Makes a token of HTML. */
  html(content: string): Token
}

const kinds = ['note', 'tip', 'important', 'warning', 'caution'] as const
const alert = /^\[!(note|tip|important|warning|caution)\](?:[ \t]+(\S[^\n]*))?(?:\n|$)/i

/** `> [!NOTE]` becomes a callout, as on GitHub; text behind it is its title. Before inline parsing. */
export function markCallouts(tokens: Token[], options: BlockOptions): void {
  for (const [index, open] of tokens.entries()) {
    const inline = tokens[index + 2]
    if (open.type !== 'blockquote_open' || tokens[index + 1]?.type !== 'paragraph_open') continue
    const found = inline?.type === 'inline' ? alert.exec(inline.content) : null
    const kind = kinds.find((name) => name === found?.[1]?.toLowerCase())
    if (!inline || !found || kind === undefined) continue
    inline.content = inline.content.slice(found[0].length)
    const close = closing(tokens, index)
    open.type = 'callout_open'
    open.meta = { html: calloutOpening(kind, found[2], options) }
    const end = tokens[close]
    if (end) Object.assign(end, { type: 'callout_close', tag: 'div' })
    if (inline.content === '') for (const token of tokens.slice(index + 1, index + 4)) hide(token)
  }
}

function closing(tokens: Token[], start: number): number {
  const level = tokens[start]?.level
  let index = start + 1
  while (tokens[index]?.type !== 'blockquote_close' || tokens[index]?.level !== level) index += 1
  return index
}

function calloutOpening(
  kind: (typeof kinds)[number],
  title: string | undefined,
  { mark, put }: BlockOptions,
) {
  const name = title?.trim() ?? kind.charAt(0).toUpperCase() + kind.slice(1)
  const words = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<div ${mark}class="callout callout-${kind}" ${mark}role="note"><div ${mark}class="callout-title">${put(icon(kind).text)}<span>${words}</span></div>\n`
}

function hide(token: Token): void {
  token.hidden = true
  if (token.type === 'inline') token.children = []
}

const box = /^\[([ xX])\][ \t]+/

/** `- [x] done` gets a box that says so. */
export function markTasks(tokens: Token[], { mark, html }: BlockOptions): void {
  for (const [index, inline] of tokens.entries()) {
    if (inline.type !== 'inline' || tokens[index - 2]?.type !== 'list_item_open') continue
    const [first] = inline.children ?? []
    const found = first?.type === 'text' ? box.exec(first.content) : null
    if (!first || !found) continue
    const isDone = found[1] !== ' '
    first.content = first.content.slice(found[0].length)
    const name = isDone ? 'Done' : 'To do'
    const state = isDone ? 'task task-done' : 'task'
    inline.children?.unshift(
      html(`<span ${mark}class="${state}" ${mark}role="img" ${mark}aria-label="${name}"></span>`),
    )
    tokens[index - 2]?.attrSet(`${mark}class`, 'task-item')
  }
}

/** Cells are aligned by class, as pages have no styles; a header cell without words heads nothing. */
export function settleTables(tokens: Token[], { mark }: BlockOptions): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'th_open' && token.type !== 'td_open') continue
    const align = /right|center/.exec(String(token.attrGet('style') ?? ''))?.[0]
    token.attrs = align === undefined ? null : [[`${mark}class`, `align-${align}`]]
    const end = tokens[index + 2]
    if (token.type !== 'th_open' || tokens[index + 1]?.content.trim() !== '') continue
    token.tag = 'td'
    if (end?.type === 'th_close') end.tag = 'td'
  }
}
