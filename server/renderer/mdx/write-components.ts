// Tags to tokens: each is paired with its end in the same list item or quote, and becomes what its name means. A tag without its
// end has no content: what follows it is read as if it were not there.
import type { Token } from 'markdown-it'
import MarkdownIt from 'markdown-it'
import { type Note, putBox, targetOf } from '../markdown/boxes.ts'
import { escapeHtml } from '../markdown/html.ts'
import { fateOfElement } from '../markdown/sanitise.ts'
import { pushHeading, pushInline, pushParagraph } from '../markdown/syntax/source-lines.ts'
import {
  attribute,
  type Element,
  placeOfName,
  type Written,
  writeBlock,
  writeInline,
} from '../notations/meanings.ts'
import type { Tag } from './jsx.ts'

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

/** Whether a tag is a component, and not of HTML. Old pages write HTML in capitals. */
export function isComponent({ name, template }: Pick<Tag, 'name' | 'template'>): boolean {
  if (template !== undefined) return true
  if (/^[A-Z]/.test(name))
    return name !== name.toUpperCase() || fateOfElement(name.toLowerCase()) === 'unwrapped'
  const isHtml = voidHtml.has(name) || fateOfElement(name) !== 'unwrapped'
  return (!isHtml && placeOfName(name) !== undefined) || /^[a-z]\w*\.[A-Za-z]/.test(name)
}

const voidHtml = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
)

/** Whether a tag has an end elsewhere, or is one. */
export const isOpened = ({ kind, name }: Tag): boolean =>
  kind === 'close' || (kind === 'open' && !voidHtml.has(name))

/**
 * Finds the end of each tag in the same container. An end that is written further in, such as after the last item of a list,
 * is moved behind that container.
 */
function pairTags(tokens: readonly Token[]): { tokens: Token[]; pairs: Map<number, number> } {
  const out: Token[] = []
  const pairs = new Map<number, number>()
  const open: { name: string; at: number; late: Token[] }[] = []
  /** By name, the places in `open`. */
  const places = new Map<string, number[]>()
  const lastOf = (name: string) => places.get(name)?.at(-1) ?? -1
  function begin(name: string): void {
    places.getOrInsertComputed(name, () => []).push(open.length)
    open.push({ name, at: out.length, late: [] })
  }
  /** Ends what is open there, and what has no end in it. */
  function endAt(place: number) {
    const ended = open.splice(place)
    for (const { name } of ended) places.get(name)?.pop()
    return ended[0]
  }
  function put(token: Token): void {
    const { kind, name = '' } = tagOf(token) ?? {}
    const place = kind === 'close' ? lastOf(name) : -1
    const around = lastOf(container)
    if (place >= 0 && place < around) {
      open[around]?.late.push(token)
      return
    }
    if (kind === 'open') begin(name)
    else if (place >= 0) pairs.set(endAt(place)?.at ?? 0, out.length)
    out.push(token)
  }
  for (const token of tokens) {
    if (token.nesting === 1) begin(container)
    put(token)
    if (token.nesting === -1) endAt(lastOf(container))?.late.forEach(put)
  }
  return { tokens: out, pairs }
}

/** The name of no tag. */
const container = '(container)'

/** Writes the tags of a page, or of the text of a paragraph (`inlineAt`: its place). */
export function writeTags(tokens: Token[], note: Note, inlineAt?: Token['map']): Token[] {
  const { tokens: paired, pairs } = pairTags(tokens)
  const ends = new Set(pairs.values())
  const isInline = inlineAt !== undefined
  const out: Token[] = []
  const put = (token: Token) => out.push(token)
  const target = targetOf(put)
  const putHtml = (html = '') => {
    if (html !== '') put(newToken(isInline ? 'html_inline' : 'html_block', html))
  }
  const putCode = (content: string, info: string, map: Token['map']) =>
    put(Object.assign(newToken('fence', content), { tag: 'code', info, map, markup: '```' }))

  function putElement(written: Written, line: number, putChildren: () => void): void {
    const { box, caption, close, code, language = '', lead, open } = written
    putHtml(open)
    putBox(target, box, line, () => {
      if (lead !== undefined && !isInline) pushParagraph(target, lead, line)
      if (code !== undefined) putCode(code, language, [line, line + 1])
      putChildren()
      if (caption === undefined) return
      putHtml('<figcaption>')
      pushInline(target, caption, line)
      putHtml('</figcaption>')
    })
    putHtml(close)
  }

  /** Writes the tokens from one index to another, which are in `parent`. */
  function write(from: number, to: number, depth = 0, parent?: Element, around: Written = {}) {
    let children = 0
    for (let index = from; index < to; index += 1) {
      const token = paired[index] as Token
      const map = token.map ?? inlineAt ?? null
      const line = map?.[0] ?? 0
      const tag = tagOf(token)
      const end = pairs.get(index)
      if (token.type === 'jsx_text') {
        const { language } = around
        const text = escapeHtml(token.content)
        if (language !== undefined) putCode(`${unindented(token.content)}\n`, language, map)
        else putHtml(/^(?:pre|code)$/.test(parent?.name ?? '') ? text : `<p>${text}</p>\n`)
      } else if (!tag) {
        // ` ```sh Title `, as in Mintlify.
        if (token.type === 'fence' && around.box?.kind === 'tabs')
          token.info = token.info.replace(/^(\s*[\w+#-]+)[ \t]+([^[{="]+)$/, '$1 title="$2"')
        if (token.type === 'fence' && around.language) token.info += ` ${around.language}`
        // The text of a summary is no paragraph.
        const isText = /^(?:summary|figcaption)$/.test(parent?.name ?? '')
        if (!isText || !token.type.startsWith('paragraph')) put(token)
      } else if (depth === maxDepth || ends.has(index)) {
        // The children of the element follow.
      } else if (end === undefined && isOpened(tag) && !(tag.template && tag.kind === 'open')) {
        // `Promise<T>` is a text.
        const isText = isInline && isComponent(tag) && !placeOfName(tag.name)
        const [what, side] =
          tag.kind === 'close' ? [token.content, 'beginning'] : [`<${tag.name}>`, 'end']
        if (isText) put(newToken('text', token.content))
        else note('unknown_syntax', `${what} without its ${side}`, line)
      } else {
        const content = paired.slice(
          index + 1,
          end === undefined ? index : Math.min(end, index + 4),
        )
        const text = content.find(({ type }) => type === 'inline' || type === 'jsx_text')
        const words = text?.content.trim() ?? ''
        const isHeading = /^h[1-6]$/.test(tag.name) && words.replaceAll(/<[^<>]*>/g, '') !== ''
        if (isHeading && end && end <= index + 4)
          pushHeading(target, tag.name, words, line, tag.attributes.get('id'))
        else {
          const element: Element = {
            ...tag,
            isJsx: tag.template === undefined,
            hasChildren: content.length > 0,
            text: words,
            isCode: text?.type === 'jsx_text',
            parent,
            index: children++,
          }
          const written = writeElement(element, tag, isInline)
          const { box, isHidden, isUnknown, missing } = written
          if (isUnknown) note('unknown_component', tag.template ?? `<${tag.name}>`, line)
          if (missing !== undefined) note('missing_include', missing, line)
          // What a template begins and does not end.
          const isOpen = end === undefined && tag.kind === 'open' && box && box.kind !== 'card'
          if (isOpen && !isHidden) note('unknown_syntax', `${tag.template} without its end`, line)
          else
            putElement(written, line, () => {
              if (end && !isHidden) write(index + 1, end, depth + 1, element, written)
            })
        }
        index = end ?? index
      }
    }
  }

  write(0, paired.length)
  return out
}

/** Code without the columns that all its lines begin with. */
function unindented(code: string): string {
  const lines = code.replace(/^[ \t]*\n|\s+$/g, '').split('\n')
  const indents = lines.slice(0, 1000).flatMap((line) => (line.trim() ? [line.search(/\S/)] : []))
  const indent = Math.min(...indents)
  return lines.map((line) => line.slice(Math.min(indent, line.search(/\S|$/)))).join('\n')
}

function writeElement(element: Element, tag: Tag, isInline: boolean): Written {
  const { attributes, name } = tag
  if (name === '') return {}
  if (isComponent(tag)) {
    const written = isInline ? writeInline(element) : writeBlock(element)
    // It is a paragraph of its own.
    const isText = !isInline && placeOfName(name) === 'inline' && !element.hasChildren
    return isText
      ? { ...written, open: `<p>${written.open ?? ''}`, close: `${written.close ?? ''}</p>` }
      : written
  }
  // Material for MkDocs.
  const classes = attributes.has('markdown') ? String(attributes.get('class')).split(' ') : []
  if (classes.includes('grid')) return { box: { kind: 'grid' } }
  // The paragraphs in it are its own.
  if (name === 'p' && !attributes.has('align')) return {}
  const shown = name === 'p' ? 'div' : name
  const close = voidHtml.has(shown) ? '' : `</${shown}>`
  return { open: `<${shown}${attributesOf(tag)}>`, close }
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
