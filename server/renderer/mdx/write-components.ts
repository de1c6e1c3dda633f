// Tags to tokens: each is paired with its end in the same list item or quote, and becomes what component-table.ts says. A tag
// without its end has no content: what follows it is read as if it were not there.
import type { Token } from 'markdown-it'
import MarkdownIt from 'markdown-it'
import { closeBox, type Note, openBox } from '../markdown/boxes.ts'
import { escapeHtml } from '../markdown/html.ts'
import { keyOf } from '../notations/box-names.ts'
import { pushFence, pushInline, pushParagraph } from '../notations/source-lines.ts'
import {
  attribute,
  type Element,
  isComponent,
  isKnownComponent,
  type Piece,
  type Written,
  writeBlock,
  writeInline,
} from './component-table.ts'
import type { Literal, Tag } from './jsx.ts'

/** Elements in elements. Of further ones, only the children are kept. */
const maxDepth = 40

/** A tag, as it was written. */
export function tagToken(tag: Tag, text: string, map: Token['map'] = null): Token {
  return Object.assign(newToken('jsx', text), { meta: { tag }, map })
}

export const tagOf = (token: Token | undefined): Tag | undefined =>
  token?.type === 'jsx' ? (token.meta as { tag: Tag }).tag : undefined

export function newToken(type: string, content = ''): Token {
  const token = new MarkdownIt.Token(type, '', 0)
  token.content = content
  return token
}

const voidHtml = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
)

/**
 * Finds the end of each tag in the same container. An end that is written further in, such as after the last item of a list,
 * is moved behind that container.
 */
function pairTags(tokens: Token[]): { tokens: Token[]; pairs: Map<number, number> } {
  const out: Token[] = []
  const pairs = new Map<number, number>()
  const containers: { open: { name: string; at: number }[]; late: Token[] }[] = [
    { open: [], late: [] },
  ]
  /** Numbers of the open tags with a name, in the container and in all. */
  const open = new Map<string, number>()
  const add = (name: string, count: number) => open.set(name, (open.get(name) ?? 0) + count)
  function put(token: Token): void {
    const here = containers.at(-1)
    const tag = tagOf(token)
    if (token.type !== 'jsx' || !tag || !here || tag.kind === 'void') {
      out.push(token)
      return
    }
    if (tag.kind === 'open') {
      here.open.push({ name: tag.name, at: out.push(token) - 1 })
      add(tag.name, 1)
      return
    }
    if ((open.get(tag.name) ?? 0) > 0) {
      const depth = here.open.findLastIndex(({ name }) => name === tag.name)
      if (depth === -1) {
        here.late.push(token)
        return
      }
      for (const { name } of here.open.slice(depth)) add(name, -1)
      pairs.set(here.open[depth]?.at ?? 0, out.length)
      here.open.length = depth
    }
    out.push(token)
  }
  for (const token of tokens) {
    if (token.nesting === 1) containers.push({ open: [], late: [] })
    put(token)
    if (token.nesting !== -1 || containers.length === 1) continue
    const ended = containers.pop()
    for (const { name } of ended?.open ?? []) add(name, -1)
    for (const late of ended?.late ?? []) put(late)
  }
  return { tokens: out, pairs }
}

interface WriteOptions {
  note: Note
  /** Of paragraphs, without a place of their own. */
  inlineAt?: Token['map']
  /** The tokens of an imported source; undefined if the tag is none. */
  include?(tag: Tag, map: Token['map']): Token[] | undefined
}

/** Writes the tags of a page, or of the text of a paragraph (`inlineAt`). */
export function writeTags(tokens: Token[], { note, inlineAt, include }: WriteOptions): Token[] {
  const { tokens: paired, pairs } = pairTags(tokens)
  const isInline = inlineAt !== undefined
  const out: Token[] = []
  const stack: { element: Element; written: Written; end: number; children: number }[] = []
  const target = targetOf(out)
  const key = '(component)'
  function finish({ box, close = [] }: Written, map: Token['map']): void {
    putPieces(out, close, map, isInline)
    if (box) closeBox(target, key)
  }
  for (let index = 0; index < paired.length; index += 1) {
    const token = paired[index] as Token
    const map = token.map ?? inlineAt ?? null
    const top = stack.at(-1)
    const tag = tagOf(token)
    const end = pairs.get(index)
    if (top?.end === index) {
      stack.pop()
      finish(top.written, map)
    } else if (token.type === 'jsx_text') {
      putPieces(out, [literalPiece(token.content, top)], map)
    } else if (!tag) {
      // ` ```sh Title `, as in Mintlify.
      if (token.type === 'fence' && top?.written.box?.kind === 'code-group')
        token.info = token.info.replace(/^(\s*[\w+#-]+)[ \t]+([^[{="]+)$/, '$1 title="$2"')
      out.push(token)
    } else if (end === undefined && isOpened(tag)) {
      // `Promise<T>` is a text.
      const isText = isInline && isComponent(tag.name) && !isKnownComponent(tag.name)
      const what =
        tag.kind === 'close'
          ? `${token.content} without its beginning`
          : `<${tag.name}> without its end`
      if (isText) out.push(newToken('text', token.content))
      else note('syntax', what, map?.[0])
    } else {
      const content = paired.slice(index + 1, end === undefined ? index : Math.min(end, index + 4))
      const text = content.find(({ type }) => type === 'inline')
      const level = /^h([1-6])$/.exec(tag.name)?.[1]
      const included = content.length === 0 ? include?.(tag, map) : undefined
      if (included) for (const part of included) out.push(part)
      else if (level && text && end && end <= index + 4)
        pushHeading(out, text.content, Number(level), map, tag.attributes.get('id'))
      else {
        const names = content.map((child) => tagOf(child)?.name ?? '')
        const element = {
          name: tag.name,
          key: keyOf(tag.name),
          attributes: tag.attributes,
          hasChildren: content.length > 0,
          firstChild: keyOf(names.find(isComponent) ?? ''),
          parent: top?.element,
          index: top ? top.children++ : 0,
        }
        const written = stack.length < maxDepth ? writeElement(element, tag, isInline) : {}
        if (written.isUnknown) note('component', `<${tag.name}>`, map?.[0])
        if (written.box) openBox(target, written.box, map?.[0] ?? 0, { key })
        putPieces(out, written.open ?? [], map, isInline)
        if (end !== undefined && !written.isHidden) {
          stack.push({ element, written, end, children: 0 })
          continue
        }
        finish(written, map)
      }
      index = end ?? index
    }
  }
  return out
}

/** Whether a tag has an end elsewhere, or is one. */
export const isOpened = ({ kind, name }: Tag): boolean =>
  kind === 'close' || (kind === 'open' && !voidHtml.has(name))

/** A text from an expression. */
function literalPiece(
  text: string,
  parent: { element: Element; written: Written } | undefined,
): Piece {
  const info = parent?.written.language
  if (info !== undefined) return { code: `${text.replace(/^\n|\s+$/g, '')}\n`, info }
  const literal = escapeHtml(text)
  return {
    html: /^(?:pre|code)$/.test(parent?.element.name ?? '') ? literal : `<p>${literal}</p>\n`,
  }
}

function writeElement(element: Element, tag: Tag, isInline: boolean): Written {
  if (tag.name === '') return {}
  if (isComponent(tag.name)) return isInline ? writeInline(element) : writeBlock(element)
  // The paragraphs in it are its own.
  if (tag.name === 'p' && !tag.attributes.has('align')) return {}
  const name = tag.name === 'p' ? 'div' : tag.name
  const close = voidHtml.has(name) ? [] : [{ html: `</${name}>` }]
  return { open: [{ html: `<${name}${attributesOf(tag)}>` }], close }
}

function attributesOf({ attributes, name: element }: Tag): string {
  // As Tailwind hides images in one of the themes.
  const [, theme] =
    /(?:^|\s)dark:(hidden|block|inline)/.exec(String(attributes.get('className'))) ?? []
  const fragment =
    element === 'img' && theme ? `#only-${theme === 'hidden' ? 'light' : 'dark'}` : ''
  const written = [...attributes].map(([name, value]) => {
    if (value === true) return ` ${name.toLowerCase()}`
    const isText = typeof value === 'string' || typeof value === 'number'
    if (!isText || !/^[a-z][\w:-]*$/i.test(name)) return ''
    return attribute(name.toLowerCase(), value + (name === 'src' ? fragment : ''))
  })
  return written.join('')
}

export function pushHeading(
  out: Token[],
  text: string,
  level: number,
  map: Token['map'],
  id?: Literal,
): void {
  const isId = typeof id === 'string' && /^[\p{L}\p{N}_.-]{1,100}$/u.test(id)
  const target = targetOf(out)
  const start = target.push('heading_open', `h${level}`, 1)
  Object.assign(start, { markup: '#', map, attrs: isId ? [['id', id]] : null })
  pushInline(target, text, map?.[0] ?? 0)
  target.push('heading_close', `h${level}`, -1).markup = '#'
}

/** Where tokens are added. */
const targetOf = (out: Token[]) => ({
  push(type: string, tag = '', nesting: Token['nesting'] = 0): Token {
    const token = new MarkdownIt.Token(type, tag, nesting)
    out.push(token)
    return token
  },
})

function putPieces(
  out: Token[],
  list: readonly Piece[],
  map: Token['map'],
  isInline = false,
): void {
  const target = targetOf(out)
  const line = map?.[0] ?? 0
  for (const piece of list) {
    if ('html' in piece) {
      if (piece.html !== '') out.push(newToken(isInline ? 'html_inline' : 'html_block', piece.html))
    } else if ('code' in piece) pushFence(target, piece.info, piece.code, map)
    else if ('heading' in piece) pushHeading(out, piece.heading, piece.level, map)
    else if ('inline' in piece) pushInline(target, piece.inline, line)
    else pushParagraph(target, piece.markdown, line)
  }
}
