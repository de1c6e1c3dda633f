// Attribute lists behind links, images, headings and blocks, as in MkDocs, kramdown, VitePress and Docusaurus:
// `{#id}`, `{: .class }`, `{ width="300" target=_blank }`, `{/* #id */}`. IDs and sizes are kept; the rest is decoration of
// another theme, and is removed. Other braces are text.
import type { MarkdownIt as Parser, Token } from 'markdown-it'
import { docutilsSlug } from '../../sources/generator.ts'
import { type BlockRule, interrupting, pushHtml, textOfLine } from './source-lines.ts'

const id = String.raw`#[\p{L}\p{N}_+][\p{L}\p{N}_.:\p{Pd}]{0,99}`
const item = String.raw`(?:${id}|\.[\w-]{1,100}|[\w:@-]{1,50}=(?:"[^"\n]{0,300}"|'[^'\n]{0,300}'|[^\s"'{}]{1,300})|data-[\w-]{1,50})`
/** With a colon, single words are attributes, too. */
const list = String.raw`\{(?::?[ \t]*${item}(?:[ \t]+${item}){0,20}[ \t]*|:[ \t]*[\w .#-]{0,300})\}`
const atStart = new RegExp(`^${list}`, 'u')
const ownLine = new RegExp(`^${list}$`, 'u')
/** MyST: the label of the block below it. */
const labelLine = /^\(([^()\n]{1,100})\)=$/
/** Also as in Nextra, and in MDX. */
const atEnd = new RegExp(String.raw`(?:${list}|\[#[^\s[\]]+\]|\{/\*[ \t]*${id}[ \t]*\*/\})$`, 'u')
const maxLength = 1000

/** The attributes that are kept. */
function read(text: string): Record<string, string> {
  const named = /[\s{[:](?:#|(id|width|height|align)=)(?:"([^"]*)"|'([^']*)'|([^\s"'{}\]]+))/g
  const found = [...text.matchAll(named)]
  return Object.fromEntries(found.map(([, name = 'id', ...values]) => [name, values.join('')]))
}

/** The text of a heading without the attributes at its end. */
export function takeHeadingAttributes(text: string): { text: string; id?: string | undefined } {
  const [match = ''] = atEnd.exec(text.slice(-maxLength)) ?? []
  return { text: text.slice(0, text.length - match.length).trimEnd(), id: read(match).id }
}

export function addAttributeLists(md: Parser): void {
  md.block.ruler.before('hr', 'attribute_line', attributeLine, interrupting)
  md.core.ruler.before('inline', 'heading_attributes', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const opening = tokens[index - 1]
      if (token.type !== 'inline' || opening?.type !== 'heading_open') continue
      const { id, text } = takeHeadingAttributes(token.content)
      token.content = text
      if (id !== undefined) opening.attrSet('id', id)
    }
  })
  md.core.ruler.after('inline', 'inline_attributes', ({ tokens }) => {
    for (const { children, content } of tokens) {
      if (children && content.includes('{')) settleInline(children)
    }
  })
}

/** A line of attributes belongs to the block that ends directly above it. Elsewhere, its ID is an anchor. */
const attributeLine: BlockRule = (state, line, _end, silent) => {
  const text = textOfLine(state, line)
  const [, label] = labelLine.exec(text) ?? []
  const isList = text.startsWith('{') && text.length <= maxLength && ownLine.test(text)
  if (!isList && label === undefined) return false
  if (silent) return true
  state.line = line + 1
  const id = label === undefined ? read(text).id : docutilsSlug(label)
  if (id === undefined) return true
  const before = state.tokens.slice(-maxLength)
  const last = before.at(-1)
  const owner = before.findLast(
    ({ level, nesting }) => level === last?.level && nesting === -last.nesting,
  )
  if (label === undefined && owner?.map?.[1] === line) owner.attrSet('id', id)
  else pushHtml(state, `<a id="${state.md.utils.escapeHtml(id)}"></a>`)
  return true
}

const carriers = new Set('link_close image strong_close em_close code_inline s_close'.split(' '))

function settleInline(children: Token[]): void {
  let link: Token | undefined
  for (const [index, token] of children.entries()) {
    if (token.type === 'link_open') link = token
    const before = children[index - 1]
    if (token.type !== 'text' || !before || !carriers.has(before.type)) continue
    const [match = ''] = atStart.exec(token.content.slice(0, maxLength)) ?? []
    token.content = token.content.slice(match.length)
    const owner = before.type === 'link_close' ? link : before
    for (const [name, value] of Object.entries(read(match))) {
      if (owner?.nesting !== -1) owner?.attrSet(name, value)
    }
  }
}
