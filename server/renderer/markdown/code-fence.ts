// Code blocks: what generators write behind ``` (a title, lines to highlight, line numbers), the comments in the code that
// mark lines, and the lines that rustdoc hides. Marks are classes of lines, so that a copy of the code has none of them.
import type { Highlight } from './highlight.ts'
import { escapeHtml, unescapeHtml } from './html.ts'

type LineMark = 'mark' | 'add' | 'del' | 'focus' | 'error' | 'warning' | 'hidden'

interface FenceInfo {
  /** Empty if there is none. */
  language: string
  title: string | undefined
  /** The numbers of marked lines, counted from 1. */
  marks: Map<number, LineMark>
  /** The number of the first line, if lines have numbers. */
  firstNumber: number | undefined
}

const value = String.raw`(?:\{?"([^"]*)"\}?|\{?'([^']*)'\}?|\{([^{}]*)\}|([^\s{},]+))`
const setting = new RegExp(String.raw`(?:^|[\s,{:])([\w:-]+)=(?:\[([^\]]*)\]|${value})`, 'g')
const titleNames = new Set(['title', 'filename', 'file', 'name', 'label', 'caption'])
const lineSettings: Record<string, LineMark> = {
  ...{ hl_lines: 'mark', highlight: 'mark', mark: 'mark', lines: 'mark' },
  ...{ 'emphasize-lines': 'mark', ins: 'add', add: 'add', del: 'del', remove: 'del' },
  ...{ focus: 'focus', error: 'error' },
}
const maxMarkedLine = 10_000

/** `info`: what is written behind ```, without escapes. */
export function readFenceInfo(info: string): FenceInfo {
  const found: FenceInfo = {
    language: '',
    title: undefined,
    marks: new Map(),
    firstNumber: undefined,
  }
  let rest = info.slice(0, 2000).trim()
  // Pandoc and MkDocs: ``` { .python title="a.py" }
  const inBraces = /^\{[ \t]*\.([\w+#-]+)/.exec(rest)
  // Docusaurus, MyST: ```js:src/a.js
  const own =
    inBraces ?? /^([^\s{,:[=]+)(?:(?=[\s{,[]|:(?:no-)?line-numbers|$)|:(?=\S+\.\w))/.exec(rest)
  if (own && !own[0].includes('=')) {
    found.language = own[1] ?? ''
    rest = rest.slice(own[0].length)
    const path = own[0].endsWith(':') ? /^\S+/.exec(rest)?.[0] : undefined
    if (path) Object.assign(found, { title: path })
    rest = rest.slice(path?.length ?? 0)
  }
  rest = rest.replaceAll(setting, (_whole, name: string, ...values: (string | undefined)[]) => {
    setSetting(found, name, values.slice(0, 5).find((each) => each !== undefined) ?? '')
    return ' '
  })
  rest = rest.replaceAll(/\{([\d,\s-]+)\}/g, (_, lines: string) => {
    addLines(found.marks, lines, 'mark')
    return ' '
  })
  const numbers = /(?:^|\s|:)(?:showLineNumbers|linenums|numberLines|line-numbers|lines)\b/.test(
    rest,
  )
  if (numbers) found.firstNumber ??= 1
  rest = rest.replaceAll(/\{[^{}]*\}|\/[^/\s]+\/|"[^"]*"|:[\w-]+/g, ' ')
  found.title ??= /\[([^\]\n]{1,200})\]/.exec(rest)?.[1]?.trim() ?? bareTitle(rest)
  return found
}

function setSetting(found: FenceInfo, name: string, text: string): void {
  const mark = lineSettings[name]
  if (titleNames.has(name)) found.title ??= text.trim()
  else if (mark && /^[\d,\s"'-]*$/.test(text)) addLines(found.marks, text, mark)
  else if (
    /^(?:linenums|linenostart|startLine|showLineNumbers|:?line-numbers|lineno-start)$/i.test(name)
  ) {
    found.firstNumber = /^\d{1,6}$/.test(text) ? Number(text) : 1
  } else if (name === 'linenos' && text !== 'false') found.firstNumber ??= 1
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

const comment = String.raw`(?://|#|--|;|%|'|<!--|/\*|\{/\*)`
const commentEnd = String.raw`[ \t]*(?:-->|\*/\}?)?[ \t]*$`
/** Docusaurus: a comment that is a line of its own. */
const lineComment = new RegExp(
  String.raw`^[ \t]*${comment}[ \t]*(highlight|error|focus)-(next-line|start|end)${commentEnd}`,
)
/** VitePress: behind the code, for this line or more. */
const codeComment = new RegExp(
  String.raw`[ \t]*${comment}[ \t]*\[!code[ \t]+([a-z+-]+)(?::[^\]\n]{1,40}?)??(?::(\d{1,4}))?\]${commentEnd}`,
)
const commentMarks: Record<string, LineMark> = {
  ...{ '++': 'add', '--': 'del', highlight: 'mark', hl: 'mark', focus: 'focus', error: 'error' },
  warning: 'warning',
}

interface Code {
  lines: string[]
  /** By index of the line. */
  marks: Map<number, LineMark>
}

/** Without the comments that mark lines. */
function readComments(code: string): Code {
  const lines: string[] = []
  const marks = new Map<number, LineMark>()
  const open = new Set<LineMark>()
  for (const line of code.split('\n')) {
    const isShort = line.length < 1000
    const whole = isShort && line.includes('-') ? lineComment.exec(line) : null
    if (whole) {
      const [, name = '', place] = whole
      const mark = commentMarks[name] ?? 'mark'
      if (place === 'next-line') marks.set(lines.length, mark)
      else if (place === 'start') open.add(mark)
      else open.delete(mark)
      continue
    }
    for (const mark of open) marks.set(lines.length, mark)
    const match = isShort && line.includes('[!code') ? codeComment.exec(line) : null
    const mark = match ? commentMarks[match[1] ?? ''] : undefined
    const text = match && (mark || match[1] === 'word') ? line.slice(0, match.index) : line
    // A line that is only the comment is about those after it.
    const isOwn = match !== null && text.trim() === ''
    const count = Number(match?.[2] ?? 1)
    for (let more = 0; mark && more < count; more += 1) marks.set(lines.length + more, mark)
    if (!isOwn) lines.push(text)
  }
  return { lines, marks }
}

/** Lines that begin with `# ` are compiled, but not shown, as in rustdoc and mdBook; `##` is `#`. */
function hideRustLines({ lines, marks }: Code): void {
  for (const [index, line] of lines.entries()) {
    const match = /^(\s*)#([# ]|$)(.*)$/.exec(line)
    if (!match) continue
    const [, indent = '', second, rest = ''] = match
    if (second !== '#') marks.set(index, 'hidden')
    lines[index] = second === '#' ? `${indent}#${rest}` : indent + rest
  }
}

/** Languages whose lines begin with a prompt, which is not copied. */
const consoles = /^(?:console|pycon|shell-?session|doctest|terminal)$/i

/** The HTML that some programs write for the colours of a console, as text. */
function withoutColours(code: string): string {
  return unescapeHtml(code.replaceAll(/<\/?(?:font|span|b|i|u)(?: [^<>\n]{0,200})?>/g, ''))
}

/** `isTitled`: its title is shown elsewhere. */
export function codeBlock(
  code: string,
  info: string,
  { highlight, isTitled = false }: { highlight: Highlight; isTitled?: boolean },
): string {
  const { firstNumber, language, marks: numbered, title } = readFenceInfo(info)
  const isConsole = consoles.test(language)
  const text = isConsole && /<(?:font|span) /.test(code) ? withoutColours(code) : code
  const read = readComments(text.replace(/\n+$/, ''))
  if (/^(?:rust|rs)$/i.test(language)) hideRustLines(read)
  for (const [line, mark] of numbered) read.marks.getOrInsert(line - 1, mark)
  const block = highlight(read.lines.join('\n'), language)
  const isMarked = read.marks.size > 0 || firstNumber !== undefined
  const content = isMarked ? markLines(block, read.marks, firstNumber) : block
  const name = isConsole ? 'code-block code-console' : 'code-block'
  const hasHidden = [...read.marks.values()].includes('hidden')
  const more = hasHidden
    ? '<label class="code-more"><input type="checkbox"> Show hidden lines</label>'
    : ''
  const whole =
    title && !isTitled
      ? `<figure class="${name}"><figcaption>${escapeHtml(title)}</figcaption>${content}${more}</figure>`
      : `<div class="${name}">${content}${more}</div>`
  // Drawn by a script of the theme.
  return /^\s*\{?mermaid\b/.test(info) ? `<div class="diagram">${whole}</div>` : whole
}

/** Each line of highlighted code is well-formed HTML. */
function markLines(block: string, marks: Map<number, LineMark>, first: number | undefined): string {
  const start = block.indexOf('<code>') + '<code>'.length
  const end = block.lastIndexOf('</code>')
  if (start < '<code>'.length || end < start) return block
  const lines = block.slice(start, end).split('\n')
  const hasFocus = [...marks.values()].includes('focus')
  let text = ''
  let number = first ?? 1
  for (const [index, line] of lines.entries()) {
    const mark = marks.get(index)
    const newline = index < lines.length - 1 ? '\n' : ''
    const count = first === undefined || mark === 'hidden' ? '' : ` data-line="${number++}"`
    if (mark === 'hidden') text += `<span class="line-hidden">${line}${newline}</span>`
    else if (mark || count) {
      const name = mark ? `line line-${mark}` : 'line'
      text += `<span class="${name}"${count}>${line}</span>${newline}`
    } else text += line + newline
  }
  const code = hasFocus ? '<code class="has-focus">' : '<code>'
  return block.slice(0, start - '<code>'.length) + code + text + block.slice(end)
}
