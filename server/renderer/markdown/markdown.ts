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
import type { ProblemKind } from '../site-files/site-file.ts'
import { githubSlug } from '../sources/generator.ts'
import { createNumbering } from '../sources/plain-text.ts'
import type { Heading, SearchPart } from '../sources/render-input.ts'
import { renderBoxes } from './box-html.ts'
import { type MarkdownEnv, settleBoxes } from './boxes.ts'
import { alertRule } from './callouts.ts'
import { codeBlock } from './code-fence.ts'
import type { Highlight } from './highlight.ts'
import { escapeHtml } from './html.ts'
import { findTitle, type PageTitle, removeTitle } from './page-title.ts'
import { sanitise } from './sanitise.ts'
import { addAttributeLists, takeHeadingAttributes } from './syntax/attribute-lists.ts'
import { addFootnotes } from './syntax/footnotes.ts'
import { addInlineSyntax } from './syntax/inline-syntax.ts'
import { addMaths } from './syntax/maths.ts'

/** The text of inline content. `isWritten`: with the names of emoji. */
function plainText(inline: Token | undefined, isWritten = false): string {
  const words = (inline?.children ?? []).map((token) => {
    if (textTypes.has(token.type))
      return String((isWritten && token.meta?.written) || token.content)
    if (token.type === 'image') return plainText(token)
    return token.type === 'softbreak' || token.type === 'hardbreak' ? ' ' : ''
  })
  return words.join('').replaceAll(/\s+/g, ' ').trim()
}

const textTypes = new Set(['text', 'code_inline', 'formula'])

/**
 * Sets the IDs of the headings (as `meta.id`). `titleId`: that of the page's title. `firstParagraph` is plain text, empty if
 * there is none.
 */
function outline(tokens: Token[], title: PageTitle | undefined, { slug, sign }: Anchors) {
  const number = createNumbering(0, [], sign)
  // Those of the theme begin with `site:`.
  const idOf = (own: unknown, text: string) =>
    number(typeof own === 'string' && !own.startsWith('site:') ? own : slug(text))
  let titleId = title?.html && idOf(title.html.id, title.html.text)
  let firstParagraph = ''
  const headings: Heading[] = []
  const parts = [{ id: '', heading: '', texts: [] as string[] }]
  const others: [setId: (id: string) => void, text: string][] = []
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1]
    const isCode = ['fence', 'code_block', 'formula'].includes(token.type)
    const text = isCode ? token.content.trim() : token.type === 'inline' ? plainText(token) : ''
    if (token.type !== 'inline' || before?.type !== 'heading_open') {
      const [, fold] = (token.type === 'html_block' && summary.exec(token.content)) || []
      const named = (id: string) => token.content.replace(summary, `<summary id="${id}">$1<`)
      if (fold) others.push([(id) => Object.assign(token, { content: named(id) }), fold])
      if (text !== '') parts.at(-1)?.texts.push(text)
      if (before?.type === 'dt_open') others.push([(id) => before.attrSet('id', id), text])
      if (before?.type === 'paragraph_open' && before.level === 0) firstParagraph ||= prose(token)
      continue
    }
    const id = idOf(before.attrGet('id'), plainText(token, true))
    // The only h1 is the title of the page.
    const level = Math.max(2, Number(before.tag.slice(1)))
    for (const tag of [before, tokens[index + 1]])
      if (tag) Object.assign(tag, { meta: { id, text }, tag: `h${level}` })
    if (title && !title.html && index === title.index + 1) {
      titleId = id
      continue
    }
    if (level <= 3) headings.push({ level, id, text })
    parts.push({ id, heading: text, texts: [] })
  }
  // After those of the headings, which they do not change.
  for (const [setId, text] of others) setId(idOf(undefined, text))
  const searchable = parts
    .map(({ texts, ...part }): SearchPart => ({ ...part, text: texts.join(' ') }))
    .filter(({ heading, text }) => heading !== '' || text !== '')
  return { titleId, headings, parts: searchable, firstParagraph }
}

/** Of a fold. */
const summary = /<summary>([^<]{1,200})</

/** The text of a paragraph that has text of its own, not only images and links. */
function prose(inline: Token): string {
  const hasWords = inline.children?.some(
    (token) => token.type === 'text' && token.level === 0 && /\p{L}/u.test(token.content),
  )
  return hasWords ? plainText(inline) : ''
}

/** Inserts HTML that is not sanitised: in text, as a span. */
type Put = (html: string, tag?: 'div' | 'span') => string

/** The IDs of headings: as on GitHub, so that links work in both, or as the generator makes them. */
interface Anchors {
  slug(text: string): string
  /** Before the number of a further heading with the same ID. */
  sign: '-' | '_'
}

const github: Anchors = { slug: githubSlug, sign: '-' }

/** Stands for HTML that is not sanitised. */
const placeholder = /<(?:div|span) block="(\d+)"><\/(?:div|span)>/g

interface MarkdownOptions {
  /** Adds rules: the notations of other generators. */
  extend?(md: Parser): void
  /** What a source has that was not understood. `line` counts from 0 in the text given to the parser. */
  note?(source: string, kind: ProblemKind, what: string, line?: number): void
  anchors?: Anchors
  /** Called with each page before its links are resolved. */
  parsed?(source: string, tokens: readonly Token[]): void
}

/** `resolve` gives the published address of one in the file `source`. */
export function createMarkdown(
  highlight: Highlight,
  resolve: (address: string, source: string) => string,
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

  const envOf = (source: string) =>
    ({ source, note: (...what) => note(source, ...what) }) satisfies MarkdownEnv

  function finish(tokens: Token[], env: object, file: string): string {
    const html = md.renderer.render(tokens, md.options, { ...env })
    const text = sanitise(html, { mark, file, resolve: (address) => resolve(address, file) })
    const savedBlocks = blocks
    blocks = []
    return text.replaceAll(placeholder, (_, index) => savedBlocks[Number(index)] ?? '')
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
      const env = { ...envOf(source), tabPrefix: `${hash('sha1', text).slice(0, 8)}-` }
      return finish(md.parse(text, env), env, source)
    },
  }
}

/** Inline code up to this length is not wrapped, so that no line ends with `--dry-`. */
const maxUnwrappedLength = 24

function build(mark: string, put: Put, highlight: Highlight): Parser {
  const md = new MarkdownIt({ html: true, linkify: true })
  addFootnotes(md, mark)
  addInlineSyntax(md)
  addAttributeLists(md)
  md.use(definitionLists)
  md.block.ruler.before('blockquote', 'alerts', alertRule)
  md.core.ruler.after('block', 'boxes', (state) => {
    state.tokens = settleBoxes(state.tokens)
  })
  renderBoxes(md, mark, put)
  md.core.ruler.before('inline', 'tasks', ({ tokens }) => markTasks(tokens, mark))
  md.core.ruler.push('tables', ({ tokens }) => settleTables(tokens, mark))
  const code = (text: string, info: string, isTitled = false) =>
    `${put(codeBlock(text, info, { highlight, isTitled }))}\n`
  const writers: Record<string, (token: Token) => string> = {
    table_open: () =>
      `<div ${mark}class="table" ${mark}role="group" ${mark}aria-label="Table" ${mark}tabindex="0"><table>\n`,
    table_close: () => '</table></div>\n',
    fence({ content, info, meta }) {
      // Also the name of an object in MyST.
      const [, id] =
        /^ *\{(?:[^{}]*\s)?(?:#|py:\w+\}\s+)([\w.-]{1,100})(?=[\s}(]|$)/.exec(info) ?? []
      const anchor = id === undefined ? '' : `<a id="${id}"></a>`
      return anchor + code(content, md.utils.unescapeAll(info), meta?.isTitled === true)
    },
    code_block: ({ content }) => code(content, ''),
    code_inline({ attrs, content }) {
      const isWhole = content.length <= maxUnwrappedLength && /[\s/?-]/.test(content)
      const id = attrs?.find(([name]) => name === 'id')?.[1]
      const own = id === undefined ? '' : ` id="${escapeHtml(String(id))}"`
      return `<code${isWhole ? ` ${mark}class="whole"` : ''}${own}>${escapeHtml(content)}</code>`
    },
    // Without `meta` in a fragment.
    heading_open: ({ meta, tag }) =>
      meta
        ? `<div ${mark}class="heading heading-${tag}"><${tag} ${mark}id="${escapeHtml(String(meta.id))}">`
        : `<${tag}>`,
    heading_close({ meta, tag }) {
      if (!meta) return `</${tag}>\n`
      const [id, name] = [meta.id, `Link to “${meta.text}”`].map((text) => escapeHtml(String(text)))
      return `</${tag}><a ${mark}class="anchor" ${mark}href="#${id}" ${mark}aria-label="${name}">#</a></div>\n`
    },
  }
  for (const [type, write] of Object.entries(writers)) {
    md.renderer.rules[type] = (tokens, index) => write(tokens[index] as Token)
  }
  addMaths(md, put)
  return md
}

const box = /^\[([ xX])\][ \t]+/

/** `- [x] done` gets a checked box. */
function markTasks(tokens: Token[], mark: string): void {
  for (const [index, inline] of tokens.entries()) {
    const item = tokens[index - 2]
    const [, sign] = (item?.type === 'list_item_open' && box.exec(inline.content)) || []
    if (sign === undefined || inline.type !== 'inline') continue
    const [state, name] = sign === ' ' ? ['task', 'To do'] : ['task task-done', 'Done']
    const span = `<span ${mark}class="${state}" ${mark}role="img" ${mark}aria-label="${name}"></span>`
    inline.content = inline.content.replace(box, span)
    item?.attrSet(`${mark}class`, 'task-item')
  }
}

/** Cells are aligned by class, because pages have no style attributes; an empty header cell becomes a normal cell. */
function settleTables(tokens: Token[], mark: string): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'th_open' && token.type !== 'td_open') continue
    const align = /right|center/.exec(String(token.attrGet('style') ?? ''))?.[0]
    token.attrs = align === undefined ? null : [[`${mark}class`, `align-${align}`]]
    if (token.type !== 'th_open' || tokens[index + 1]?.content.trim() !== '') continue
    for (const tag of [token, tokens[index + 2]]) if (tag) tag.tag = 'td'
  }
}
