// MDX, components, tags of templates and HTML with Markdown in it, as rules of markdown-it: tags and braces are read where they
// stand, and become what write-components.ts says. Nothing is run.
import type { MarkdownIt as Parser, StateBlock, StateInline, Token } from 'markdown-it'
import type { MarkdownEnv, Note } from '../markdown/boxes.ts'
import {
  type BlockRule,
  interrupting,
  isIndented,
  lineAt,
  placeOf,
  ruleOf,
} from '../markdown/syntax/source-lines.ts'
import { type Literal, placeOfName } from '../notations/meanings.ts'
import { createJsxReader, type Expression, type JsxReader, type Tag } from './jsx.ts'
import { replaceTextTags, templateTagAt } from './template-tags.ts'
import { isComponent, isOpened, newToken, tagOf, tagToken, writeTags } from './write-components.ts'

/** Docusaurus and Mintlify read `.md` as MDX, too. */
export function isMdxSource(source: string, generator: string | undefined): boolean {
  if (/\.mdx$/i.test(source)) return true
  return /\.md$/i.test(source) && (generator === 'Docusaurus' || generator === 'Mintlify')
}

interface Reading {
  isMdx: boolean
  reader: JsxReader
  /** Values of names: constants, and the addresses of imported files. */
  names: Map<string, Literal>
  note: Note
  /** The elements around the place that is read, of which one has the attribute `markdown` (md_in_html, kramdown). */
  elements: string[]
  /** Where the next end of a tag with this name is; less than 0: nowhere. */
  ends: Map<string, number>
  /** The last tabs of Docsy have code. */
  hasCodeTabs: boolean
}

const readsHtml = ({ elements, isMdx }: Reading) => isMdx || elements.length > 0

const readings = new WeakMap<object, Reading>()
/** Begun with each page. */
const readingOf = ({ env }: { env: object }) => readings.get(env) as Reading

/** `isMdx`: whether braces, `import` and all tags of a source are those of MDX. */
export function addComponents(md: Parser, isMdx: (source: string) => boolean): void {
  md.core.ruler.after('normalize', 'text_tags', (state) => {
    state.src = replaceTextTags(state.src)
  })
  md.core.ruler.before('block', 'jsx_begin', ({ env, src }) => {
    const { source = '', note = () => {} } = env as MarkdownEnv
    const names = new Map<string, Literal>()
    const reader = createJsxReader(src.length, names)
    const place = { elements: [], ends: new Map(), hasCodeTabs: false }
    readings.set(env, { isMdx: isMdx(source), names, note, reader, ...place })
  })
  md.block.ruler.before('table', 'jsx', blockRule, interrupting)
  const [paragraph, html] = [ruleOf(md, 'paragraph'), ruleOf(md, 'html_block')]
  md.block.ruler.at('paragraph', (state, start, end, silent) => {
    const { length } = state.tokens
    const isRead = paragraph(state, start, end, silent)
    if (state.tokens.length === length + 3) splitParagraph(state, length)
    return isRead
  })
  const alt = interrupting.alt.slice(0, 3)
  md.block.ruler.at('html_block', (...state) => readHtml(html, ...state), { alt })
  md.core.ruler.after('block', 'jsx', (state) => {
    state.tokens = writeTags(state.tokens, readingOf(state).note)
  })
  md.inline.ruler.before('autolink', 'jsx', inlineRule)
  md.core.ruler.after('inline', 'jsx_inline', ({ tokens, env }) => {
    for (const token of tokens) {
      if (!token.children?.some(({ type }) => type === 'jsx')) continue
      token.children = writeTags(token.children, readingOf({ env }).note, token.map)
    }
  })
}

function blockRule(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  if (!silent && (outdent(state, start, end) || moduleRule(state, start))) return true
  return flow(state, start, end, silent)
}

/** MDX has no indented code: what is indented is read as if the margin were there. So is what follows a known tag elsewhere. */
function outdent(state: StateBlock, start: number, end: number): boolean {
  if (!isIndented(state, start)) return false
  const reading = readingOf(state)
  const before = tagOf(state.tokens.at(-1))
  const isInTag =
    before?.kind === 'open' && isBlockTag(before, reading) && !state.isEmpty(start - 1)
  if (!reading.isMdx && !isInTag) return false
  const { blkIndent } = state
  state.blkIndent = state.sCount[start] ?? 0
  state.md.block.tokenize(state, start, end)
  state.blkIndent = blkIndent
  return true
}

const importLine = /^import\s+(?:[^'"\n;]+?\s+from\s+)?(?:'[^'\n]*'|"[^"\n]*");?[ \t]*(?:\/\/.*)?$/
const moduleStart =
  /^(?:import\s*['"{*\w$]|export\s+(?:default|const|let|var|function|async|class|type|interface|\*|\{))/

/** `import` and `export`. In Markdown that is not MDX, only an import on one line cannot be a text. */
function moduleRule(state: StateBlock, start: number): boolean {
  const reading = readingOf(state)
  const at = placeOf(state, start)
  const isMargin = state.level === 0 && state.sCount[start] === state.blkIndent
  if (!isMargin || !/[ei]/.test(state.src[at] ?? '')) return false
  const line = state.src.slice(at, state.eMarks[start])
  const isImport = importLine.test(line)
  if (!isImport && !(reading.isMdx && moduleStart.test(line))) return false
  const end = isImport ? at + line.length : reading.reader.moduleEnd(state.src, at)
  declare(state.src.slice(at, end), reading)
  state.line = lineAt(state, end) + 1
  return true
}

const defaultImport = /^import\s+([A-Za-z_$][\w$]*)\s+from\s+['"]([^'"\n?!]+)['"]/
const constant =
  /^export\s+(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*(?::[^=\n]+)?=\s*([\s\S]*?);?\s*$/

/** Keeps the values that are known without running the module. */
function declare(text: string, { names, reader }: Reading): void {
  for (const statement of text.split(/\n\s*(?=import\s|export\s)/)) {
    const [, local, path = ''] = defaultImport.exec(statement) ?? []
    if (local) names.set(local, path)
    const [, name, value] = constant.exec(statement) ?? []
    const literal = name && value && reader.literalOf(value)
    if (name && literal !== undefined) names.set(name, literal)
  }
}

/** HTML that is a block; other elements are parts of paragraphs. */
const htmlBlocks = new Set(
  'address article aside blockquote center details dialog div dl dd dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr iframe li main menu nav ol p pre script section style summary svg table tbody td tfoot th thead tr ul video picture'.split(
    ' ',
  ),
)

/** Whether it is shown as a block of its own, also in the middle of a paragraph. */
const isBlockTag = (tag: Tag, reading: Reading) =>
  isComponent(tag)
    ? placeOfName(tag.name) === 'block'
    : isHeading(tag) || (readsHtml(reading) && htmlBlocks.has(tag.name))

/** Those written as HTML have anchors, too, and search and the table of contents find them. */
const isHeading = ({ name }: Tag) => /^h[2-6]$/.test(name)

interface Part {
  tag?: Tag | undefined
  expression?: Expression | undefined
  end: number
}

/** A tag or an expression. */
function readAt(text: string, at: number, limit: number, reading: Reading): Part | undefined {
  const { isMdx, reader } = reading
  const next = text[at + 1] ?? ''
  if (text[at] === '<' && /[A-Za-z/>]/.test(next)) {
    const tag = reader.tagAt(text, at, limit)
    const isRead = readsHtml(reading) || (tag && (isComponent(tag) || hasMarkdown(tag)))
    return tag && (isRead || isHeading(tag)) ? { tag, end: tag.end } : undefined
  }
  if (text[at] !== '{') return undefined
  const tag = templateTagAt(text, at, limit)
  if (tag && !isMdx) return { tag, end: tag.end }
  // `{#id}` and `{.class}` are attributes.
  const expression = isMdx && !/[#.:]/.test(next) && reader.expressionAt(text, at, limit)
  return expression ? { expression, end: expression.end } : undefined
}

const hasMarkdown = ({ attributes }: Tag) =>
  attributes.has('markdown') && attributes.get('markdown') !== '0'

/** The end of what is between the tag of a template and its end, if it is code. */
function endOfCodeIn(tag: Tag, text: string, limit: number, reading: Reading): number | undefined {
  const { ends, hasCodeTabs } = reading
  const isCode = tag.name === 'tab' && tag.isRaw && hasCodeTabs && !tag.attributes.has('text')
  const { end, kind, name, template } = tag
  if (!template || kind !== 'open' || !(isCode || codeTags.test(name))) return undefined
  const known = ends.get(name) ?? 0
  if (known >= 0 && known < end) {
    const form = String.raw`\{(?:%-?\s*end|\{[<%]\s*/\s*)${RegExp.escape(name)}\s*[-%>]`
    const search = new RegExp(form, 'gi')
    search.lastIndex = end
    ends.set(name, search.exec(text)?.index ?? -1)
  }
  const found = ends.get(name) ?? -1
  return found >= end && found < limit ? found : undefined
}

const codeTags = /^(?:highlight|code-toggle|mermaid|math|katex|comment)$/

/** Lines that have only tags and expressions. */
function flow(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const reading = readingOf(state)
  const { isMdx } = reading
  const { src } = state
  let at = placeOf(state, start)
  const limit = state.eMarks[end - 1] ?? at
  const found: (Part & { from: number })[] = []
  let line = start
  while (at < (state.eMarks[line] ?? 0)) {
    const part = readAt(src, at, limit, reading)
    if (part) found.push({ from: at, ...part })
    else if (found.length === 0 || !/[ \t]/.test(src[at] ?? '')) return false
    at = part?.end ?? at + 1
    const codeEnd = part?.tag && endOfCodeIn(part.tag, src, limit, reading)
    if (codeEnd !== undefined) {
      found.push({ from: at, end: codeEnd })
      at = codeEnd
    }
    while ((state.eMarks[line] ?? 0) < at) line += 1
  }
  // The `>` of `>}}` on a line of its own begins no quote.
  const isLong = line > start && found.some(({ tag }) => tag?.template)
  const isOpen = found.reduce((count, { tag }) => count + opened(tag), 0) !== 0
  const isFlow = found.some(({ tag, expression }) => {
    if (!tag) return expression?.value === undefined && !isVariable(expression?.source ?? '')
    const isBlock = isComponent(tag) && placeOfName(tag.name) !== 'inline'
    return isOpen || isLong || isBlock || isBlockTag(tag, reading)
  })
  if (!isFlow) return false
  if (silent)
    return isMdx || found.some(({ tag }) => tag && (tag.template ?? isBlockTag(tag, reading)))
  for (const { end: to, expression, from, tag } of found) {
    const first = lineAt(state, from)
    const written = src.slice(from, to)
    const text = expression ? textOf(expression, reading, first) : written
    if (!tag && text === '') continue
    const { content, meta, type } = tag ? tagToken(tag, written) : newToken('jsx_text', text)
    Object.assign(state.push(type, '', 0), { content, meta, map: [first, line + 1] })
    if (tag) enter(tag, reading)
  }
  state.line = line + 1
  return true
}

/** Keeps what the tags after this one are in. */
function enter(tag: Tag, reading: Reading): void {
  const { elements } = reading
  if (tag.name === 'tabpane') reading.hasCodeTabs = !tag.attributes.has('text')
  if (isComponent(tag) || reading.isMdx || !isOpened(tag)) return
  const at = elements.slice(-20).lastIndexOf(tag.name)
  if (tag.kind === 'open' && (elements.length > 0 || hasMarkdown(tag))) elements.push(tag.name)
  else if (tag.kind === 'close' && at >= 0) elements.length += at - Math.min(elements.length, 20)
}

const opened = (tag: Tag | undefined): number =>
  tag && isOpened(tag) ? (tag.kind === 'open' ? 1 : -1) : 0

const isVariable = (source: string) => /^[\w$.-]*$/.test(source)

/** What a reader sees of an expression in braces. */
function textOf({ source, value }: Expression, { note, names }: Reading, line?: number): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  if (value !== undefined || /^(?:\/\*[\s\S]*\*\/)?$/.test(source)) return ''
  const [name = ''] = source.split('.')
  // It would be a mistake in MDX: its author meant braces.
  const isKnown = names.has(name) || /^(?:props|frontmatter)$/i.test(name)
  if (isVariable(source) && !isKnown) return `{${source}}`
  note('removed_element', 'JavaScript in braces {…}', line)
  return ''
}

const rawHtml = /^<(?:!|\?|(?:script|pre|style|textarea)\b)/i

/** Raw HTML ends where a component begins or a container ends. In MDX, it is read as tags, and only comments and code are left. */
function readHtml(rule: BlockRule, ...[state, start, end, silent]: Parameters<BlockRule>) {
  const reading = readingOf(state)
  const from = placeOf(state, start)
  const text = state.src.slice(from, from + 12)
  if (silent || rawHtml.test(text)) return rule(state, start, end, silent)
  if (!text.startsWith('<') || readsHtml(reading) || /^<\/?h[2-6]\b/.test(text)) return false
  const limit = state.eMarks[end - 1] ?? from
  let stop = start + 1
  for (; stop < end && !state.isEmpty(stop); stop += 1) {
    const at = placeOf(state, stop)
    const { tag } = readAt(state.src, at, limit, reading) ?? {}
    if (tag?.template ?? (tag && isBlockTag(tag, reading))) break
    if (state.src.startsWith(':::', at)) break
  }
  return rule(state, start, stop, false)
}

/** What is code, and where tags may begin. */
const marks = /\\[\s\S]|(`+)(?!`)[\s\S]{0,400}?(?<!`)\1(?!`)|`+|<(?=[/A-Za-z])|\{(?=[{%])/g

/** Components in a paragraph, which was added there, are put between paragraphs. */
function splitParagraph(state: StateBlock, at: number): void {
  const reading = readingOf(state)
  const [open, inline, close] = state.tokens.slice(at)
  const text = inline?.content ?? ''
  const parts: Token[] = []
  /** HTML around the text: it is no paragraph of its own. */
  let around = 0
  let from = 0
  const putText = (to: number) => {
    const content = text.slice(from, to).trim()
    for (const part of content === '' ? [] : [open, inline, close]) {
      const copy = Object.assign(newToken(''), part, part === inline && { content, children: [] })
      if (part === inline || around === 0) parts.push(copy)
    }
  }
  for (const { 0: mark, index } of text.matchAll(marks)) {
    if (index < from || !/^[<{]/.test(mark)) continue
    const { tag } = readAt(text, index, text.length, reading) ?? {}
    if (!tag || !isBlockTag(tag, reading)) continue
    putText(index)
    if (!isComponent(tag) && tag.name !== 'p') around = Math.max(0, around + opened(tag))
    parts.push(tagToken(tag, text.slice(index, tag.end), inline?.map))
    enter(tag, reading)
    from = tag.end
  }
  if (from === 0) return
  putText(text.length)
  state.tokens.splice(at, 3, ...parts)
}

function inlineRule(state: StateInline, silent: boolean): boolean {
  const reading = readingOf(state)
  const { src, pos, posMax } = state
  const part = readAt(src, pos, posMax, reading)
  if (!part) return false
  const { end, expression, tag } = part
  state.pos = end
  if (silent) return true
  const text = expression ? textOf(expression, reading) : ''
  if (tag) Object.assign(state.push('jsx', '', 0), tagToken(tag, src.slice(pos, end)))
  else if (text !== '') state.push('text', '', 0).content = text
  return true
}
