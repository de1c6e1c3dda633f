// `:::note Title` … `:::`, as Docusaurus and VitePress write what GitHub writes as `> [!NOTE]`: it becomes
// the same callout, with the same tokens.
import type { StateBlock } from 'markdown-it'

const kinds: Record<string, string> = {
  note: 'NOTE',
  info: 'NOTE',
  tip: 'TIP',
  success: 'TIP',
  important: 'IMPORTANT',
  warning: 'WARNING',
  caution: 'WARNING',
  danger: 'CAUTION',
  error: 'CAUTION',
}

const opening = /^(:{3,10})[ \t]*([a-z]+)[ \t]*(?:\[([^\]\n]*)\]|([^\n]*))$/i

/** A block rule of markdown-it. What is not closed ends with its surroundings. */
export function containerRule(
  state: StateBlock,
  start: number,
  end: number,
  silent: boolean,
): boolean {
  const line = textOf(state, start)
  const found = line.startsWith(':::') ? opening.exec(line) : null
  const kind = found && Object.hasOwn(kinds, found[2] ?? '') ? kinds[found[2] ?? ''] : undefined
  if (!found || kind === undefined) return false
  if (silent) return true
  const close = findClose(state, start + 1, end, found[1]?.length ?? 3)
  const open = state.push('blockquote_open', 'blockquote', 1)
  open.map = [start, close]
  const title = (found[3] ?? found[4] ?? '').trim()
  // Read again by markCallouts, which knows no other form.
  state.push('paragraph_open', 'p', 1)
  const inline = state.push('inline', '', 0)
  inline.content = `[!${kind}]${title === '' ? '' : ` ${title}`}`
  inline.children = []
  state.push('paragraph_close', 'p', -1)
  const { lineMax, parentType } = state
  state.lineMax = close
  state.parentType = 'blockquote'
  state.md.block.tokenize(state, start + 1, close)
  state.lineMax = lineMax
  state.parentType = parentType
  state.push('blockquote_close', 'blockquote', -1)
  state.line = Math.min(close + 1, end)
  return true
}

function findClose(state: StateBlock, from: number, end: number, colons: number): number {
  let depth = 0
  let fence: string | undefined
  for (let line = from; line < end; line += 1) {
    const text = textOf(state, line)
    const marks = /^(?:`{3,}|~{3,})/.exec(text)?.[0]
    if (fence === undefined) fence = marks
    else if (marks?.startsWith(fence) && marks === text) fence = undefined
    if (fence !== undefined || !text.startsWith(':::')) continue
    if (/^:+$/.test(text)) {
      if (depth === 0 && text.length >= colons) return line
      depth = Math.max(0, depth - 1)
    } else if (opening.test(text)) depth += 1
  }
  return end
}

function textOf(state: StateBlock, line: number): string {
  const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)
  return state.src.slice(start, state.eMarks[line]).trimEnd()
}
