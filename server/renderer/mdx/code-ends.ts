// Where a piece of JavaScript ends, without reading it: its brackets, strings, templates and comments are followed.

export function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

/** What matters in a template, and outside of one: brackets, empty lines, and what hides them. A quote without an end is none. */
const inTemplate = /\\[\s\S]|`|\$\{/g
const inCode =
  /[`(){}[\]]|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\\["'\\]|\/\*(?:[\s\S]*?\*\/)?|(?<=^|[\s;{(,])\/\/.*|\n(?=[ \t]*(?:\n|$))/g

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
  const brackets = text[at] === '{' ? '{}' : '{}()[]'
  const code = text.slice(0, last)
  const open: string[] = []
  for (let to = at; ; ) {
    const tokens = open.at(-1) === '`' ? inTemplate : inCode
    tokens.lastIndex = to
    const found = tokens.exec(code)?.[0]
    if (found === '/*') return undefined
    if (found === undefined) break
    to = tokens.lastIndex
    const side = found === '${' ? 0 : brackets.indexOf(found)
    if (found === '`' && open.at(-1) === found) open.pop()
    else if (found === '`' || (side >= 0 && side % 2 === 0)) open.push(found)
    else if (side > 0) {
      open.pop()
      if (open.length === 0 && !until) return to
    } else if (found === until && open.length === 0) return to - 1
  }
  return until && open.length === 0 && last === text.length ? last : undefined
}
