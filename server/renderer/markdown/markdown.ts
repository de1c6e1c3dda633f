// Markdown (CommonMark and GitHub's extensions; the folders syntax, notations and mdx add those of other generators) to HTML
// that is safe to publish. Everything an author wrote goes through sanitise.ts.
//
// Why markdown-it, and not unified with remark: over the 1,815 Markdown files (13.9 MB) of Vite, VitePress, the Rust book, MkDocs
// Material and FastAPI, markdown-it with its six plugins reads 7.8 MB of Markdown in a second of one processor, remark (gfm,
// directive, math, frontmatter, rehype) 1.0 MB. The first starts in 50 ms and is 13 packages (3.3 MB), the other in 140 ms and
// 135 packages (16.6 MB). remark-mdx refuses 1,009 of the files, which are not MDX, and there are no positions to go on from:
// components and unclosed tags need rules of our own in either. Of the 652 examples of CommonMark 0.31, all but four give its
// HTML: these are bare addresses, which GitHub links.

import { hash, randomBytes } from 'node:crypto'
import type { MarkdownIt as Parser, Token } from 'markdown-it'
import MarkdownIt from 'markdown-it'
import definitionLists from 'markdown-it-deflist'
import { githubSlug } from '../sources/generator.ts'
import { createNumbering } from '../sources/plain-text.ts'
import type { Heading, SearchPart } from '../sources/render-input.ts'
import { renderBoxes } from './box-html.ts'
import { type MarkdownEnv, type NoteKind, settleBoxes } from './boxes.ts'
import { codeBlock } from './code-fence.ts'
import type { Highlight } from './highlight.ts'
import { escapeHtml } from './html.ts'
import { findTitle, type PageTitle, removeTitle } from './page-title.ts'
import { sanitise } from './sanitise.ts'
import { addAttributeLists, takeHeadingAttributes } from './syntax/attribute-lists.ts'
import { addFootnotes } from './syntax/footnotes.ts'
import { addInlineSyntax } from './syntax/inline-syntax.ts'
import { addMaths } from './syntax/maths.ts'

/** The text of inline content. */
function plainText(inline: Token | undefined): string {
  const words = (inline?.children ?? []).map((token) => {
    if (textTypes.has(token.type)) return token.content
    if (token.type === 'image') return plainText(token)
    return token.type === 'softbreak' || token.type === 'hardbreak' ? ' ' : ''
  })
  return words.join('').replaceAll(/\s+/g, ' ').trim()
}

const textTypes = new Set(['text', 'code_inline', 'keys', 'formula'])

/**
 * Sets the IDs of the headings (as `meta.id`). `titleId`: that of the page's title. `firstParagraph` is plain text, empty if
 * there is none.
 */
function outline(tokens: Token[], title: PageTitle | undefined, { slug, sign }: Anchors) {
  const number = createNumbering(0, [], sign)
  const idOf = (given: unknown, text: string) => number(ownId(given) ?? slug(text))
  const titleId = title?.html && idOf(title.html.id, title.html.text)
  const result = {
    titleId,
    headings: [] as Heading[],
    parts: [] as SearchPart[],
    firstParagraph: '',
  }
  let part: SearchPart = { id: '', heading: '', text: '' }
  const texts: string[] = []
  const endPart = () => {
    part.text = texts.splice(0).join(' ')
    if (part.text !== '' || part.heading !== '') result.parts.push(part)
  }
  const terms: [open: Token, text: string][] = []
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1]
    if (token.type === 'fence' || token.type === 'code_block' || token.type === 'formula')
      texts.push(token.content.trim())
    if (token.type !== 'inline') continue
    if (before?.type !== 'heading_open') {
      const text = plainText(token)
      if (text !== '') texts.push(text)
      if (before?.type === 'dt_open') terms.push([before, text])
      const isParagraph = before?.type === 'paragraph_open' && before.level === 0
      if (isParagraph && result.firstParagraph === '') result.firstParagraph = prose(token)
      continue
    }
    const text = plainText(token)
    const id = idOf(before.attrGet('id'), text)
    before.meta = { id, text }
    if (title && !title.html && index === title.index + 1) {
      result.titleId = id
      continue
    }
    const level = Math.max(2, Number(before.tag.slice(1)))
    if (level <= 3) result.headings.push({ level, id, text })
    endPart()
    part = { id, heading: text, text: '' }
  }
  endPart()
  // After those of the headings, which they do not change.
  for (const [open, text] of terms) open.attrSet('id', idOf(undefined, text))
  return result
}

/** An ID of the author, which is none of the theme's. */
const ownId = (id: unknown): string | undefined =>
  typeof id === 'string' && !id.startsWith('site:') ? id : undefined

/** The text of a paragraph that has text of its own, not only images and links. */
function prose(inline: Token): string {
  const hasWords = inline.children?.some(
    (token) => token.type === 'text' && token.level === 0 && /\p{L}/u.test(token.content),
  )
  return hasWords ? plainText(inline) : ''
}

/** Inserts HTML that is not sanitised: in text, as a span. */
type Put = (html: string, tag?: 'div' | 'span') => string

/** Resolves an address in the file `source` to the published address. */
type Resolve = (address: string, source: string) => string

/** What a source has that was not understood. `line` counts from 0 in the text given to the parser. */
type NoteIn = (source: string, kind: NoteKind, what: string, line?: number) => void

/** The IDs of headings: as on GitHub, so that links work in both, or as the generator makes them. */
interface Anchors {
  slug(text: string): string
  /** Before the number of a further heading with the same ID. */
  sign: '-' | '_'
}

const github: Anchors = { slug: githubSlug, sign: '-' }

interface MarkdownOptions {
  /** Adds rules: the notations of other generators. */
  extend?(md: Parser): void
  note?: NoteIn
  anchors?: Anchors
  /** Called with each page before its links are resolved. */
  parsed?(source: string, tokens: readonly Token[]): void
}

export function createMarkdown(
  highlight: Highlight,
  resolve: Resolve,
  { extend = () => {}, note = () => {}, parsed, anchors = github }: MarkdownOptions = {},
) {
  const mark = `m${randomBytes(12).toString('hex')}-`
  let blocks: string[] = []
  const put: Put = (html, tag = 'div') =>
    `<${tag} ${mark}block="${blocks.push(html) - 1}"></${tag}>`
  const md = build(mark, put, highlight)
  extend(md)
  const blocksOnly = new MarkdownIt({ html: true })
  extend(blocksOnly)
  blocksOnly.core.ruler.enableOnly(['normalize', 'jsx_begin', 'block', 'jsx'], true)

  function envOf(source: string): MarkdownEnv {
    return { source, note: (kind, what, line) => note(source, kind, what, line) }
  }

  function finish(tokens: Token[], env: object, source: string): string {
    const text = sanitise(md.renderer.render(tokens, md.options, { ...env }), {
      mark,
      file: source,
      resolve: (address) => resolve(address, source),
    })
    const savedBlocks = blocks
    blocks = []
    return text.replaceAll(
      /<(div|span) block="(\d+)"><\/\1>/g,
      (_, __, index) => savedBlocks[Number(index)] ?? '',
    )
  }

  return {
    /** The title from the Markdown itself, as plain text. `isOnly`: nothing else names the page. */
    findTitle(text: string, isOnly = false, source = ''): string | undefined {
      const tokens = blocksOnly.parse(text, { source })
      const title = findTitle(tokens, isOnly)
      if (!title || title.html) return title?.html?.text
      const { text: heading } = takeHeadingAttributes(tokens[title.index + 1]?.content ?? '')
      const [inline] = md.parseInline(heading, { source })
      return plainText(inline) || undefined
    },
    /** The page without its title, as found with the same `isOnly`. */
    renderPage(text: string, source: string, isOnly = false) {
      const env = envOf(source)
      const tokens = md.parse(text, env)
      parsed?.(source, tokens)
      const title = findTitle(tokens, isOnly)
      const result = outline(tokens, title, anchors)
      if (title) removeTitle(tokens, title)
      return { ...result, html: finish(tokens, env, source) }
    },
    /** Safe HTML of a text that is not a page, such as a description; its headings have no IDs. */
    renderFragment(text: string, source: string): string {
      const env = {
        ...envOf(source),
        tabPrefix: `${hash('sha1', text).slice(0, 8)}-`,
      }
      return finish(md.parse(text, env), env, source)
    },
  }
}

/** Inline code up to this length is not wrapped, so that no line ends with `--dry-`. */
const maxUnwrappedLength = 24

function build(mark: string, put: Put, highlight: Highlight): Parser {
  const md = new MarkdownIt({ html: true, linkify: true })
  addFootnotes(md, mark)
  addInlineSyntax(md, mark)
  addAttributeLists(md)
  md.use(definitionLists)
  md.core.ruler.after('block', 'boxes', (state) => {
    state.tokens = settleBoxes(state.tokens, (state.env as MarkdownEnv).note)
  })
  renderBoxes(md, mark, put)
  md.core.ruler.push('tasks', ({ tokens }) => markTasks(tokens, mark))
  md.core.ruler.push('tables', ({ tokens }) => settleTables(tokens, mark))
  const { rules } = md.renderer
  rules.table_open = () =>
    `<div ${mark}class="table" ${mark}role="group" ${mark}aria-label="Table" ${mark}tabindex="0"><table>\n`
  rules.table_close = () => '</table></div>\n'
  rules.fence = (tokens, index) => {
    const { content = '', info = '', meta } = tokens[index] ?? {}
    const isTitled = meta?.isTitled === true
    return `${put(codeBlock(content, md.utils.unescapeAll(info), { highlight, isTitled }))}\n`
  }
  rules.code_block = (tokens, index) =>
    `${put(codeBlock(tokens[index]?.content ?? '', '', { highlight }))}\n`
  rules.code_inline = (tokens, index) => {
    const { content = '' } = tokens[index] ?? {}
    const isWhole = content.length <= maxUnwrappedLength && /[\s/?-]/.test(content)
    return `<code${isWhole ? ` ${mark}class="whole"` : ''}>${escapeHtml(content)}</code>`
  }
  rules.heading_open = (tokens, index) => {
    const { tag = 'h2', meta } = tokens[index] ?? {}
    if (!meta) return `<${tag}>`
    const level = tag === 'h1' ? 'h2' : tag
    return `<div ${mark}class="heading heading-${level}"><${level} ${mark}id="${escapeHtml(String(meta.id))}">`
  }
  rules.heading_close = (tokens, index) => {
    const { tag = 'h2' } = tokens[index] ?? {}
    const meta = tokens[index - 2]?.meta
    if (!meta) return `</${tag}>\n`
    const id = escapeHtml(String(meta.id))
    const name = escapeHtml(`Link to “${meta.text}”`)
    return `</${tag === 'h1' ? 'h2' : tag}><a ${mark}class="anchor" ${mark}href="#${id}" ${mark}aria-label="${name}">#</a></div>\n`
  }
  addMaths(md, put)
  return md
}

const box = /^\[([ xX])\][ \t]+/

/** `- [x] done` gets a checked box. */
function markTasks(tokens: Token[], mark: string): void {
  for (const [index, inline] of tokens.entries()) {
    if (inline.type !== 'inline' || tokens[index - 2]?.type !== 'list_item_open') continue
    const [first] = inline.children ?? []
    const match = first?.type === 'text' ? box.exec(first.content) : null
    if (!first || !match) continue
    const isDone = match[1] !== ' '
    first.content = first.content.slice(match[0].length)
    const name = isDone ? 'Done' : 'To do'
    const state = isDone ? 'task task-done' : 'task'
    const span = new MarkdownIt.Token('html_inline', '', 0)
    span.content = `<span ${mark}class="${state}" ${mark}role="img" ${mark}aria-label="${name}"></span>`
    inline.children?.unshift(span)
    tokens[index - 2]?.attrSet(`${mark}class`, 'task-item')
  }
}

/** Cells are aligned by class, because pages have no style attributes; an empty header cell becomes a normal cell. */
function settleTables(tokens: Token[], mark: string): void {
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
