// Headings written as HTML are headings of the page: they have anchors, and search and the table of contents find them.
import type { MarkdownIt as Parser, Token } from 'markdown-it'
import { targetOf } from '../markdown/boxes.ts'
import { pushHeading } from '../notations/source-lines.ts'
import { newToken } from './write-components.ts'

export function addHtmlHeadings(md: Parser): void {
  md.core.ruler.after('block', 'html_headings', (state) => {
    state.tokens = state.tokens.flatMap((token) =>
      token.type === 'html_block' ? split(token) : token,
    )
  })
}

/** Up to the next tag of a heading, so that a text without ends is read once. */
const heading =
  /<h([2-6])\b([^<>]{0,500})>((?:(?!<\/?h[2-6]\b)[\s\S]){0,5000})<\/h\1\b[^<>]{0,500}>/gi
const id = /\sid=["']?([\p{L}\p{N}_.-]{1,100})/iu
const isUnread = /^\s*<(?:pre|script|style|textarea|svg)\b|<!--/i

/** A block at each heading that has a text. */
function split(token: Token): Token[] {
  const { content, map } = token
  if (!/<h[2-6]/i.test(content) || isUnread.test(content)) return [token]
  const out: Token[] = []
  let end = 0
  const putHtml = (to: number) => {
    if (to > end) out.push(Object.assign(newToken('html_block', content.slice(end, to)), { map }))
  }
  for (const match of content.matchAll(heading)) {
    const [whole, level, attributes = '', text = ''] = match
    if (text.replaceAll(/<[^<>]*>|&nbsp;|\s+/g, '') === '') continue
    putHtml(match.index)
    pushHeading(
      targetOf((token) => out.push(token)),
      asMarkdown(text.trim()),
      Number(level),
      map?.[0] ?? 0,
      id.exec(attributes)?.[1],
    )
    end = match.index + whole.length
  }
  putHtml(content.length)
  return out
}

/** In HTML, characters of Markdown mean themselves. */
const asMarkdown = (html: string) =>
  html.replaceAll(/<[^<>]*>|[\\`*_[\]!~^=:|$"'{}]|\s+/g, (part) =>
    part.length > 1 && part.startsWith('<') ? part : /\s/.test(part) ? ' ' : `\\${part}`,
  )
