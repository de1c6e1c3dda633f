// Reads a parsed page once for the report. It finds what readers would see of the syntax of a generator that was not understood:
// what is left of it in the text of a page outside of code, and HTML elements that are not published. And it finds the lines of
// links: their addresses are resolved in the finished HTML, which has no lines.
import type { Token } from 'markdown-it'
import type { Box, Note } from '../markdown/boxes.ts'
import { unescapeHtml } from '../markdown/html.ts'
import { fateOfElement } from '../markdown/sanitise.ts'

/** Stands for inline code and images in the text of a paragraph. */
const object = '\uFFFC'
/** Stands for `<` in text, which is not HTML. */
const less = '\uFFFB'

/** What is found, and how it is named: `§` is the group. Each is linear: bounded, or without a choice where it ends. */
const syntaxes: readonly [pattern: string, shown: string][] = [
  [String.raw`^[ \t]*(:{3,}[ \t]?[\w{-]{0,30})`, '§'],
  [String.raw`^[ \t]*((?:!!!|\?\?\?\+?) ?[\w-]{0,30})(?=[ \n]|$)`, '§'],
  [String.raw`^[ \t]*(===[!+]? ")`, '=== "…"'],
  [String.raw`^(==)[ \t]+\w`, '== …'],
  [String.raw`\{%[-+]?[ \t]*(\w{0,30})`, '{% § %}'],
  [String.raw`\{\{[<%${less}][ \t]*(/?[ \t]?[\w-]{1,40})`, '{{< § >}}'],
  [String.raw`\{\{#(\w{1,30})`, '{{#§}}'],
  [String.raw`(\{\{)(?=[^{}\n]{1,200}\}\})`, '{{ … }}'],
  ['(-{1,3}8<-{1,3})', '--8<--'],
  [String.raw`(\{!)(?=[^{}\n]{1,200}!\})`, '{!…!}'],
  [String.raw`^[ \t]*([<${less}]{3}[ \t]?[@./\w])`, '<<< …'],
  [String.raw`(\[\^[^\]\s]{1,60}\])`, '[^…]'],
  [String.raw`^[ \t]*(\*\[[^[\]\n]{1,60}\]:)`, '*[…]: …'],
  [String.raw`(?<![\w+])(\+\+)(?=["a-z\d][^\n+]{0,30}(?:\+[^\s+]{1,30}){0,9}\+\+)`, '++…++'],
  [String.raw`(\$\$)`, '$$…$$'],
  [String.raw`(?<![\w:/]):([a-z+-][a-z\d_+-]{1,50}):(?![\w:/])`, ':§:'],
  [String.raw`\{([a-z][\w:+-]{0,40})\}${object}`, '{§}`…`'],
  [String.raw`(\{:[ \t]?[.#\w])`, '{: …}'],
  [String.raw`(\{[ \t]?#[\p{L}\w])`, '{#…}'],
  [String.raw`(\{[ \t]?\.[a-z])`, '{.…}'],
  [String.raw`\{[ \t]?([a-z][\w-]{0,30})=["'\w](?=[^{}\n]{0,200}\})`, '{§=…}'],
  [String.raw`^(import)[ \t][^\n]{1,200}[ \t]from[ \t]+["']`, '§ … (JavaScript)'],
  [String.raw`^(export)[ \t]+(?:const|default|function|let)[ \t]`, '§ … (JavaScript)'],
  [String.raw`[<${less}]([A-Z][\w.]{0,60})(?=[ \t\n][^<>${less}]{0,300}=\{)`, '<§>'],
]
const anySyntax = new RegExp(syntaxes.map(([pattern]) => pattern).join('|'), 'gmu')

/** `at`: the index in the text. */
export function* rawSyntaxIn(text: string): Generator<{ what: string; at: number }> {
  for (const match of text.matchAll(anySyntax)) {
    const group = match.findIndex((found, i) => i > 0 && found !== undefined)
    const [, shown = ''] = syntaxes[group - 1] ?? []
    yield { what: shown.replace('§', () => match[group]?.trim() ?? ''), at: match.index }
  }
}

type AddLink = (href: unknown, line: number) => void

/** Returns the lines of each address, which count from 0: the nth link to it in the HTML of the page is the nth here. */
export function readTokens(tokens: readonly Token[], note: Note): Map<string, number[]> {
  const links = new Map<string, number[]>()
  const addLink: AddLink = (href, at) => {
    if (href) links.getOrInsertComputed(String(href), () => []).push(at)
  }
  let line = 0
  for (const { children, content, info, map, meta, type } of tokens) {
    // Cells have the line of their row.
    line = map?.[0] ?? line
    addLink((meta?.box as Box | undefined)?.href, line)
    // A directive of MyST, not the language of code.
    const directive =
      type === 'fence' &&
      /^\s*\{(?!(?:code(?:-block)?|mermaid)\})([a-z][\w:+-]*)\}/i.exec(info)?.[1]
    if (directive && !meta?.isLiteral) note('unknown_syntax', `\`\`\`{${directive}}`, line)
    let text = type === 'html_block' ? content : ''
    let breaks = 0
    for (const child of (type === 'inline' && children) || []) {
      addLink(child.attrGet('href') ?? child.attrGet('src'), line + breaks)
      const written = writtenAs(child)
      breaks += written.split('\n').length - 1
      text += written
    }
    readHtml(text, line, addLink, meta?.isLiteral ? () => {} : note)
  }
  return links
}

function writtenAs({ content, type }: Token): string {
  if (type === 'text') return content.replaceAll('<', less)
  if (type === 'html_inline') return content
  if (type === 'softbreak' || type === 'hardbreak') return '\n'
  return type === 'code_inline' || type === 'image' ? object : ''
}

/** A tag or the bounds of a comment. */
const tags = /<!--|-->|<(\/?)([a-z][\w.:-]*)(?:"[^"<]*"|'[^'<]*'|[^"'<>])*>/gi
const address = /\s(?:href|src|poster)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi
/** Removed, but not text for readers. */
const silent = new Set(['script', 'style', 'title', 'template', 'noscript', 'option'])
const unread = new Set(['pre', 'code', 'script', 'style', 'textarea', 'svg', 'math'])

/** Text that may have HTML, and its first line. */
function readHtml(html: string, first: number, addLink: AddLink, note: Note): void {
  let [line, counted] = [first, 0]
  /** Of ascending indexes. */
  const lineAt = (index: number): number => {
    line += html.slice(counted, index).split('\n').length - 1
    counted = index
    return line
  }
  let unreadUntil: string | undefined
  let end = 0
  const checkText = (text: string) => {
    if (unreadUntil !== undefined) return
    for (const { at, what } of rawSyntaxIn(text)) note('unknown_syntax', what, lineAt(end + at))
  }
  for (const { 0: tag, 1: slash, 2: name = '', index } of html.matchAll(tags)) {
    checkText(html.slice(end, index))
    end = index + tag.length
    const tagLine = lineAt(index)
    for (const { 0: whole, index: at, ...values } of tag.matchAll(address)) {
      addLink(unescapeHtml(values[1] ?? values[2] ?? values[3] ?? ''), lineAt(index + at + 1))
    }
    const element = name.toLowerCase()
    if (unreadUntil !== undefined) {
      if (unreadUntil === (name ? `/${element}` : tag) && (slash || !name)) unreadUntil = undefined
      continue
    }
    if (tag === '<!--') unreadUntil = '-->'
    if (!name || slash) continue
    const fate = fateOfElement(element)
    if (fate === 'removed' && !silent.has(element)) note('removed_element', `<${name}>`, tagLine)
    // HTML's own elements lose only their look.
    if (fate === 'unwrapped' && /[A-Z-]/.test(name)) note('unknown_component', `<${name}>`, tagLine)
    if (unread.has(element) && !tag.endsWith('/>')) unreadUntil = `/${element}`
  }
  checkText(html.slice(end))
}
