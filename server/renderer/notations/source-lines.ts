// Lines of a source, as block rules of markdown-it see them: without the marks of the quotes and lists around them.
import type { StateBlock, Token } from 'markdown-it'

/** For rules that may begin right after a line of text. */
export const interrupting = { alt: ['paragraph', 'reference', 'blockquote', 'list'] }

export function textOf(state: StateBlock, line: number): string {
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

/** For what a rule finds in a whole source. */
export function oncePerSource<T>(find: (source: string) => T): (state: StateBlock) => T {
  const found = new WeakMap<object, { source: string; result: T }>()
  return ({ env, src }) => {
    const known = found.get(env)
    if (known?.source === src) return known.result
    const result = find(src)
    found.set(env, { source: src, result })
    return result
  }
}

type Target = Pick<StateBlock, 'push'>

export function pushParagraph(state: Target, text: string, line: number): void {
  state.push('paragraph_open', 'p', 1)
  pushInline(state, text, line)
  state.push('paragraph_close', 'p', -1)
}

export function pushInline(state: Target, text: string, line: number): void {
  const inline = state.push('inline', '', 0)
  Object.assign(inline, { content: text, children: [], map: [line, line + 1] })
}

/** A block of code in these lines. */
export function pushFence(state: Target, info: string, content: string, map: Token['map']): void {
  Object.assign(state.push('fence', 'code', 0), { info, content, map, markup: '```' })
}
