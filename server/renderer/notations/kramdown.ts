// Callouts of what a line marks. `{: .note }` of kramdown, as in Just the Docs, makes one of the paragraph or quote below it,
// whose first line is the title after `{: .note-title }`; `!> text` and `?> text` of docsify one of the paragraph that they
// begin. A list of kramdown that stands for the table of contents is left out.
import { maxDepth } from '../markdown/boxes.ts'
import { calloutNamed, putCallout } from '../markdown/callouts.ts'
import { type BlockRule, isIndented, placeOf, textOfLine } from '../markdown/syntax/source-lines.ts'

const kramdown = /^\{:[ \t]*\.(\w+?)(-title)?(?:[ \t]+\.[\w-]+)*[ \t]*\}$/
const docsify = /^([!?])>[ \t]+(?=\S)/

export const markRule: BlockRule = (state, start, end, silent) => {
  if (silent || isIndented(state, start) || state.level > maxDepth) return false
  const text = textOfLine(state, start)
  const next = start + 1 < end ? textOfLine(state, start + 1) : ''
  const isList = /^(?:[-*+]|1\.)[ \t]/.test(text)
  const [all = '', sign] = docsify.exec(text) ?? []
  const [, name = sign && (sign === '!' ? 'important' : 'tip'), title] = kramdown.exec(text) ?? []
  const box = calloutNamed(name ?? '')
  if (isList && /^\{:[ \t]*toc\b/.test(next)) state.line = start + 2
  else if (box && sign) {
    state.bMarks[start] = placeOf(state, start) + all.length
    state.tShift[start] = 0
    putCallout(state, box, [start, end], false)
  } else if (box && next !== '') {
    if (title) box.title = next.replace(/^>[ \t]*/, '')
    putCallout(state, box, [start + 1, end], title !== undefined)
  } else return false
  return true
}
