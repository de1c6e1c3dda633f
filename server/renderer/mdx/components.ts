// MDX and the components in Markdown, as rules of markdown-it. Tags are read one by one where they stand; then each is paired
// with its end in the same list item or quote, and becomes what component-table.ts says. A tag without its end has no
// content: what follows it is read as if it were not there. Nothing is run.
import type { MarkdownIt as Parser, StateBlock, StateInline, Token } from 'markdown-it'
import type { MarkdownEnv, Note } from '../markdown/boxes.ts'
import { isBlockComponent, isComponent, isInlineComponent } from './component-table.ts'
import { createJsxReader, type JsxReader, type Literal, type Tag } from './jsx.ts'
import {
  newToken,
  pairTags,
  tagOf,
  tagToken,
  voidHtml,
  writeBlocks,
  writeInlines,
} from './write-components.ts'

interface ComponentOptions {
  /** Whether braces, `import` and all tags of a source are those of MDX. */
  isMdx(source: string): boolean
  /** The text of a source that another one imports; undefined if there is none. */
  include?(path: string, from: string): { text: string; source: string } | undefined
}

/** Docusaurus and Mintlify read `.md` as MDX, too. */
export function isMdxSource(source: string, generator: string | undefined): boolean {
  if (/\.mdx$/i.test(source)) return true
  return /\.md$/i.test(source) && (generator === 'docusaurus' || generator === 'mintlify')
}

interface Reading {
  source: string
  isMdx: boolean
  reader: JsxReader
  /** Values of names: constants, and the addresses of imported files. */
  names: Map<string, Literal>
  note: Note
  /** Tags that were begun and not ended, of those that have an end: between them, text may be indented. */
  open: number
  ends: Map<string, number>
}

export function addComponents(md: Parser, options: ComponentOptions): void {
  const readings = new WeakMap<object, Reading>()
  const readingOf = (env: object) => readings.get(env) as Reading

  function begin(env: MarkdownEnv, text: string): void {
    const { source = '', note = () => {} } = env
    const names = new Map<string, Literal>()
    const isMdx = options.isMdx(source)
    const ends = new Map<string, number>()
    for (const [, name = ''] of text.matchAll(/<\/([A-Za-z][\w.]*)\s*>/g))
      if (isMdx || isComponent(name)) ends.set(name, (ends.get(name) ?? 0) + 1)
    const reader = createJsxReader(text.length, names)
    readings.set(env, { source, isMdx, reader, names, note, open: 0, ends })
  }

  md.core.ruler.before('block', 'jsx_begin', ({ env, src }) => begin(env, src))
  const alt = ['paragraph', 'reference', 'blockquote', 'list']
  md.block.ruler.before(
    'table',
    'jsx',
    (state, start, end, silent) => {
      const reading = readingOf(state.env)
      if (!reading) return false
      return (
        indented(state, start, end, silent, reading) ||
        moduleRule(state, start, silent, reading) ||
        flow(state, start, end, silent, reading)
      )
    },
    { alt },
  )
  md.block.ruler.at('html_block', endHtmlAtComponents(md, readingOf), { alt: alt.slice(0, 3) })
  md.core.ruler.after('block', 'jsx', (state) => {
    const reading = readingOf(state.env)
    const tokens = splitParagraphs(state.tokens, reading)
    const { tokens: settled, pairs } = pairTags(tokens)
    state.tokens = writeBlocks(settled, pairs, reading.note)
  })
  md.inline.ruler.before('autolink', 'jsx', (state, silent) =>
    inlineRule(state, silent, readingOf(state.env)),
  )
  md.core.ruler.after('inline', 'jsx_inline', ({ tokens, env }) => {
    for (const token of tokens) {
      if (!token.children?.some(({ type }) => type === 'jsx')) continue
      const { tokens: settled, pairs } = pairTags(token.children)
      token.children = writeInlines(settled, pairs, readingOf(env).note, token.map?.[0])
    }
  })
}

/** MDX has no indented code: what is indented is read as if the margin were there. */
function indented(
  state: StateBlock,
  start: number,
  end: number,
  silent: boolean,
  { isMdx, open }: Reading,
): boolean {
  const indent = state.sCount[start] ?? 0
  if (silent || indent - state.blkIndent < 4 || !(isMdx || open > 0)) return false
  const { blkIndent } = state
  state.blkIndent = indent
  state.md.block.tokenize(state, start, end)
  state.blkIndent = blkIndent
  return true
}

const importLine = /^import\s+(?:[^'"\n;]+?\s+from\s+)?(?:'[^'\n]*'|"[^"\n]*");?[ \t]*(?:\/\/.*)?$/
const moduleStart =
  /^(?:import\s*['"{*\w$]|export\s+(?:default|const|let|var|function|async|class|type|interface|\*|\{))/

function moduleRule(state: StateBlock, start: number, silent: boolean, reading: Reading): boolean {
  const at = state.bMarks[start] ?? 0
  if (silent || state.level > 0 || state.sCount[start] !== 0 || state.tShift[start] !== 0)
    return false
  const first = state.src[at]
  if (first !== 'i' && first !== 'e') return false
  const line = state.src.slice(at, state.eMarks[start])
  const isImport = importLine.test(line)
  if (!isImport && !(reading.isMdx && moduleStart.test(line))) return false
  const end = isImport ? at + line.length : reading.reader.moduleEnd(state.src, at)
  for (const statement of state.src.slice(at, end).split(/\n(?=import\s|export\s)/))
    declare(statement, reading)
  state.line = lineAfter(state, start, end)
  return true
}

/** The line after the position. */
function lineAfter(state: StateBlock, from: number, at: number): number {
  let line = from
  while (line < state.lineMax && (state.eMarks[line] ?? 0) < at) line += 1
  return line + 1
}

function declare(statement: string, { names, reader }: Reading): void {
  const imported = /^import\s+([A-Za-z_$][\w$]*)\s+from\s+['"]([^'"\n]+)['"]/.exec(statement)
  if (imported) names.set(imported[1] ?? '', imported[2] ?? '')
  const constant =
    /^export\s+(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*(?::[^=\n]+)?=\s*([\s\S]*?);?\s*$/.exec(
      statement,
    )
  const value = constant ? reader.literalOf(constant[2] ?? '') : undefined
  if (value !== undefined) names.set(constant?.[1] ?? '', value)
}

/** HTML that is a block; other elements are parts of paragraphs. */
const htmlBlocks = new Set(
  'address article aside blockquote center details dialog div dl dd dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr iframe li main menu nav ol p pre script section style summary svg table tbody td tfoot th thead tr ul video picture'.split(
    ' ',
  ),
)
const isKnownTag = ({ name }: Tag, { isMdx }: Reading) => isComponent(name) || isMdx
const isBlockTag = (tag: Tag | undefined, { isMdx }: Reading) =>
  tag !== undefined && (isBlockComponent(tag.name) || (isMdx && htmlBlocks.has(tag.name)))

/** Lines that have only tags and expressions. */
function flow(
  state: StateBlock,
  start: number,
  end: number,
  silent: boolean,
  reading: Reading,
): boolean {
  const { reader, isMdx } = reading
  const { src } = state
  let at = (state.bMarks[start] ?? 0) + (state.tShift[start] ?? 0)
  if (src[at] !== '<' && !(isMdx && src[at] === '{')) return false
  const limit = state.eMarks[end - 1] ?? at
  const tokens: Token[] = []
  let line = start
  let isBlock = false
  while (at < (state.eMarks[line] ?? 0)) {
    const character = src[at]
    const from = at
    if (character === '<') {
      const tag = reader.tagAt(src, at, limit)
      if (!tag || !isKnownTag(tag, reading)) return false
      tokens.push(tagToken(tag, src.slice(at, tag.end)))
      at = tag.end
      isBlock ||=
        isBlockTag(tag, reading) ||
        (isComponent(tag.name) && !isInlineComponent(tag.name)) ||
        (isMdx && tag.name === '')
    } else if (character === '{' && isMdx) {
      const expression = reader.expressionAt(src, at, limit)
      if (!expression) return false
      at = expression.end
      isBlock ||= expression.value === undefined && !isVariable(expression.source)
      const text = textOfExpression(expression.source, expression.value, reading, start)
      if (text !== '') tokens.push(newToken('jsx_text', text))
    } else if (character === ' ' || character === '\t') at += 1
    else return false
    while ((state.eMarks[line] ?? 0) < at) line += 1
    for (const token of tokens.slice(-1)) token.map ??= [lineOf(state, start, from), line + 1]
  }
  if (!isBlock) return false
  if (silent) return isMdx || tokens.some((token) => isBlockTag(tagOf(token), reading))
  for (const token of tokens) {
    const tag = tagOf(token)
    const pushed = state.push(token.type, '', 0)
    Object.assign(pushed, { content: token.content, meta: token.meta, map: token.map })
    if (tag) countOpen(tag, reading)
  }
  state.line = line + 1
  return true
}

function lineOf(state: StateBlock, from: number, at: number): number {
  let line = from
  while ((state.eMarks[line] ?? at) < at) line += 1
  return line
}

function countOpen({ name, kind }: Tag, reading: Reading): void {
  const left = reading.ends.get(name) ?? 0
  if (kind === 'open' && left > 0) reading.open += 1
  if (kind !== 'close') return
  reading.ends.set(name, left - 1)
  reading.open = Math.max(0, reading.open - 1)
}

const isVariable = (source: string) => /^[\w$.-]*$/.test(source)

/** What a reader sees of an expression in braces. */
function textOfExpression(
  source: string,
  value: Literal | undefined,
  { note, names }: Reading,
  line?: number,
): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  if (value !== undefined || /^\/\*[\s\S]*\*\/$/.test(source) || source === '') return ''
  const name = source.split('.')[0] ?? ''
  // It would be a mistake in MDX: its author meant braces.
  if (isVariable(source) && !names.has(name) && !/^(?:props|frontmatter)$/i.test(name))
    return `{${source}}`
  note('removed', 'JavaScript in braces {…}', line)
  return ''
}

/** Raw HTML ends where a component begins. In MDX, it is read as tags, and only comments are left. */
function endHtmlAtComponents(md: Parser, readingOf: (env: object) => Reading) {
  const [rule] = [md.block.ruler.getRules('')].flat().filter(({ name }) => name === 'html_block')
  return (state: StateBlock, start: number, end: number, silent: boolean): boolean => {
    const reading = readingOf(state.env)
    const from = (state.bMarks[start] ?? 0) + (state.tShift[start] ?? 0)
    const isRaw = /^<(?:!|\?|(?:script|pre|style|textarea)\b)/i.test(
      state.src.slice(from, from + 10),
    )
    if (!rule || (reading?.isMdx && !isRaw)) return false
    const count = state.tokens.length
    if (!rule(state, start, end, silent)) return false
    if (silent || !reading || isRaw) return true
    const token = state.tokens[count]
    for (let line = start + 1; line < state.line; line += 1) {
      const at = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)
      const name =
        state.src[at] === '<' && /^<\/?([A-Za-z][\w.-]*)/.exec(state.src.slice(at, at + 60))?.[1]
      if (!token || !name || !isBlockComponent(name)) continue
      state.line = line
      token.map = [start, line]
      token.content = state.getLines(start, line, state.blkIndent, true)
    }
    return true
  }
}

/** Components in a paragraph are put between paragraphs. */
function splitParagraphs(tokens: Token[], reading: Reading): Token[] {
  return tokens.flatMap((token, index) => {
    const isParagraph = (at: number) =>
      tokens[at]?.type === 'paragraph_open' && tokens[at + 1]?.type === 'inline'
    if (token.type === 'paragraph_open' && isParagraph(index)) return pieces(tokens, index, reading)
    const isDone =
      (token.type === 'inline' && isParagraph(index - 1)) ||
      (token.type === 'paragraph_close' && isParagraph(index - 2))
    return isDone ? [] : [token]
  })
}

function pieces(tokens: Token[], index: number, reading: Reading): Token[] {
  const [open, inline, close] = tokens.slice(index, index + 3) as [Token, Token, Token]
  const text = inline.content
  const result: Token[] = []
  /** HTML around the text: it is no paragraph of its own. */
  let around = 0
  let from = 0
  const putText = (to: number) => {
    const content = text.slice(from, to).trim()
    if (content === '') return
    const parts = around > 0 ? [inline] : [open, inline, close]
    for (const part of parts) {
      const copy = Object.assign(newToken(part.type), part)
      if (part === inline) Object.assign(copy, { content, children: [] })
      result.push(copy)
    }
  }
  for (const at of tagStarts(text)) {
    if (at < from) continue
    const tag = reading.reader.tagAt(text, at)
    if (!tag || !isBlockTag(tag, reading)) continue
    putText(at)
    const isHtml = !isComponent(tag.name) && tag.name !== 'p' && !voidHtml.has(tag.name)
    if (isHtml && tag.kind !== 'void') around = Math.max(0, around + (tag.kind === 'open' ? 1 : -1))
    countOpen(tag, reading)
    result.push(tagToken(tag, text.slice(at, tag.end), inline.map))
    from = tag.end
  }
  if (from === 0) return [open, inline, close]
  putText(text.length)
  return result
}

/** Where tags may begin: not in code. */
function* tagStarts(text: string): Generator<number> {
  if (!text.includes('<')) return
  const marks = [...text.matchAll(/\\[\s\S]|`+|<(?=[/A-Za-z])/g)]
  /** The next run of as many backticks. */
  const next: (number | undefined)[] = []
  const last = new Map<number, number>()
  for (const [index, [mark]] of [...marks.entries()].reverse()) {
    next[index] = last.get(mark.length)
    if (mark.startsWith('`')) last.set(mark.length, index)
  }
  for (let index = 0; index < marks.length; index += 1) {
    const { 0: mark, index: at } = marks[index] as RegExpExecArray
    if (mark === '<') yield at
    else if (mark.startsWith('`')) index = next[index] ?? index
  }
}

function inlineRule(state: StateInline, silent: boolean, reading: Reading | undefined): boolean {
  const { src, pos, posMax } = state
  const character = src[pos]
  if (!reading || (character !== '<' && character !== '{')) return false
  if (character === '<') {
    if (!/[A-Za-z/>]/.test(src[pos + 1] ?? '')) return false
    const tag = reading.reader.tagAt(src, pos, posMax)
    if (!tag || !isKnownTag(tag, reading)) return false
    if (!silent) Object.assign(state.push('jsx', '', 0), tagToken(tag, src.slice(pos, tag.end)))
    state.pos = tag.end
    return true
  }
  // `{#id}` and `{.class}` are attributes.
  if (!reading.isMdx || /[#.:]/.test(src[pos + 1] ?? '')) return false
  const expression = reading.reader.expressionAt(src, pos, posMax)
  if (!expression) return false
  if (!silent) {
    const text = textOfExpression(expression.source, expression.value, reading)
    if (text !== '') state.push('text', '', 0).content = text
  }
  state.pos = expression.end
  return true
}
