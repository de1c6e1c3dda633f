// Lines of code: neither blank nor only comment. A line that has code beside a comment counts.
const hashComments = /\.sh$|^[^.]*$/

/** The lines of code of a file's text, by the syntax of its name. Strings are not parsed: a comment begins a line. */
export function countLines(path: string, text: string): number {
  const name = path.split('/').at(-1) ?? ''
  const [line, open, close] = hashComments.test(name)
    ? ['#']
    : name.endsWith('.sql')
      ? ['--', '/*', '*/']
      : name.endsWith('.html')
        ? ['<!--', '<!--', '-->']
        : name.endsWith('.css')
          ? ['/*', '/*', '*/']
          : ['//', '/*', '*/']
  let count = 0
  let isComment = false
  for (const raw of text.split('\n')) {
    // A comment among the elements of JSX.
    let rest = raw
      .trim()
      .replace(/^\{\/\*/, '/*')
      .replace(/\*\/\}$/, '*/')
    if (!isComment && open && rest.startsWith(open)) isComment = true
    if (isComment && close) {
      const end = rest.indexOf(close)
      if (end < 0) continue
      isComment = false
      rest = rest.slice(end + close.length).trim()
    }
    if (rest !== '' && !rest.startsWith(line ?? '#')) count++
  }
  return count
}
