// Callouts of one paragraph: `!> text` and `?> text` (docsify), and `{: .note }` before a paragraph or quote (kramdown, as
// in Just the Docs; the first line of a quote after `{: .note-title }` is the title).
import type { MarkdownIt as Parser, StateBlock } from 'markdown-it'
import {
  beginLineAt,
  calloutNamed,
  closeBox,
  fillBox,
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
  const to = endOfParagraph(state, start, end)
  openBox(state, box, start)
  const last = { line: to - 1, at: state.eMarks[to - 1] ?? 0 }
  tokenizeRange(state, { line: start, at: place + 2 }, last)
  closeBox(state, box.kind)
  state.line = to
  return true
}

function endOfParagraph(state: StateBlock, start: number, end: number): number {
  let line = start
  while (line < end && !state.isEmpty(line)) line += 1
  return line
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
  if (!callout || !mayNest(state) || start + 1 >= end || state.isEmpty(start + 1)) return true
  if (name === 'highlight') callout.title = ''
  let from = start + 1
  const to = endOfParagraph(state, from, end)
  for (let line = from; line < to && state.src[placeOf(state, line)] === '>'; line += 1) {
    beginLineAt(state, { line, at: placeOf(state, line) + 1 })
    state.sCount[line] = state.blkIndent
  }
  if (isTitled) callout.title = textOf(state, from++)
  fillBox(state, callout, start, { from, to, indent: state.blkIndent })
  state.line = to
  return true
}
