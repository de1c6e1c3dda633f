// MDX and the components in Markdown, as rules of markdown-it: tags and braces are read where they stand, and become what
// write-components.ts says. Imported Markdown is put in the place of its tag. Nothing is run.
import type { MarkdownIt as Parser, StateBlock, StateInline, Token } from 'markdown-it'
import type { MarkdownEnv, Note } from '../markdown/boxes.ts'
import { interrupting, isIndented, lineAt, placeOf } from '../notations/source-lines.ts'
import { endOfSpan } from '../notations/tag-scanner.ts'
import { isBlockComponent, isComponent, isInlineComponent } from './component-table.ts'
import { createJsxReader, type Expression, type JsxReader, type Literal, type Tag } from './jsx.ts'
import { isOpened, newToken, tagToken, writeTags } from './write-components.ts'

/** The text of a source that another one names, without front matter (sources/includes.ts). */
type ReadPart = (path: string, from: string) => { path: string; text: string } | undefined

interface ComponentOptions {
  /** Whether braces, `import` and all tags of a source are those of MDX. */
  isMdx(source: string): boolean
  readPart: ReadPart
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
  /** The sources that import this one. */
  within: readonly string[]
  /** Characters that the page may still import. */
  shared: { left: number }
}

/** What is around the path of an imported file. */
const site = /^(?:!!raw-loader!)?(?:@site|~)?|\?raw$/g
const maxParts = { depth: 8, characters: 1_000_000 }

export function addComponents(md: Parser, { isMdx, readPart }: ComponentOptions): void {
  const readings = new WeakMap<object, Reading>()
  const readingOf = (env: object) => readings.get(env)

  function begin(env: MarkdownEnv, text: string, more: Partial<Reading> = {}): Reading {
    const { source = '', note = () => {} } = env
    const names = new Map<string, Literal>()
    const reader = createJsxReader(text.length, names)
    const shared = { left: maxParts.characters }
    const rest = { within: [], shared, ...more }
    const reading = { source, isMdx: isMdx(source), reader, names, note, ...rest }
    readings.set(env, reading)
    return reading
  }

  function settle(tokens: Token[], env: MarkdownEnv, reading: Reading): Token[] {
    return writeTags(splitParagraphs(tokens, reading), {
      note: reading.note,
      include: (tag, map) => include(tag, map, env, reading),
    })
  }

  /** The tokens of an imported source; undefined if the tag is none. */
  function include(
    { attributes, name }: Tag,
    map: Token['map'],
    env: MarkdownEnv,
    reading: Reading,
  ): Token[] | undefined {
    const path =
      name === 'Snippet' ? `/snippets/${attributes.get('file')}` : reading.names.get(name)
    if (typeof path !== 'string' || !/\.(?:mdx?|markdown)$/i.test(path)) return undefined
    const within = [...reading.within, reading.source]
    const part = readPart(path.replaceAll(site, ''), reading.source)
    if (part) reading.shared.left -= part.text.length
    const isLoop = part && within.includes(part.path)
    const isTooMuch = within.length > maxParts.depth || reading.shared.left < 0
    if (!part || isLoop || isTooMuch) {
      const cause = isLoop ? 'include of a file in itself' : 'include of too much text'
      if (part) reading.note('syntax', `${cause}: ${path}`, map?.[0])
      else reading.note('include', path, map?.[0])
      return []
    }
    const text = part.text.replaceAll(/\{\s*(?:props\.)?([A-Za-z_]\w*)\s*\}/g, (braces, prop) => {
      const value = attributes.get(prop)
      if ((typeof value !== 'string' && typeof value !== 'number') || reading.shared.left < 0)
        return braces
      reading.shared.left -= String(value).length
      return String(value)
    })
    const note: Note = (kind, what) => reading.note(kind, what, map?.[0])
    const inner = begin({ ...env, source: part.path, note }, text, {
      within,
      shared: reading.shared,
    })
    readings.set(env, inner)
    const tokens: Token[] = []
    md.block.parse(text, md, env, tokens)
    const settled = settle(tokens, env, inner)
    readings.set(env, reading)
    return settled.map((token) => Object.assign(token, { map: token.map && map }))
  }

  md.core.ruler.before('block', 'jsx_begin', ({ env, src }) => void begin(env, src))
  const blockRule = (state: StateBlock, start: number, end: number, silent: boolean) => {
    const reading = readingOf(state.env)
    if (!reading) return false
    if (!silent && outdent(state, start, end, reading)) return true
    return (
      (!silent && moduleRule(state, start, reading, readPart)) ||
      flow(state, start, end, silent, reading)
    )
  }
  md.block.ruler.before('table', 'jsx', blockRule, interrupting)
  md.block.ruler.at('html_block', htmlRule(md, readingOf), { alt: interrupting.alt.slice(0, 3) })
  md.core.ruler.after('block', 'jsx', (state) => {
    const reading = readingOf(state.env)
    if (reading) state.tokens = settle(state.tokens, state.env, reading)
  })
  md.inline.ruler.before('autolink', 'jsx', (state, silent) => {
    const reading = readingOf(state.env)
    return reading !== undefined && inlineRule(state, silent, reading)
  })
  md.core.ruler.after('inline', 'jsx_inline', ({ tokens, env }) => {
    const { note = () => {} } = readingOf(env) ?? {}
    for (const token of tokens) {
      if (!token.children?.some(({ type }) => type === 'jsx')) continue
      token.children = writeTags(token.children, { note, inlineAt: token.map })
    }
  })
}

/** MDX has no indented code: what is indented is read as if the margin were there. */
function outdent(state: StateBlock, start: number, end: number, { isMdx }: Reading): boolean {
  if (!isIndented(state, start) || !isMdx) return false
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
function moduleRule(
  state: StateBlock,
  start: number,
  reading: Reading,
  readPart: ReadPart,
): boolean {
  const at = state.bMarks[start] ?? 0
  const isMargin =
    state.level === 0 && state.sCount[start] === 0 && /[ei]/.test(state.src[at] ?? '')
  const line = isMargin ? state.src.slice(at, state.eMarks[start]) : ''
  const isImport = importLine.test(line)
  if (!isImport && !(reading.isMdx && moduleStart.test(line))) return false
  const end = isImport ? at + line.length : reading.reader.moduleEnd(state.src, at)
  declare(state.src.slice(at, end), reading, readPart)
  state.line = lineAt(state, end) + 1
  return true
}

const defaultImport = /^import\s+([A-Za-z_$][\w$]*)\s+from\s+['"]([^'"\n]+)['"]/
const constant =
  /^export\s+(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*(?::[^=\n]+)?=\s*([\s\S]*?);?\s*$/

/** Keeps the values that are known without running the module. */
function declare(text: string, reading: Reading, readPart: ReadPart): void {
  const { names, reader, source } = reading
  for (const statement of text.split(/\n(?=import\s|export\s)/)) {
    const [, local, path = ''] = defaultImport.exec(statement) ?? []
    const isRaw = /^!!raw-loader!|\?raw$/.test(path)
    if (local)
      names.set(local, (isRaw && readPart(path.replaceAll(site, ''), source)?.text) || path)
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
const isBlockTag = ({ name }: Tag, { isMdx }: Reading) =>
  isBlockComponent(name) || (isMdx && htmlBlocks.has(name))

interface Part {
  tag?: Tag | undefined
  expression?: Expression | undefined
  end: number
}

/** A tag or an expression. */
function readAt(
  text: string,
  at: number,
  limit: number,
  { isMdx, reader }: Reading,
): Part | undefined {
  const next = text[at + 1] ?? ''
  if (text[at] === '<' && /[A-Za-z/>]/.test(next)) {
    const tag = reader.tagAt(text, at, limit)
    return tag && (isMdx || isComponent(tag.name)) ? { tag, end: tag.end } : undefined
  }
  // `{#id}` and `{.class}` are attributes.
  if (!isMdx || text[at] !== '{' || /[#.:]/.test(next)) return undefined
  const expression = reader.expressionAt(text, at, limit)
  return expression && { expression, end: expression.end }
}

/** Lines that have only tags and expressions. */
function flow(
  state: StateBlock,
  start: number,
  end: number,
  silent: boolean,
  reading: Reading,
): boolean {
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
    while ((state.eMarks[line] ?? 0) < at) line += 1
  }
  const isOpen = found.reduce((count, { tag }) => count + opened(tag), 0) !== 0
  const isFlow = found.some(({ tag, expression }) => {
    if (!tag) return expression?.value === undefined && !isVariable(expression?.source ?? '')
    const isBlock = isComponent(tag.name) && !isInlineComponent(tag.name)
    return isOpen || isBlock || isBlockTag(tag, reading)
  })
  if (!isFlow) return false
  if (silent) return isMdx || found.some(({ tag }) => tag && isBlockTag(tag, reading))
  for (const { expression, from, tag } of found) {
    const first = lineAt(state, from)
    const text = expression ? textOf(expression, reading, first) : ''
    if (!tag && text === '') continue
    const token = tag ? tagToken(tag, src.slice(from, tag.end)) : newToken('jsx_text', text)
    const { content, meta, type } = token
    Object.assign(state.push(type, '', 0), { content, meta, map: [first, line + 1] })
  }
  state.line = line + 1
  return true
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
  note('removed', 'JavaScript in braces {…}', line)
  return ''
}

const rawHtml = /^<(?:!|\?|(?:script|pre|style|textarea)\b)/i

/** Raw HTML ends where a component begins. In MDX, it is read as tags, and only comments and code are left. */
function htmlRule(md: Parser, readingOf: (env: object) => Reading | undefined) {
  const rule = md.block.ruler.getRules('').find(({ name }) => name === 'html_block')
  return (state: StateBlock, start: number, end: number, silent: boolean): boolean => {
    const from = placeOf(state, start)
    const isRaw = rawHtml.test(state.src.slice(from, from + 12))
    if (!rule || (readingOf(state.env)?.isMdx && !isRaw)) return false
    const { length } = state.tokens
    if (!rule(state, start, end, silent)) return false
    const token = state.tokens[length]
    for (let line = start + 1; token && !isRaw && line < state.line; line += 1) {
      const at = placeOf(state, line)
      const name = /^<\/?([A-Za-z][\w.-]*)/.exec(state.src.slice(at, at + 60))?.[1]
      if (name === undefined || !isBlockComponent(name)) continue
      state.line = line
      token.map = [start, line]
      token.content = state.getLines(start, line, state.blkIndent, true)
    }
    return true
  }
}

/** Components in a paragraph are put between paragraphs. */
function splitParagraphs(tokens: Token[], reading: Reading): Token[] {
  const out: Token[] = []
  for (let index = 0; index < tokens.length; index += 1) {
    const [open, inline, close] = tokens.slice(index, index + 3)
    const isParagraph = open?.type === 'paragraph_open' && inline?.type === 'inline' && close
    if (isParagraph && inline.content.includes('<')) {
      for (const token of splitParagraph([open, inline, close], reading)) out.push(token)
      index += 2
    } else if (open) out.push(open)
  }
  return out
}

function splitParagraph([open, inline, close]: [Token, Token, Token], reading: Reading): Token[] {
  const text = inline.content
  const result: Token[] = []
  /** HTML around the text: it is no paragraph of its own. */
  let around = 0
  let from = 0
  const putText = (to: number) => {
    const content = text.slice(from, to).trim()
    if (content === '') return
    const copies = (around > 0 ? [inline] : [open, inline, close]).map((part) =>
      Object.assign(newToken(part.type), part, part === inline && { content, children: [] }),
    )
    result.push(...copies)
  }
  for (const at of tagStarts(text)) {
    const tag = at < from ? undefined : reading.reader.tagAt(text, at)
    if (!tag || !isBlockTag(tag, reading)) continue
    putText(at)
    const isHtml = !isComponent(tag.name) && tag.name !== 'p'
    if (isHtml) around = Math.max(0, around + opened(tag))
    result.push(tagToken(tag, text.slice(at, tag.end), inline.map))
    from = tag.end
  }
  if (from === 0) return [open, inline, close]
  putText(text.length)
  return result
}

/** Where tags may begin: not in code. */
function* tagStarts(text: string): Generator<number> {
  const marks = /\\[\s\S]|`+|<(?=[/A-Za-z])/g
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    const [mark] = match
    if (mark === '<') yield match.index
    else if (mark.startsWith('`'))
      marks.lastIndex = endOfSpan(text, marks.lastIndex, mark.length) ?? marks.lastIndex
  }
}

function inlineRule(state: StateInline, silent: boolean, reading: Reading): boolean {
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
