// Where a piece of JavaScript ends, without reading it: its brackets, strings, templates and comments are followed.

export function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

/**
 * The end of JavaScript from `at`: after the bracket that closes the one there, or, for `\n`, before the empty line after
 * balanced brackets. Undefined if there is none before `last`.
 */
export function endOfCode(
  text: string,
  at: number,
  last: number,
  until?: '\n',
): number | undefined {
  // In braces, a text in tags may have others that are not closed.
  const brackets = text[at] === '{' ? ['{', '}'] : ['{([', '})]']
  const open: string[] = []
  /** Up to here, quotes are apostrophes: they have no end on their line. */
  let plainTo = at
  for (let to = at; to < last; to += 1) {
    const character = text[to] ?? ''
    const next = text[to + 1]
    if (open.at(-1) === '`') {
      if (character === '\\') to += 1
      else if (character === '`') open.pop()
      else if (character === '$' && next === '{') {
        open.push('{')
        to += 1
      }
    } else if (character === '"' || character === "'") {
      const end = to < plainTo ? undefined : endOfString(text, to)
      if (end === undefined) plainTo = Math.max(plainTo, endOfLine(text, to))
      else to = end
    } else if (character === '/' && next === '*') {
      to = text.indexOf('*/', to + 2) + 1
      if (to === 0) return undefined
    } else if (character === '/' && next === '/' && /[\s;{(,]/.test(text[to - 1] ?? ' ')) {
      to = endOfLine(text, to) - 1
    } else if (character === '`' || brackets[0]?.includes(character)) {
      open.push(character)
    } else if (brackets[1]?.includes(character)) {
      open.pop()
      if (open.length === 0 && !until) return to < last ? to + 1 : undefined
    } else if (character === until && open.length === 0) {
      if (/^[ \t]*(?:\n|$)/.test(text.slice(to + 1, to + 200))) return to
    }
  }
  return until === '\n' && open.length === 0 && last === text.length ? last : undefined
}

/** The position of the quote that ends a string, on the same line. */
function endOfString(text: string, from: number): number | undefined {
  for (let to = from + 1; to < text.length && text[to] !== '\n'; to += 1) {
    if (text[to] === '\\') to += 1
    else if (text[to] === text[from]) return to
  }
  return undefined
}
