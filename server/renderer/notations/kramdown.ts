// Lines of kramdown, as in Just the Docs: `{: .note }` makes a callout of the paragraph or quote below it, whose first line
// is the title after `{: .note-title }`. A list that stands for the table of contents is left out.
import type { StateBlock } from 'markdown-it'
import { calloutNamed } from '../markdown/callouts.ts'
import { isIndented, textOfLine } from '../markdown/syntax/source-lines.ts'

const mark = /^\{:[ \t]*\.(\w+?)(-title)?(?:[ \t]+\.[\w-]+)*[ \t]*\}$/

export function kramdownRule(state: StateBlock, start: number, end: number, silent: boolean) {
  if (silent || isIndented(state, start) || start + 1 >= end) return false
  const text = textOfLine(state, start)
  const isList = /^(?:[-*+]|1\.)[ \t]/.test(text)
  const isContents = isList && /^\{:[ \t]*toc\b/.test(textOfLine(state, start + 1))
  const [, name = '', isTitled] = mark.exec(text) ?? []
  const box = calloutNamed(name)
  if (isContents) state.line = start + 2
  else if (box && !state.isEmpty(start + 1)) {
    if (isTitled) box.title = ''
    state.push('callout_mark', '', 0).meta = { box }
    state.line = start + 1
  } else return false
  return true
}
