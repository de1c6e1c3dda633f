// Callouts of one paragraph: `!> text` and `?> text` (docsify), and `{: .note }` before a paragraph or quote (kramdown, as
// in Just the Docs; the first line of a quote after `{: .note-title }` is the title).
import type { MarkdownIt as Parser, StateBlock } from 'markdown-it'
import {
  calloutNamed,
  closeBox,
  markNext,
  mayNest,
  openBox,
  tokenizeRange,
} from '../markdown/boxes.ts'
import { interrupting, isIndented, placeOf, textOf } from './source-lines.ts'

export function addMarkedParagraphs(md: Parser): void {
  md.block.ruler.before('code', 'docsify_callouts', docsifyRule, interrupting)
  md.block.ruler.before('code', 'kramdown_callouts', kramdownRule)
}

function docsifyRule(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const place = placeOf(state, start)
  const kind = { '!': 'important', '?': 'tip' }[state.src[place] ?? '']
  if (!kind || isIndented(state, start) || !mayNest(state)) return false
  const box = /^[!?]>[ \t]+\S/.test(textOf(state, start)) ? calloutNamed(kind) : undefined
  if (!box) return false
  if (silent) return true
  let line = start
  while (line + 1 < end && !state.isEmpty(line + 1)) line += 1
  openBox(state, box, start)
  const last = { line, at: state.eMarks[line] ?? 0 }
  tokenizeRange(state, { line: start, at: place + 2 }, last)
  closeBox(state, box.kind)
  state.line = line + 1
  return true
}

const classes = /^\{:[ \t]*\.([\w]+)(-title)?(?:[ \t]+\.[\w-]+)*[ \t]*\}$/
const otherClasses = /^\{:(?:[ \t]*\.[\w-]+)*[ \t]*\}$/
const contents = /^\{:[ \t]*toc\b/

/** Other classes of the next block are left out, and so is a list that stands for the table of contents. */
function kramdownRule(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const first = state.src[placeOf(state, start)] ?? ' '
  if (silent || !'{-*+1'.includes(first) || isIndented(state, start)) return false
  const text = textOf(state, start)
  if (first !== '{') {
    const isContents = start + 1 < end && contents.test(textOf(state, start + 1))
    if (isContents) state.line = start + 2
    return isContents
  }
  if (!otherClasses.test(text)) return false
  state.line = start + 1
  const [, name = '', isTitled] = classes.exec(text) ?? []
  const callout = calloutNamed(name === 'highlight' ? 'note' : name)
  if (!callout || start + 1 >= end || state.isEmpty(start + 1)) return true
  if (name === 'highlight') callout.title = ''
  markNext(state, { callout, isTitled: isTitled !== undefined })
  return true
}
