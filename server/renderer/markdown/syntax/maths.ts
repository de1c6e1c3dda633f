// Formulas in TeX, as MathML: `$a$`, `$$a$$`, `` $`a`$ `` and ```math of GitHub, `\(a\)`, `\[a\]` of MkDocs, with two
// backslashes in mdBook. They are read before anything else in them, so that emphasis and escapes leave them alone. Prices,
// variables and escaped brackets stay text. MathML is safe by construction: temml escapes text, and knows no addresses here.
import type { MarkdownIt as Parser, StateBlock, StateInline } from 'markdown-it'
import temml from 'temml'
import { matchAt } from './inline-syntax.ts'
import { interrupting, isIndented, textOfLine } from './source-lines.ts'

interface Env {
  note?: (kind: 'unknown_syntax', what: string, line?: number) => void
  formulas?: number
}

const maxLength = 5000
const maxHtmlLength = 100_000
/** On one page. Further ones are shown as source. */
const maxFormulas = 5000

/** `put` inserts HTML that is not sanitised. */
export function addMaths(md: Parser, put: (html: string, tag?: 'div' | 'span') => string): void {
  md.inline.ruler.before('escape', 'formula', inlineFormula)
  md.block.ruler.before('fence', 'formula_block', formulaBlock, interrupting)
  md.core.ruler.after('block', 'formula_fences', ({ tokens }) => {
    for (const token of tokens) {
      if (token.type === 'fence' && /^\{?math\}?\s*$/.test(token.info)) token.type = 'formula'
    }
  })
  md.renderer.rules.formula = (tokens, index, _options, env) => {
    const { block = false, content = '', map, meta } = tokens[index] ?? {}
    const isDisplay = block || meta?.isDisplay === true
    const tag = block ? 'div' : 'span'
    const html = toMathMl(content, isDisplay, env as Env, map?.[0])
    const shown = html && isDisplay ? `<${tag} class="formula">${html}</${tag}>` : html
    const code = `<code>${md.utils.escapeHtml(content)}</code>`
    const pre = `<div class="code-block"><pre class="code" tabindex="0">${code}</pre></div>`
    return put(shown ?? (block ? pre : code), tag) + (block ? '\n' : '')
  }
}

/** Undefined if it cannot be rendered. */
function toMathMl(tex: string, displayMode: boolean, env: Env, line?: number): string | undefined {
  env.formulas = (env.formulas ?? 0) + 1
  try {
    if (tex.length > maxLength || env.formulas > maxFormulas) throw new Error('too long')
    const options = { displayMode, throwOnError: true, trust: false, maxExpand: 500 }
    const html = temml.renderToString(tex.trim(), { ...options, maxSize: [20, 100] })
    if (html.length > maxHtmlLength) throw new Error('too long')
    return withoutStyles(html)
  } catch {
    env.note?.('unknown_syntax', `formula ${tex.trim().slice(0, 60)}`, line)
    return undefined
  }
}

/** Pages have no style attributes. Colours have attributes of their own. */
function withoutStyles(html: string): string {
  return html
    .replaceAll(/ style="([^"]*)"/g, (_, style: string) => {
      const colour = /(?:^|;)color:(#[\da-f]{3,8}|[a-z]{3,20})/i.exec(style)?.[1]
      const border = style.includes('border:') ? ' class="tml-border"' : ''
      return (colour ? ` mathcolor="${colour}"` : '') + border
    })
    .replaceAll(/ class="(?!tml-(?:right|left|border)")[^"]*"/g, '')
}

/** Only a command or an exponent makes `\(a\)` a formula: elsewhere these are brackets. */
const isTex = (content: string) => /\\[a-zA-Z]{2,}|[\^_]\{|[^\s]\^/.test(content)

/** As on GitHub: not in a word, no space inside, and no digit, as of a price, behind it. */
const inline = new RegExp(
  [
    /(?<!\$)\$\$(?<tex>(?:(?!\$\$)[\s\S]){1,5000})\$\$(?![\p{L}\p{N}_$])/u,
    /(?<![\p{L}\p{N}_$])\$`(?<tex>(?:(?!`\$)[\s\S]){1,5000})`\$(?![\p{L}\p{N}_$])/u,
    /(?<![\p{L}\p{N}_$])\$(?=\S)(?<tex>(?:[^$\\`]|\\[\s\S]){1,5000})(?<=\S)\$(?![\p{L}\p{N}_${(])/u,
    /(?<slash>\\{1,2})(?:\((?<tex>[\s\S]{1,1000}?)\k<slash>\)|\[(?<tex>[\s\S]{1,1000}?)\k<slash>\])/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'uy',
)

function inlineFormula(state: StateInline, silent: boolean): boolean {
  const match = /[$\\]/.test(state.src[state.pos] ?? '') ? matchAt(inline, state) : undefined
  const { slash, tex = '' } = match?.groups ?? {}
  if (!match || tex.trim() === '' || (slash && !isTex(tex))) return false
  const isDisplay = /^(?:\$\$|\\+\[)/.test(match[0])
  if (!silent) Object.assign(state.push('formula', '', 0), { content: tex, meta: { isDisplay } })
  state.pos += match[0].length
  return true
}

/** `$$` or `\[` at the start of a line, up to its end at the end of a line, where an ID may stand. */
const block =
  /^[ \t]*(?:\$\$(?<tex>(?:(?!\$\$)[\s\S]){1,5000})\$\$|(?<slash>\\{1,2})\[(?<tex>[\s\S]{1,5000}?)\k<slash>\])[ \t]*(?:\{#[\w:-]{1,100}\})?[ \t]*(?=\n|$)/u
const maxLines = 500

function formulaBlock(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  const isInside = (at: number) => state.isEmpty(at) || (state.sCount[at] ?? 0) >= state.blkIndent
  if (!/^(?:\$\$|\\)/.test(textOfLine(state, line)) || isIndented(state, line)) return false
  let end = line + 1
  while (end < endLine && end - line < maxLines && isInside(end)) end += 1
  const match = block.exec(state.getLines(line, end, state.blkIndent, false))
  const { slash, tex = '' } = match?.groups ?? {}
  if (!match || tex.trim() === '' || (slash && !isTex(tex))) return false
  if (silent) return true
  state.line = line + match[0].split('\n').length
  Object.assign(state.push('formula', '', 0), { content: tex, map: [line, state.line] })
  return true
}
