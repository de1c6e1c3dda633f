// Headings written as HTML are headings of the page: they have anchors, and search and the table of contents find them.
import type { MarkdownIt as Parser, Token } from 'markdown-it'
import { newToken, pushHeading } from './write-components.ts'

export function addHtmlHeadings(md: Parser): void {
  md.core.ruler.after('block', 'html_headings', (state) => {
    state.tokens = state.tokens.flatMap((token) =>
      token.type === 'html_block' ? split(token) : token,
    )
  })
}

const tags = /<(\/?)h([2-6])\b([^<>]{0,500})>/gi
const id = /\sid=["']?([\p{L}\p{N}_.-]{1,100})/iu
const isUnread = /^\s*<(?:pre|script|style|textarea|svg)\b|<!--/i

/** A block at each heading that has a text. */
function split(token: Token): Token[] {
  const { content, map } = token
  if (!/<h[2-6]/i.test(content) || isUnread.test(content)) return [token]
  const out: Token[] = []
  let end = 0
  let start: RegExpExecArray | undefined
  const putHtml = (to: number) => {
    if (to > end) out.push(Object.assign(newToken('html_block', content.slice(end, to)), { map }))
  }
  for (const tag of content.matchAll(tags)) {
    const isEnd = tag[1] !== '' && start?.[2] === tag[2]
    if (start && isEnd) {
      const inner = content.slice(start.index + start[0].length, tag.index).trim()
      if (inner.replaceAll(/<[^<>]*>|&nbsp;|\s+/g, '') !== '') {
        putHtml(start.index)
        pushHeading(out, asMarkdown(inner), Number(tag[2]), map, id.exec(start[3] ?? '')?.[1])
        end = tag.index + tag[0].length
      }
    }
    start = isEnd || tag[1] !== '' ? undefined : tag
  }
  putHtml(content.length)
  return out
}

/** In HTML, characters of Markdown mean themselves. */
const asMarkdown = (html: string) =>
  html.replaceAll(/<[^<>]*>|[\\`*_[\]!~^=:|$"'{}]|\s+/g, (part) =>
    part.length > 1 && part.startsWith('<') ? part : /\s/.test(part) ? ' ' : `\\${part}`,
  )
