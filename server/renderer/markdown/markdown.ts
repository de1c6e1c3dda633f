// Markdown (CommonMark with GitHub's tables, strikethrough, task lists, alerts and heading ids) to HTML
// that is safe to publish. Everything an author wrote goes through sanitise.ts.
import { randomBytes } from 'node:crypto'
import MarkdownIt, { type MarkdownIt as Parser, type Token } from 'markdown-it'
import { findTitle, outline, plainText, takeCustomId } from './headings.ts'
import type { Highlight } from './highlight.ts'
import { escapeHtml } from './html.ts'
import { containerRule, markCallouts, markTasks, settleTables } from './markdown-blocks.ts'
import { sanitise } from './sanitise.ts'

/** Resolves an address in the file `source` to the published address. */
type Resolve = (address: string, source: string) => string

export function createMarkdown(highlight: Highlight, resolve: Resolve) {
  const mark = `m${randomBytes(12).toString('hex')}-`
  let blocks: string[] = []
  const put = (html: string) => `<div ${mark}block="${blocks.push(html) - 1}"></div>`
  const md = build(mark, put, highlight)
  const blocksOnly = new MarkdownIt({ html: true })
  blocksOnly.core.ruler.enableOnly(['normalize', 'block'])

  function finish(tokens: Token[], env: object, source: string): string {
    const text = sanitise(md.renderer.render(tokens, md.options, { ...env }), {
      mark,
      file: source,
      resolve: (address) => resolve(address, source),
    })
    const kept = blocks
    blocks = []
    return text.replaceAll(/<div block="(\d+)"><\/div>/g, (_, index) => kept[Number(index)] ?? '')
  }

  return {
    /** The title from the Markdown itself, as plain text. */
    findTitle(text: string): string | undefined {
      const tokens = blocksOnly.parse(text, {})
      const index = findTitle(tokens)
      if (index === undefined) return undefined
      const [inline] = md.parseInline(tokens[index + 1]?.content ?? '', {})
      takeCustomId(inline)
      return plainText(inline) || undefined
    },
    /** The page without its title. */
    renderPage(text: string, source: string) {
      const env = {}
      const tokens = md.parse(text, env)
      const title = findTitle(tokens)
      if (title !== undefined) tokens.splice(title, 3)
      return { ...outline(tokens), html: finish(tokens, env, source) }
    },
    /** Safe HTML of a text that is not a page, such as a description; its headings have no IDs. */
    renderFragment(text: string, source: string): string {
      const env = {}
      return finish(md.parse(text, env), env, source)
    },
  }
}

/** Inline code up to this length is not wrapped, so that no line ends with `--dry-`. */
const maxUnwrappedLength = 24

function build(mark: string, put: (html: string) => string, highlight: Highlight): Parser {
  const md = new MarkdownIt({ html: true, linkify: true })
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
  const html = (content: string): Token => {
    const token = new MarkdownIt.Token('html_inline', '', 0)
    token.content = content
    return token
  }
  const options = { mark, put, html }
  md.block.ruler.before('fence', 'container', containerRule, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  })
  md.core.ruler.after('block', 'callouts', ({ tokens }) => markCallouts(tokens, options))
  md.core.ruler.push('tasks', ({ tokens }) => markTasks(tokens, options))
  md.core.ruler.push('tables', ({ tokens }) => settleTables(tokens, options))
  const { rules } = md.renderer
  rules.callout_open = (tokens, index) => String(tokens[index]?.meta?.html ?? '')
  rules.table_open = () =>
    `<div ${mark}class="table" ${mark}role="group" ${mark}aria-label="Table" ${mark}tabindex="0"><table>\n`
  rules.table_close = () => '</table></div>\n'
  rules.fence = (tokens, index) => {
    const { content = '', info = '' } = tokens[index] ?? {}
    return `${put(codeBlock(content, md.utils.unescapeAll(info).trim(), highlight))}\n`
  }
  rules.code_block = (tokens, index) =>
    `${put(codeBlock(tokens[index]?.content ?? '', '', highlight))}\n`
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
  return md
}

const titleOf = /(?:^|\s)(?:title|filename)=(?:"([^"]*)"|'([^']*)'|(\S+))/

function codeBlock(code: string, info: string, highlight: Highlight): string {
  const [language = ''] = info.replace(/^\{?\.?/, '').split(/[\s,{}]/)
  const found = titleOf.exec(info)
  const title = found && escapeHtml(found[1] ?? found[2] ?? found[3] ?? '')
  const caption = title ? `<figcaption>${title}</figcaption>` : ''
  const block = highlight(code, title !== null && language.includes('=') ? '' : language)
  return caption === ''
    ? `<div class="code-block">${block}</div>`
    : `<figure class="code-block">${caption}${block}</figure>`
}
