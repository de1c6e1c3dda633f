// Tags of templates, and HTML with Markdown in it: those at the beginning of a line are blocks, with what is between them and their end as
// Markdown; others stand for text. Unknown ones are left out, and what is in them is kept.
import type { MarkdownIt as Parser, StateBlock, StateInline, Token } from 'markdown-it'
import {
  beginLineAt,
  closeBox,
  type MarkdownEnv,
  mayNest,
  openBox,
  tokenizeLines,
  tokenizeRange,
} from '../markdown/boxes.ts'
import {
  interrupting,
  isIndented,
  lineAt,
  oncePerSource,
  placeOf,
  pushFence,
  pushInline,
  pushParagraph,
} from './source-lines.ts'
import { type Meaning, meaningOf, meaningOfElement, textOfTag } from './tag-meanings.ts'
import { pairTags, replaceTags, type Tag } from './tag-scanner.ts'

export function addTags(md: Parser): void {
  md.core.ruler.after('normalize', 'text_tags', (state) => {
    state.src = replaceTags(state.src, textOfTag)
  })
  md.block.ruler.before('code', 'tags', tagRule, interrupting)
  md.inline.ruler.before('escape', 'tags', inlineTagRule)
}

interface TagsOfPage {
  tags: Map<number, Tag>
  /** Those that the parser is in. */
  around: Tag[]
}

const tagsOf = oncePerSource((source): TagsOfPage => ({ tags: pairTags(source), around: [] }))

const shownAs = ({ name, syntax }: Tag) => (syntax === 'hugo' ? `{{< ${name} >}}` : `{% ${name} %}`)

function tagRule(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const place = placeOf(state, start)
  if (!/^(?:\{[{%]|<[a-z])/.test(state.src.slice(place, place + 2))) return false
  const page = tagsOf(state)
  if (!page.tags.has(place) || isIndented(state, start) || !mayNest(state)) return false
  let line = start
  let isBlock = false
  for (let tag = page.tags.get(place); tag; tag = page.tags.get(placeOf(state, line))) {
    const block = readBlock(state, tag, page, end)
    if (!block) break
    if (silent) return block.meaning?.text === undefined || block.last > start
    pushBlock(state, tag, block, page)
    isBlock = true
    line = block.last
    if (line >= end) break
    beginLineAt(state, { line, at: block.to })
    if (state.isEmpty(line)) {
      line += 1
      break
    }
    if (line > start) {
      state.sCount[line] = state.sCount[start] ?? 0
      break
    }
  }
  if (!isBlock) return false
  if (line === start) {
    tokenizeLines(state, { from: line, to: line + 1 })
    line += 1
  }
  state.line = line
  return true
}

interface Block {
  meaning: Meaning | undefined
  /** Its content ends here, where its own end, or that of what it is in, begins. */
  contentEnd?: { line: number; at: number }
  /** What follows it begins here. */
  to: number
  last: number
}

/** Undefined if the tag stands for text in a paragraph. */
function readBlock(state: StateBlock, tag: Tag, page: TagsOfPage, end: number): Block | undefined {
  const lineOfTag = lineAt(state, tag.to)
  const alone = { to: tag.to, last: lineOfTag }
  const isHtml = tag.syntax === 'html'
  if (tag.isEnd) return isHtml ? undefined : { meaning: undefined, ...alone }
  const close = tag.end
  const last = close && lineAt(state, close.to)
  const isClosed = last !== undefined && last < end
  const content = isClosed ? state.src.slice(tag.to, close?.from) : undefined
  const meaning = isHtml
    ? meaningOfElement(tag, state.src, page.around)
    : meaningOf(tag, content, page.around)
  if (isHtml && !(meaning && isClosed)) return undefined
  const isAlone = (to: number, line: number) =>
    state.src.slice(to, state.eMarks[line]).trim() === ''
  if (isClosed && close) {
    const contentEnd = { line: lineAt(state, close.from), at: close.from }
    const block = { meaning, contentEnd, to: close.to, last }
    return meaning?.text === undefined || isAlone(close.to, last) ? block : undefined
  }
  const isText = !isAlone(tag.to, lineOfTag)
  if (!meaning || meaning.text !== undefined) return isText ? undefined : { meaning, ...alone }
  // A link, which has no end; what others begin ends with what they are in.
  if (!meaning.box || meaning.box.kind === 'card' || tag.syntax === 'hugo')
    return { meaning, ...alone }
  const at = state.eMarks[end - 1] ?? 0
  return { meaning, contentEnd: { line: end - 1, at }, to: at, last: end - 1 }
}

function pushBlock(state: StateBlock, tag: Tag, block: Block, page: TagsOfPage): void {
  const { meaning, contentEnd } = block
  const line = lineAt(state, tag.from)
  const { note } = state.env as MarkdownEnv
  if (meaning?.note) note?.(meaning.note, `${tag.positional[0] ?? tag.named.file ?? ''}`, line)
  if (!meaning && !tag.isEnd) note?.('component', shownAs(tag), line)
  if (meaning?.box) openBox(state, meaning.box, line, { key: '(tag)' })
  if (meaning?.text !== undefined) {
    if (meaning.text) pushParagraph(state, meaning.text, line)
  } else if (meaning?.code !== undefined) {
    const code = contentEnd ? state.src.slice(tag.to, contentEnd.at) : (tag.named.content ?? '')
    pushCode(state, code, meaning.code, line)
  } else if (contentEnd && !meaning?.isDropped) {
    const { element } = meaning ?? {}
    if (element) state.push('html_block', '', 0).content = element.start
    if (element?.isInline) pushInline(state, state.src.slice(tag.to, contentEnd.at).trim(), line)
    else {
      page.around.push(tag)
      tokenizeRange(state, { line: lineAt(state, tag.to), at: tag.to }, contentEnd)
      page.around.pop()
    }
    if (element) state.push('html_block', '', 0).content = `${element.end}\n`
  } else if (meaning?.box?.kind === 'card' && tag.named.subtitle) {
    pushParagraph(state, tag.named.subtitle, line)
  }
  if (meaning?.box) closeBox(state, '(tag)')
}

function pushCode(state: StateBlock, code: string, info: string, line: number): void {
  const lines = code.replace(/^[ \t]*\n|\n?[ \t]*$/g, '').split('\n')
  const indents = lines.filter((each) => each.trim()).map((each) => each.search(/\S/))
  const indent = Math.min(...indents.slice(0, 1000))
  const shown = lines.map((each) => each.slice(Math.min(indent, Math.max(each.search(/\S/), 0))))
  pushFence(state, info, `${shown.join('\n')}\n`, [line, line + lines.length])
}

const maxInline = 4000
const inlineTags = new WeakMap<StateInline, Map<number, Tag>>()

function inlineTagRule(state: StateInline, silent: boolean): boolean {
  const { src, pos, env } = state
  if (src[pos] !== '{' || !/[{%]/.test(src[pos + 1] ?? '')) return false
  const tag = inlineTags.getOrInsertComputed(state, () => pairTags(src)).get(pos)
  if (!tag) return false
  state.pos = tag.to
  if (silent || tag.isEnd) return true
  const meaning = meaningOf(tag, tag.end && src.slice(tag.to, tag.end.from), [])
  const { note } = env as MarkdownEnv
  if (!meaning) note?.('component', shownAs(tag))
  if (meaning?.note) note?.(meaning.note, tag.positional[0] ?? '')
  const { box } = meaning ?? {}
  const text =
    meaning?.text ?? (box?.kind === 'card' && box.href && `[${box.title}](<${box.href}>)`)
  if ((meaning?.isDropped || meaning?.text !== undefined) && tag.end) state.pos = tag.end.to
  if (text) {
    if (state.pending) state.pushPending()
    const tokens: Token[] = []
    state.md.inline.parse(text.slice(0, maxInline), state.md, env, tokens)
    state.tokens.push(...tokens)
  }
  return true
}
