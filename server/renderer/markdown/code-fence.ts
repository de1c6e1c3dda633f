// Code blocks: what generators write behind ``` (a title, lines to highlight, line numbers), the comments in the code that
// mark lines, and the lines that rustdoc hides. Marks are classes of lines, so that a copy of the code has none of them.
import type { Highlight } from './highlight.ts'
import { escapeHtml, unescapeHtml } from './html.ts'

type LineMark = keyof typeof namesOfMarks | 'hidden'

/** In settings of blocks, and in comments for lines. */
const namesOfMarks = {
  mark: 'hl_lines highlight hl mark lines emphasize-lines',
  add: 'ins add ++',
  del: 'del remove --',
  focus: 'focus',
  error: 'error',
  warning: 'warning',
}
const lineMarks = new Map(
  Object.entries(namesOfMarks).flatMap(([mark, names]) =>
    names.split(' ').map((name) => [name, mark as LineMark]),
  ),
)

/** A language; that of Pandoc and MkDocs, { .python title="a.py" }; of MyST, {code-block} python; and with a path, js:src/a.js. */
const opening =
  /^(?:\{code(?:-block)?\}[ \t]+)?(?:\{[ \t]*\.(?<braced>[\w+#-]+)|(?<bare>[^\s{,:[=]+)(?:(?=[\s{,[]|:(?:no-)?line-numbers|$)|:(?<path>\S+\.\w\S*)))/
const setting =
  /(?:^|[\s,{:])([\w:-]+)=(?:\[([^\]]*)\]|\{?"([^"]*)"\}?|\{?'([^']*)'\}?|\{([^{}]*)\}|([^\s{},]+))/g
const titleNames = /^(?:title|filename|file|name|label|caption)$/
const numberNames =
  /^(?:linenums|linenos|linenostart|startLine|showLineNumbers|:?line-numbers|lineno-start)$/i
const maxMarkedLine = 10_000

/** `info`: what is written behind ```, without escapes. Lines are counted from 1. */
export function readFenceInfo(info: string) {
  const written = info.slice(0, 2000).trim()
  const start = opening.exec(written)
  const { bare = '', braced: language = bare, path } = start?.groups ?? {}
  let title: string | undefined = path
  /** The number of the first line, if lines have numbers. */
  let firstNumber: number | undefined
  const marks = new Map<number, LineMark>()
  const set = (name: string, text: string) => {
    const mark = lineMarks.get(name)
    if (titleNames.test(name)) title ??= text.trim()
    else if (mark && /^[\d,\s"'-]*$/.test(text)) addLines(marks, text, mark)
    else if (numberNames.test(name) && text !== 'false')
      firstNumber = /^\d{1,6}$/.test(text) ? Number(text) : (firstNumber ?? 1)
    return ' '
  }
  const words = written
    .slice(start?.[0].length)
    .replaceAll(setting, (_, name, ...values) => set(name, values.slice(0, 5).join('')))
    .replaceAll(/\{([\d,\s-]+)\}/g, (_, lines) => set('mark', lines))
  if (/(?:^|\s|:)(?:showLineNumbers|linenums|numberLines|line-numbers|lines)\b/.test(words))
    firstNumber ??= 1
  const rest = words.replaceAll(/\{[^{}]*\}|\/[^/\s]+\/|"[^"]*"|:[\w-]+/g, ' ')
  // The argument of a directive of MyST that is not understood.
  title ??= /^\{(?!code)[a-z][\w:+-]*\}[ \t]+(.+)$/i.exec(written)?.[1]
  title ??= /\[([^\]\n]{1,200})\]/.exec(rest)?.[1]?.trim() ?? bareTitle(rest)
  return { language, title, marks, firstNumber }
}

/** `1,3-5` and `1 3-5`. */
function addLines(marks: Map<number, LineMark>, text: string, mark: LineMark): void {
  for (const [, from, to] of text.matchAll(/(\d{1,6})(?:\s*-\s*(\d{1,6}))?/g)) {
    const last = Math.min(Number(to ?? from), maxMarkedLine)
    for (let line = Number(from); line <= last; line += 1) marks.set(line, mark)
  }
}

/** Mintlify: ```js src/a.js, ```bash Terminal. Lower-case words without a dot are settings of generators. */
function bareTitle(rest: string): string | undefined {
  const words = rest.replaceAll(/[,{}[\]]/g, ' ').trim()
  const isTitle =
    /^[\p{Lu}][^=]{0,100}$/u.test(words) || /^[\w@.-]*[\w/@.-]*\.\w{1,10}$/.test(words)
  return isTitle && words !== '' ? words : undefined
}

/** A comment for this line, or those after it if it is a line of its own: of Docusaurus, which always is one, and VitePress. */
const markComment = new RegExp(
  [
    String.raw`[ \t]*(?://|#|--|;|%|'|<!--|/\*|\{/\*)[ \t]*`,
    '(?:(?<part>highlight|error|focus)-(?<place>next-line|start|end)',
    String.raw`|\[!code[ \t]+(?<name>[a-z+-]+)(?::[^\]\n]{1,40}?)??(?::(?<count>\d{1,4}))?\])`,
    String.raw`[ \t]*(?:-->|\*/\}?)?[ \t]*$`,
  ].join(''),
)
/** In Rust, such lines are compiled, but not shown, as in rustdoc and mdBook; `##` is `#`. */
const hiddenLine = /^(\s*)#([# ]|$)(.*)$/

/** Without the comments that mark lines, which are by their index. */
function readLines(code: string, isRust: boolean) {
  const lines: string[] = []
  const marks = new Map<number, LineMark>()
  const open = new Set<LineMark>()
  for (const line of code.split('\n')) {
    const mayMark = line.length < 1000 && /-(?:next-line|start|end)|\[!code/.test(line)
    const match = mayMark ? markComment.exec(line) : null
    const { count = 1, name = '', part = name, place } = match?.groups ?? {}
    const before = line.slice(0, match?.index)
    const isOwn = match !== null && before.trim() === ''
    // Words in lines are not marked.
    const isMark = (lineMarks.has(part) || part === 'word') && (place === undefined || isOwn)
    const mark = isMark ? lineMarks.get(part) : undefined
    if (mark && place === 'start') open.add(mark)
    else if (mark && place === 'end') open.delete(mark)
    else if (mark)
      for (let more = 0; more < Number(count); more += 1) marks.set(lines.length + more, mark)
    if (isMark && isOwn) continue
    for (const each of open) marks.getOrInsert(lines.length, each)
    const text = isMark ? before : line
    const [, indent, second, rest] = (isRust && hiddenLine.exec(text)) || []
    if (second !== undefined && second !== '#') marks.set(lines.length, 'hidden')
    lines.push(second === undefined ? text : `${indent}${second.trim()}${rest}`)
  }
  return { lines, marks }
}

/** Languages whose lines begin with a prompt, which is not copied. */
const consoles = /^(?:console|pycon|shell-?session|doctest|terminal)$/i

/** `isTitled`: its title is shown elsewhere. */
export function codeBlock(
  code: string,
  info: string,
  { highlight, isTitled = false }: { highlight: Highlight; isTitled?: boolean },
): string {
  const { firstNumber, language, marks: numbered, title } = readFenceInfo(info)
  const isConsole = consoles.test(language)
  // The HTML that some programs write for the colours of a console.
  const isColoured = isConsole && /<(?:font|span) /.test(code)
  const text = isColoured
    ? unescapeHtml(code.replaceAll(/<\/?(?:font|span|b|i|u)(?: [^<>\n]{0,200})?>/g, ''))
    : code
  const { lines, marks } = readLines(text.replace(/\n+$/, ''), /^(?:rust|rs)$/i.test(language))
  for (const [line, mark] of numbered) marks.getOrInsert(line - 1, mark)
  const block = markLines(highlight(lines.join('\n'), language), marks, firstNumber)
  const more = [...marks.values()].includes('hidden')
    ? '<label class="code-more"><input type="checkbox"> Show hidden lines</label>'
    : ''
  const name = isConsole ? 'code-block code-console' : 'code-block'
  const whole =
    title && !isTitled
      ? `<figure class="${name}"><figcaption>${escapeHtml(title)}</figcaption>${block}${more}</figure>`
      : `<div class="${name}">${block}${more}</div>`
  // Drawn by a script of the theme.
  return /^\s*\{?mermaid\b/.test(info) ? `<div class="diagram">${whole}</div>` : whole
}

/** Each line of highlighted code is well-formed HTML. */
function markLines(block: string, marks: Map<number, LineMark>, first: number | undefined): string {
  if (marks.size === 0 && first === undefined) return block
  const state = [...marks.values()].includes('focus') ? ' class="has-focus"' : ''
  let number = first ?? 1
  const marked = (line: string, index: number, { length }: string[]): string => {
    const mark = marks.get(index)
    const end = index < length - 1 ? '\n' : ''
    if (mark === 'hidden') return `<span class="line-hidden">${line}${end}</span>`
    const name = mark ? `line line-${mark}` : 'line'
    const count = first === undefined ? '' : ` data-line="${number++}"`
    return mark || count ? `<span class="${name}"${count}>${line}</span>${end}` : line + end
  }
  return block.replace(
    /<code>([\s\S]*)<\/code>/,
    (_, code: string) => `<code${state}>${code.split('\n').map(marked).join('')}</code>`,
  )
}
