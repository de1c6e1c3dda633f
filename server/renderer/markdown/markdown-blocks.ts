// Blocks beyond CommonMark: callouts (`> [!NOTE]` of GitHub, `:::note Title` of Docusaurus and VitePress), task
// lists and tables.
import type { StateBlock, Token } from 'markdown-it'
import { icon } from './html.ts'

/** Stores HTML that must not be sanitised and returns its placeholder tag. */
type PutBlock = (html: string) => string

interface BlockOptions {
  mark: string
  put: PutBlock
  /** Creates a token of HTML. */
  html(content: string): Token
}

const kinds = ['note', 'tip', 'important', 'warning', 'caution'] as const
const alert = /^\[!(note|tip|important|warning|caution)\](?:[ \t]+(\S[^\n]*))?(?:\n|$)/i

/** `> [!NOTE]` becomes a callout, as on GitHub; text after it is its title. Runs before inline parsing. */
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

/** `- [x] done` gets a checked box. */
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

/** Cells are aligned by class, because pages have no style attributes; an empty header cell becomes a normal cell. */
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

const containerKinds: Record<string, string> = {
  note: 'NOTE',
  info: 'NOTE',
  tip: 'TIP',
  success: 'TIP',
  important: 'IMPORTANT',
  warning: 'WARNING',
  caution: 'WARNING',
  danger: 'CAUTION',
  error: 'CAUTION',
}

const opening = /^(:{3,10})[ \t]*([a-z]+)[ \t]*(?:\[([^\]\n]*)\]|([^\n]*))$/i

/** A block rule of markdown-it. An unclosed block ends with its parent. */
export function containerRule(
  state: StateBlock,
  start: number,
  end: number,
  silent: boolean,
): boolean {
  const line = textOf(state, start)
  const found = line.startsWith(':::') ? opening.exec(line) : null
  const kind =
    found && Object.hasOwn(containerKinds, found[2] ?? '')
      ? containerKinds[found[2] ?? '']
      : undefined
  if (!found || kind === undefined) return false
  if (silent) return true
  const close = findClose(state, start + 1, end, found[1]?.length ?? 3)
  const open = state.push('blockquote_open', 'blockquote', 1)
  open.map = [start, close]
  const title = (found[3] ?? found[4] ?? '').trim()
  // Processed by markCallouts, which supports only this syntax.
  state.push('paragraph_open', 'p', 1)
  const inline = state.push('inline', '', 0)
  inline.content = `[!${kind}]${title === '' ? '' : ` ${title}`}`
  inline.children = []
  state.push('paragraph_close', 'p', -1)
  const { lineMax, parentType } = state
  state.lineMax = close
  state.parentType = 'blockquote'
  state.md.block.tokenize(state, start + 1, close)
  state.lineMax = lineMax
  state.parentType = parentType
  state.push('blockquote_close', 'blockquote', -1)
  state.line = Math.min(close + 1, end)
  return true
}

function findClose(state: StateBlock, from: number, end: number, colons: number): number {
  let depth = 0
  let fence: string | undefined
  for (let line = from; line < end; line += 1) {
    const text = textOf(state, line)
    const marks = /^(?:`{3,}|~{3,})/.exec(text)?.[0]
    if (fence === undefined) fence = marks
    else if (marks?.startsWith(fence) && marks === text) fence = undefined
    if (fence !== undefined || !text.startsWith(':::')) continue
    if (/^:+$/.test(text)) {
      if (depth === 0 && text.length >= colons) return line
      depth = Math.max(0, depth - 1)
    } else if (opening.test(text)) depth += 1
  }
  return end
}

function textOf(state: StateBlock, line: number): string {
  const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)
  return state.src.slice(start, state.eMarks[line]).trimEnd()
}
