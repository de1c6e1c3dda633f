// Finds what readers would see of the syntax of a generator that was not understood: what is left of it in the text of a page
// outside of code, and HTML elements that are not published. It runs last over the parsed page, so that whatever no rule has
// taken is in the report. One pass over the text.
import type { MarkdownIt, Token } from 'markdown-it'
import type { MarkdownEnv, Note } from '../markdown/boxes.ts'
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
  [String.raw`\{%[-+]?[ \t]*(\w{0,30})`, '{% § %}'],
  [String.raw`\{\{[<%${less}][ \t]*(/?[ \t]?[\w-]{1,40})`, '{{< § >}}'],
  [String.raw`\{\{#(\w{1,30})`, '{{#§}}'],
  [String.raw`(\{\{)(?=[^{}\n]{1,200}\}\})`, '{{ … }}'],
  ['(-{1,3}8<-{1,3})', '--8<--'],
  [String.raw`(\{!)(?=[^{}\n]{1,200}!\})`, '{!…!}'],
  [String.raw`^[ \t]*([<${less}]{3}[ \t]?[@./\w])`, '<<< …'],
  [String.raw`(\[\^[^\]\s]{1,60}\])`, '[^…]'],
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

/** To be called after all other rules were added. */
export function checkRawSyntax(md: MarkdownIt): void {
  md.core.ruler.push('raw_syntax', ({ env, tokens }) => {
    const { note } = env as MarkdownEnv
    let line = 0
    for (const token of note ? tokens : []) {
      // Cells have the line of their row.
      line = token.map?.[0] ?? line
      if (note) checkToken(token, line, note)
    }
  })
}

function checkToken(token: Token, line: number, note: Note): void {
  if (token.meta?.isLiteral) return
  if (token.type === 'inline') checkInline(token.children ?? [], line, note)
  else if (token.type === 'html_block') checkHtml(token.content, line, note)
  else if (token.type === 'fence') {
    // A directive of MyST, not the language of code.
    const name = /^\{([a-z][\w:+-]*)\}/i.exec(token.info.trim())?.[1]
    if (name !== undefined) note('syntax', `\`\`\`{${name}}`, line)
  }
}

function checkInline(children: Token[], line: number, note: Note): void {
  const text = children.map(({ content, type }) => {
    if (type === 'text') return content.replaceAll('<', less)
    if (type === 'html_inline') return content
    if (type === 'softbreak' || type === 'hardbreak') return '\n'
    return type === 'code_inline' || type === 'image' ? object : ''
  })
  checkHtml(text.join(''), line, note)
}

/** A tag or the bounds of a comment. */
const tags = /<!--|-->|<(\/?)([a-z][\w.:-]*)(?:"[^"<]*"|'[^'<]*'|[^"'<>])*>/gi
/** Removed, but not text for readers. */
const silent = new Set(['script', 'style', 'title', 'template', 'noscript', 'option'])
const unread = new Set(['pre', 'code', 'script', 'style', 'textarea', 'svg', 'math'])

/** Text that may have HTML. */
function checkHtml(html: string, first: number, note: Note): void {
  const lineAt = createLineCounter(html)
  let unreadUntil: string | undefined
  let end = 0
  const checkText = (text: string, start: number) => {
    if (unreadUntil !== undefined) return
    for (const { at, what } of rawSyntaxIn(text)) {
      note('syntax', what, first + lineAt(start + at))
    }
  }
  for (const { 0: tag, 1: slash, 2: name = '', index } of html.matchAll(tags)) {
    checkText(html.slice(end, index), end)
    end = index + tag.length
    const element = name.toLowerCase()
    if (unreadUntil !== undefined) {
      if (unreadUntil === (name ? `/${element}` : tag) && (slash || !name)) unreadUntil = undefined
      continue
    }
    if (tag === '<!--') unreadUntil = '-->'
    if (!name || slash) continue
    const fate = fateOfElement(element)
    const line = first + lineAt(index)
    if (fate === 'removed' && !silent.has(element)) note('removed', `<${name}>`, line)
    // HTML's own elements lose only their look.
    if (fate === 'unwrapped' && /[A-Z-]/.test(name)) note('component', `<${name}>`, line)
    if (unread.has(element) && !tag.endsWith('/>')) unreadUntil = `/${element}`
  }
  checkText(html.slice(end), end)
}

/** The number of line breaks before each of ascending indexes. */
function createLineCounter(text: string): (index: number) => number {
  let lines = 0
  let next = text.indexOf('\n')
  return (index) => {
    while (next >= 0 && next < index) {
      lines++
      next = text.indexOf('\n', next + 1)
    }
    return lines
  }
}
