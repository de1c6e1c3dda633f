// Blocks whose content is indented by four columns, as in Material for MkDocs: `!!! note "Title"`, `??? tip` (folded),
// `=== "Tab"`; consecutive tabs are one group.
import { type Box, maxDepth, putBox } from '../markdown/boxes.ts'
import { calloutNamed } from '../markdown/callouts.ts'
import {
  type BlockRule,
  isIndented,
  placeOf,
  readBlocks,
  textOfLine,
} from '../markdown/syntax/source-lines.ts'
import { capital } from '../sources/plain-text.ts'

const admonition = /^(!!!|\?\?\?\+?)[ \t]*([\p{L}\w-]+)(?:[ \t]+[\w-]+)*(?:[ \t]+"(.*)")?$/u
const tab = /^===([!+]{0,2})[ \t]+(?:"(.+)"|'(.+)')$/

export const indentedRule: BlockRule = (state, start, end, silent) => {
  if (!'!?='.includes(state.src[placeOf(state, start)] ?? ' ')) return false
  if (isIndented(state, start) || state.level > maxDepth) return false
  const text = textOfLine(state, start)
  const indent = (state.sCount[start] ?? 0) + 4
  let to = start + 1
  for (let line = to; line < end; line += 1) {
    if (state.isEmpty(line)) continue
    if ((state.sCount[line] ?? 0) < indent) break
    to = line + 1
  }
  const box = boxOf(text, to > start + 1)
  if (!box) return false
  if (silent) return true
  putBox(state, box, start, () => readBlocks(state, start + 1, to, indent))
  state.line = to
  return true
}

function boxOf(text: string, hasContent: boolean): Box | undefined {
  const [, flags, double, single] = tab.exec(text) ?? []
  const [isFirst, isOpen] = ['!', '+'].map((flag) => flags?.includes(flag) === true)
  if (flags !== undefined) return { kind: 'tab', title: double ?? single, isFirst, isOpen }
  const [, marks, name = '', title] = admonition.exec(text) ?? []
  const { tone, title: own = capital(name) } = calloutNamed(name) ?? {}
  if (marks === undefined || !(tone || hasContent)) return undefined
  const fold = marks === '!!!' ? undefined : marks.endsWith('+') ? 'open' : 'closed'
  return { kind: 'callout', tone, title: title ?? own, fold }
}
