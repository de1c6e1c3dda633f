// Lines of a source, as block rules of markdown-it see them: without the marks of the quotes and lists around them; and the
// tokens that rules add.
import type { MarkdownIt as Parser, StateBlock } from 'markdown-it'

/** Where tokens are added. */
export type Target = Pick<StateBlock, 'push'>

export type BlockRule = Parameters<Parser['block']['ruler']['at']>[1]

/** For rules that may begin right after a line of text. */
export const interrupting = { alt: ['paragraph', 'reference', 'blockquote', 'list'] }

export function textOfLine(state: StateBlock, line: number): string {
  return state.src.slice(placeOf(state, line), state.eMarks[line]).trimEnd()
}

/** Where the text of a line begins in the source. */
export const placeOf = (state: StateBlock, line: number): number =>
  (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)

/** Whether the line is code by its indentation. */
export const isIndented = (state: StateBlock, line: number): boolean =>
  (state.sCount[line] ?? 0) - state.blkIndent >= 4

/** The line of an index in the source. */
export function lineAt(state: StateBlock, place: number): number {
  let low = 0
  let high = state.eMarks.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((state.eMarks[middle] ?? 0) < place) low = middle + 1
    else high = middle
  }
  return low
}

/** The rule for blocks that markdown-it or a plugin has under this name. */
export function ruleOf({ block }: Parser, wanted: string): BlockRule {
  const rule = block.ruler.getRules('').find(({ name }) => name === wanted)
  if (!rule) throw new Error(`markdown-it has no rule ${wanted}`)
  return rule
}

/** Reads lines as the content of another block, up to `to`. */
export function readBlocks(state: StateBlock, from: number, to: number, indent = state.blkIndent) {
  const { blkIndent, lineMax, listIndent, parentType, tight } = state
  const inside = { blkIndent: indent, lineMax: to, listIndent: -1, parentType: 'box' }
  Object.assign(state, { ...inside, line: from })
  state.md.block.tokenize(state, from, to)
  Object.assign(state, { blkIndent, lineMax, listIndent, parentType, tight })
}

export function pushParagraph(state: Target, text: string, line: number): void {
  state.push('paragraph_open', 'p', 1)
  pushInline(state, text, line)
  state.push('paragraph_close', 'p', -1)
}

export function pushInline(state: Target, text: string, line: number): void {
  const inline = state.push('inline', '', 0)
  Object.assign(inline, { content: text, children: [], map: [line, line + 1] })
}

export function pushHeading(target: Target, tag: string, text: string, line: number, id: unknown) {
  const isId = typeof id === 'string' && /^[\p{L}\p{N}_.-]{1,100}$/u.test(id)
  const attrs = isId ? [['id', id]] : null
  Object.assign(target.push('heading_open', tag, 1), { markup: '#', map: [line, line + 1], attrs })
  pushInline(target, text, line)
  target.push('heading_close', tag, -1).markup = '#'
}

/** HTML of an author, or with what one wrote. */
export function pushHtml(target: Target, html = '') {
  if (html !== '') target.push('html_block', '', 0).content = html
}
