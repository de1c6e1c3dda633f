// Blocks between lines of colons, slashes or backticks: `::: tip Title` (VitePress), `:::note[Title]{#id}` (Docusaurus,
// Starlight, remark-directive), `:::{tip} Title` and ` ```{tip} Title ` (MyST), `/// tip | Title` (pymdownx.blocks). The rule
// reads what is between them as blocks until it comes to the closing line, so that an unclosed block ends with its parent.
import type { StateBlock } from 'markdown-it'
import { type MarkdownEnv, maxDepth, putBox } from '../markdown/boxes.ts'
import {
  type BlockRule,
  isIndented,
  placeOf,
  pushHtml,
  pushParagraph,
  readBlocks,
  textOfLine,
} from '../markdown/syntax/source-lines.ts'
import { readArguments, type Written, writeBlock } from './meanings.ts'

const opening =
  /^(:{3,}|\/{3,}|`{3,}|~{3,})[ \t]*(?:\{([^{}\n]+)\}|([\p{L}\w][\p{L}\w.-]*))[ \t]*([^\n]*)$/u
const mystOption = /^:([\w-]+):[ \t]*(.*)$/
const pymdownxOption = /^(\w+):[ \t]*(.*)$/
const closing = /^(:{3,}|\/{3,}|`{3,}|~{3,})$/

/** An open container, in the lines to `limit`. `end`: the line that closes it, once it was read. */
type Open = { marks: string; limit: number; end?: number }

/** What the rules of a page share: the open containers, and where the last closing line of each mark is. */
const pages = new WeakMap<object, { open: Open[]; ends: Map<string, number> }>()

const pageOf = ({ env, src }: StateBlock) =>
  pages.getOrInsertComputed(env, () => {
    const lines = src.matchAll(/^[ \t>]*(:{3,}|\/{3,}|`{3,}|~{3,})[ \t]*$/gm)
    const ends = lines.map(({ 1: marks = '', index }) => [marks[0] ?? '', index] as const)
    return { open: [], ends: new Map(ends) }
  })

export const containerRule: BlockRule = (state, start, end, silent) => {
  const mark = state.src[placeOf(state, start)] ?? ' '
  if (!':/`~'.includes(mark) || isIndented(state, start)) return false
  const { open, ends } = pageOf(state)
  const text = textOfLine(state, start)
  // One in a quote or an indented block, which has fewer lines, closes nothing around it: what follows would be read twice.
  const isMeant = ({ limit, marks }: Open) => limit === end && text.startsWith(marks)
  const closed = closing.test(text) && open.findLast(isMeant)
  if (closed) {
    // Nothing else of it is read, nor of what is open in it.
    if (!silent) [closed.end, state.line] = [start, end]
    return true
  }
  const isClosed = (ends.get(mark) ?? 0) > (state.bMarks[start] ?? 0)
  // A deeper one ends the text before it, too, so that a quote does not go on to the end of the page.
  const isRead = silent || state.level < maxDepth
  const head = isRead ? readHead(state, start, end, isClosed) : undefined
  if (!head || silent) return head !== undefined
  const { box, close, lead, marks, name, next, note, open: html } = head
  if (note) (state.env as MarkdownEnv).note?.('unknown_component', note, start)
  state.line = next
  pushHtml(state, html)
  putBox(state, box, start, () => {
    if (lead) pushParagraph(state, lead, start)
    const { length } = state.tokens
    const container: Open = { marks, limit: end }
    if (marks === '') return
    open.push(container)
    readBlocks(state, next, end)
    open.pop()
    if (container.end !== undefined) state.line = container.end + 1
    for (const token of name === 'v-pre' ? state.tokens.slice(length) : [])
      token.meta = { ...token.meta, isLiteral: true }
  })
  pushHtml(state, close)
  return true
}

type Head = Written & { marks: string; name: string; next: number; note?: string }

/** The opening line of a container, with the lines that set its options. Without `marks`, it is a block of its own. */
function readHead(state: StateBlock, start: number, end: number, isClosed: boolean) {
  const [, marks = '', braced, plain = '', rest = ''] = opening.exec(textOfLine(state, start)) ?? []
  const isFence = /^[`~]/.test(marks)
  if (marks === '' || (isFence && (braced === undefined || rest.includes('`')))) return undefined
  const isPython = marks === ':::' && plain.includes('.') && !isClosed
  const words = braced?.trim().replace(/^\.(?:callout-)?/, '')
  const name = words?.split(/\s/)[0] ?? plain
  const bracketed = /^\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\](?:\{([^{}]*)\})?/.exec(rest)
  const spaced = /^([^{}]*(?:\{[^{}]*\}[^{}]+)*)(?:\{([^{}]*)\})?$/.exec(rest)
  const [, text = rest, more = ''] = bracketed ?? spaced ?? []
  const attributes = readArguments(`${words?.slice(name.length) ?? ''} ${more}`)
  const option = isPython ? /\S/ : marks.startsWith('/') ? pymdownxOption : mystOption
  let next = start + 1
  for (; next < end && (braced !== undefined || isIndented(state, next)); next += 1) {
    const [all, key = '', value = ''] = option.exec(textOfLine(state, next)) ?? []
    if (all === undefined) break
    // In MyST, the name of a block is its anchor.
    attributes.set(key === 'name' ? 'id' : key, value)
  }
  const head: Head = { marks, name, next }
  // mkdocstrings: documentation from the source code of Python, of which only the name is there.
  if (isPython) return { ...head, marks: '', lead: `\`${name}\``, note: '::: (mkdocstrings)' }
  const title = text.replace(/^\|/, '').trim()
  const shown = name === 'image' ? 'figure' : name
  const given = shown === 'figure' ? 'src' : name === 'figure-md' ? 'id' : 'title'
  if (title !== '') attributes.set(given, title)
  const element = { name: shown, isJsx: false, attributes, hasChildren: true, index: 0 }
  const written = writeBlock(element)
  const { box, isUnknown, language, open } = written
  const id = attributes.get('id')
  if (id && box?.title) box.title = `<a id="${id}"></a>${box.title}`
  if (id && open) written.open = `<a id="${id}"></a>${open}`
  if (box || open || (!isFence && !isUnknown && language === undefined))
    return { ...head, ...written }
  if (isFence || !isClosed) return undefined
  // After slashes, callouts have names in the language of the page.
  if (marks.startsWith('/') && !/^(?:html|define|caption)/.test(name))
    return { ...head, box: { kind: 'callout' as const, title: title || name } }
  const lead = title === '' ? undefined : `**${title.replaceAll('*', '')}**`
  return { ...head, lead, note: `${marks.slice(0, 3)} ${name}` }
}
