// Attribute lists behind links, images, headings and paragraphs, as in MkDocs, kramdown, VitePress and Docusaurus:
// `{#id}`, `{: .class }`, `{ width="300" target=_blank }`, `{/* #id */}`. IDs and sizes are kept; the rest is decoration of
// another theme, and is removed. Other braces are text.
import type { MarkdownIt as Parser, Token } from 'markdown-it'

const item = String.raw`(?:#[\p{L}\p{N}_][\p{L}\p{N}_.:-]{0,99}|\.[\w-]{1,100}|[\w:@-]{1,50}=(?:"[^"\n]{0,300}"|'[^'\n]{0,300}'|[^\s"'{}]{1,300}))`
/** With a colon, single words are attributes, too. */
const list = String.raw`\{(?::?[ \t]*(${item}(?:[ \t]+${item}){0,20})[ \t]*|:[ \t]*([\w .#-]{0,300}))\}`
const atStart = new RegExp(`^${list}`, 'u')
const atEnd = new RegExp(String.raw`(?:^|[ \t]*)${list}[ \t]*$`, 'u')
const ownLine = new RegExp(String.raw`(?:^|\n)[ \t]*${list}[ \t]*$`, 'u')
const comment = /[ \t]*\{\/\*[ \t]*#([\p{L}\p{N}_][\p{L}\p{N}_.:-]{0,99})[ \t]*\*\/\}[ \t]*$/u
const maxLength = 1000

export interface Attributes {
  id?: string | undefined
  width?: string | undefined
  height?: string | undefined
  align?: string | undefined
}

function read(text: string): Attributes {
  const found: Record<string, string> = {}
  for (const [, id, name, ...values] of text.matchAll(
    /(?:^|\s)(?:#([^\s"'{}]+)|(id|width|height|align)=(?:"([^"]*)"|'([^']*)'|(\S+)))/g,
  )) {
    const value = id ?? values.find((each) => each !== undefined) ?? ''
    found[id === undefined ? (name ?? '') : 'id'] = value
  }
  return found
}

/** The text of a heading without the attributes at its end. */
export function takeHeadingAttributes(text: string): { text: string; id?: string | undefined } {
  const tail = text.slice(-maxLength)
  // As in Nextra.
  const bracketed = /[ \t]?\[#([^\s[\]]+)\][ \t]*$/.exec(tail)
  if (bracketed) {
    return { text: text.slice(0, text.length - bracketed[0].length), id: bracketed[1] }
  }
  if (!tail.trimEnd().endsWith('}')) return { text }
  const match = comment.exec(tail) ?? atEnd.exec(tail)
  if (!match) return { text }
  const id = match[0].includes('/*') ? match[1] : read(match[1] ?? match[2] ?? '').id
  return { text: text.slice(0, text.length - match[0].length).trimEnd(), id }
}

export function addAttributeLists(md: Parser): void {
  md.core.ruler.before('inline', 'block_attributes', (state) => {
    state.tokens = withoutRows(state.tokens)
    const { tokens } = state
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'inline') continue
      const opening = tokens[index - 1]
      if (opening?.type === 'heading_open') {
        const { id, text } = takeHeadingAttributes(token.content)
        token.content = text
        if (id !== undefined) opening.meta = { ...opening.meta, customId: id }
      } else if (opening?.type === 'paragraph_open') settleParagraph(tokens, index)
    }
  })
  md.core.ruler.after('inline', 'inline_attributes', ({ tokens }) => {
    for (const { children, content } of tokens) {
      if (children && content.includes('{')) settleInline(children)
    }
  })
}

/** Attributes below a table are read as its last row. */
function withoutRows(tokens: Token[]): Token[] {
  const removed = new Set<Token>()
  for (const [index, token] of tokens.entries()) {
    if (tokens[index + 1]?.type !== 'tbody_close' || token.type !== 'tr_close') continue
    let start = index
    while (start > 0 && tokens[start]?.type !== 'tr_open') start -= 1
    const row = tokens.slice(start, index + 1)
    const texts = row.filter(({ content, type }) => type === 'inline' && content !== '')
    const isList = texts.length === 1 && ownLine.test(texts[0]?.content.slice(0, maxLength) ?? '')
    if (isList) for (const each of row) removed.add(each)
  }
  return removed.size === 0 ? tokens : tokens.filter((token) => !removed.has(token))
}

/** A line of attributes at the end of a paragraph belongs to it; a paragraph of them, to the block before it. */
function settleParagraph(tokens: Token[], index: number): void {
  const [inline, opening] = [tokens[index], tokens[index - 1]]
  const tail = inline?.content.slice(-maxLength) ?? ''
  const match = tail.trimEnd().endsWith('}') ? ownLine.exec(tail) : null
  if (!inline || !opening || !match) return
  inline.content = inline.content.slice(0, inline.content.length - match[0].length)
  const { id } = read(match[1] ?? match[2] ?? '')
  const isAlone = inline.content.trim() === ''
  if (isAlone) {
    for (const token of tokens.slice(index - 1, index + 2)) token.hidden = true
    inline.children = []
  }
  const owner = isAlone ? openingBefore(tokens, index - 2) : opening
  if (id === undefined || !owner) return
  if (owner.type === 'heading_open') owner.meta = { ...owner.meta, customId: id }
  else owner.attrSet('id', id)
}

/** The beginning of the block that ends at `end`. */
function openingBefore(tokens: readonly Token[], end: number): Token | undefined {
  const closing = tokens[end]
  if (closing?.nesting !== -1) return closing?.nesting === 0 ? closing : undefined
  for (let at = end - 1; at >= 0 && end - at < 1000; at -= 1) {
    const token = tokens[at]
    if (token?.level === closing.level && token.nesting === 1) return token
  }
  return undefined
}

const carriers = new Set('link_close image strong_close em_close code_inline s_close'.split(' '))

function settleInline(children: Token[]): void {
  let link: Token | undefined
  for (const [index, token] of children.entries()) {
    if (token.type === 'link_open') link = token
    const before = children[index - 1]
    if (token.type !== 'text' || !token.content.startsWith('{')) continue
    if (!before || !carriers.has(before.type)) continue
    const match = atStart.exec(token.content.slice(0, maxLength))
    if (!match) continue
    token.content = token.content.slice(match[0].length)
    const owner = before.type === 'link_close' ? link : before
    for (const [name, value] of Object.entries(read(match[1] ?? match[2] ?? ''))) {
      if (owner?.nesting !== -1) owner?.attrSet(name, value)
    }
  }
}
