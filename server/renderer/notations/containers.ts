// Blocks between lines of colons, slashes or backticks: `::: tip Title` (VitePress), `:::note[Title]{#id}` (Docusaurus,
// Starlight, remark-directive), `:::{tip} Title` and ` ```{tip} Title ` (MyST), `/// tip | Title` (pymdownx.blocks). Each of the
// two lines is a block of its own; settleBoxes pairs them, so that an unclosed block ends with its parent.
import type { StateBlock } from 'markdown-it'
import { type Box, closeBox, type MarkdownEnv, openBox } from '../markdown/boxes.ts'
import { isIndented, placeOf, pushParagraph, textOfLine } from '../markdown/syntax/source-lines.ts'
import { readArguments, writeBlock } from './meanings.ts'

const opening =
  /^(:{3,}|\/{3,}|`{3,}|~{3,})[ \t]*(?:\{([^{}\n]+)\}|([\p{L}\w][\p{L}\w.-]*))[ \t]*([^\n]*)$/u
const closing = /^(:{3,}|\/{3,}|`{3,}|~{3,})$/

/** What the rules of a page share: the open containers, and where the last closing line of each mark is. */
const pages = new WeakMap<object, { open: Open[]; ends: Map<string, number> }>()

interface Open {
  marks: string
  name: string
  level: number
  /** The number of tokens before its content. */
  from: number
}

const pageOf = ({ env, src }: StateBlock) =>
  pages.getOrInsertComputed(env, () => {
    const lines = src.matchAll(/^[ \t>]*(:{3,}|\/{3,}|`{3,}|~{3,})[ \t]*$/gm)
    const ends = lines.map(({ 1: marks = '', index }) => [marks[0] ?? '', index] as const)
    return { open: [], ends: new Map(ends) }
  })

const maxOpen = 100

export function containerRule(
  state: StateBlock,
  start: number,
  end: number,
  silent: boolean,
): boolean {
  const mark = state.src[placeOf(state, start)] ?? ' '
  if (!':/`~='.includes(mark) || isIndented(state, start)) return false
  const { open, ends } = pageOf(state)
  const text = textOfLine(state, start)
  while ((open.at(-1)?.level ?? 0) > state.level && !silent) open.pop()
  const [, marks] = closing.exec(text) ?? []
  const at = marks ? open.findLastIndex((each) => marks.startsWith(each.marks)) : -1
  const closed = open[at]
  const isTab = text.startsWith('== ') && open.at(-1)?.name === 'tabs'
  if (silent && (closed || isTab)) return true
  if (closed) {
    open.length = at
    const content = closed.name === 'v-pre' ? state.tokens.slice(closed.from) : []
    for (const token of content) token.meta = { ...token.meta, isLiteral: true }
    closeBox(state, closed.marks)
    state.line = start + 1
    return true
  }
  if (isTab) {
    // Tabs may be divided by such lines.
    const key = `== ${open.length}`
    closeBox(state, key)
    openBox(state, { kind: 'tab', title: text.slice(2).trim() }, start, key)
    state.line = start + 1
    return true
  }
  const isClosed = (ends.get(mark) ?? 0) > (state.bMarks[start] ?? 0)
  const head = open.length < maxOpen ? readHead(state, start, end, isClosed) : undefined
  if (!head || silent) return head !== undefined
  const { box, name, note } = head
  if (note) (state.env as MarkdownEnv).note?.('component', note, start)
  if (head.marks) {
    openBox(state, box ?? { kind: 'group' }, start, head.marks)
    open.push({ marks: head.marks, name, level: state.level, from: state.tokens.length })
  }
  if (head.html) state.push('html_block', '', 0).content = head.html
  if (head.lead) pushParagraph(state, head.lead, start)
  state.line = head.next
  return true
}

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
  const option = isPython
    ? /\S/
    : marks.startsWith('/')
      ? /^(\w+):[ \t]*(.*)$/
      : /^:([\w-]+):[ \t]*(.*)$/
  let next = start + 1
  for (; next < end && (braced !== undefined || isIndented(state, next)); next += 1) {
    const [all, key = '', value = ''] = option.exec(textOfLine(state, next)) ?? []
    if (all === undefined) break
    // In MyST, the name of a block is its anchor.
    attributes.set(key === 'name' ? 'id' : key, value)
  }
  // mkdocstrings: documentation from the source code of Python, of which only the name is there.
  if (isPython) return { marks: '', name, lead: `\`${name}\``, note: '::: (mkdocstrings)', next }
  const title = text.replace(/^\|/, '').trim()
  const isImage = braced !== undefined && /^(?:figure|image)$/.test(name)
  if (title !== '') attributes.set(isImage ? 'src' : 'title', title)
  const shown = isImage ? 'image' : name
  const element = { name: shown, isJsx: false, attributes, hasChildren: true, index: 0 }
  const { box, isUnknown, language, open } = writeBlock(element)
  const id = attributes.get('id')
  const anchor = id ? `<a id="${id}"></a>` : ''
  if (box?.title) box.title = anchor + box.title
  if (isImage) return { marks, name, html: `<p>${anchor}${open ?? ''}</p>\n`, next }
  if (box || (!isFence && !isUnknown && language === undefined && !open))
    return { marks, name, box, next }
  if (isFence || !isClosed) return undefined
  // After slashes, callouts have names in the language of the page.
  const foreign: Box = { kind: 'callout', title: title || name }
  if (marks.startsWith('/') && !/^(?:html|define|caption)/.test(name))
    return { marks, name, box: foreign, next }
  const lead = title === '' ? undefined : `**${title.replaceAll('*', '')}**`
  return { marks, name, lead, note: `${marks.slice(0, 3)} ${name}`, next }
}
