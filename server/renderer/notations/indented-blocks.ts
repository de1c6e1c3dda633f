// Blocks whose content is indented by four columns, as in Material for MkDocs: `!!! note "Title"`, `??? tip` (folded),
// `=== "Tab"`; consecutive tabs are one group.
import type { MarkdownIt as Parser, StateBlock } from 'markdown-it'
import { type Box, calloutNamed, fillBox, mayNest } from '../markdown/boxes.ts'
import { capital } from '../sources/plain-text.ts'
import { interrupting, isIndented, placeOf, textOf } from './source-lines.ts'

export function addIndentedBlocks(md: Parser): void {
  md.block.ruler.before('code', 'indented_blocks', indentedRule, interrupting)
}

const admonition = /^(!!!|\?\?\?\+?)[ \t]*([\p{L}\w-]+)(?:[ \t]+[\w-]+)*(?:[ \t]+"(.*)")?$/u
const tab = /^===([!+]{0,2})[ \t]+(?:"(.+)"|'(.+)')$/

function indentedRule(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  if (!'!?='.includes(state.src[placeOf(state, start)] ?? ' ')) return false
  if (isIndented(state, start) || !mayNest(state)) return false
  const text = textOf(state, start)
  const indent = (state.sCount[start] ?? 0) + 4
  let line = start + 1
  let to = line
  for (; line < end; line += 1) {
    if (state.isEmpty(line)) continue
    if ((state.sCount[line] ?? 0) < indent) break
    to = line + 1
  }
  const box = tabOf(text) ?? admonitionOf(text, to > start + 1)
  if (!box) return false
  if (silent) return true
  fillBox(state, box, start, { from: start + 1, to, indent })
  state.line = to
  return true
}

function tabOf(text: string): Box | undefined {
  const [, flags, double, single] = tab.exec(text) ?? []
  if (flags === undefined) return undefined
  const title = double ?? single ?? ''
  return { kind: 'tab', title, isFirst: flags.includes('!'), isSelected: flags.includes('+') }
}

function admonitionOf(text: string, hasContent: boolean): Box | undefined {
  const [, marks, name = '', title] = admonition.exec(text) ?? []
  const named = calloutNamed(name)
  if (marks === undefined || !(named || hasContent)) return undefined
  return {
    kind: 'callout',
    tone: named?.tone ?? 'note',
    title: title ?? named?.title ?? capital(name),
    ...(marks !== '!!!' && { fold: marks.endsWith('+') ? 'open' : 'closed' }),
  }
}
