// Formulas in TeX, as MathML: `$a$`, `$$a$$`, `` $`a`$ `` and ```math of GitHub, `\(a\)`, `\[a\]` of MkDocs, with two
// backslashes in mdBook. They are read before anything else in them, so that emphasis and escapes leave them alone. Prices,
// variables and escaped brackets stay text. MathML is safe by construction: temml escapes text, and knows no addresses here.
import type { MarkdownIt as Parser, StateBlock, StateInline, Token } from 'markdown-it'
import temml from 'temml'

interface Env {
  note?: (kind: 'syntax', what: string, line?: number) => void
  formulas?: number
}

const maxLength = 5000
const maxHtmlLength = 100_000
/** On one page. Further ones are shown as source. */
const maxFormulas = 5000

/** `put` inserts HTML that is not sanitised. */
export function addMaths(md: Parser, put: (html: string, tag?: 'span') => string): void {
  const alt = ['paragraph', 'reference', 'blockquote', 'list']
  md.inline.ruler.before('escape', 'formula', inlineFormula)
  md.block.ruler.before('fence', 'formula_block', formulaBlock, { alt })
  md.renderer.rules.formula = (tokens, index, _options, env) => {
    const { content = '', map, meta } = tokens[index] ?? {}
    const isDisplay = meta?.isDisplay === true
    const html = toMathMl(content, isDisplay, env as Env, map?.[0])
    const code = `<code>${md.utils.escapeHtml(content)}</code>`
    if (!isDisplay) return html === undefined ? code : put(html, 'span')
    if (meta?.isInline)
      return html === undefined ? code : put(`<span class="formula">${html}</span>`, 'span')
    return html === undefined
      ? `${put(`<div class="code-block"><pre class="code" tabindex="0">${code}</pre></div>`)}\n`
      : `${put(`<div class="formula">${html}</div>`)}\n`
  }
  const fence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index]
    if (!token || !/^\{?math\}?\s*$/.test(token.info))
      return fence?.(tokens, index, options, env, self) ?? ''
    token.meta = { isDisplay: true }
    return md.renderer.rules.formula?.(tokens, index, options, env, self) ?? ''
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
    env.note?.('syntax', `formula ${tex.trim().slice(0, 60)}`, line)
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
    .replaceAll(/ class="(?!tml-(?:right|left|jot|border)")[^"]*"/g, '')
}

/** Only a command or an exponent makes `\(a\)` a formula: elsewhere these are brackets. */
const isTex = (content: string) => /\\[a-zA-Z]{2,}|[\^_]\{|[^\s]\^/.test(content)
const isWordAt = (text: string, position: number) => /[\p{L}\p{N}_]/u.test(text[position] ?? '')

interface Found {
  content: string
  end: number
  isDisplay: boolean
}

function inlineFormula(state: StateInline, silent: boolean): boolean {
  const { pos, src } = state
  const sign = src[pos]
  const found = sign === '$' ? inDollars(state) : sign === '\\' ? inBrackets(state) : undefined
  if (!found || found.content.trim() === '') return false
  if (!silent) {
    const token = state.push('formula', '', 0)
    token.content = found.content
    token.meta = { isDisplay: found.isDisplay, isInline: true }
  }
  state.pos = found.end
  return true
}

/** As on GitHub: not in a word, no space inside, and no digit, as of a price, behind it. */
function inDollars({ pos, posMax, src }: StateInline): Found | undefined {
  const sign = src.startsWith('$$', pos) ? '$$' : src.startsWith('$`', pos) ? '$`' : '$'
  if ((sign !== '$$' && isWordAt(src, pos - 1)) || src[pos - 1] === '$') return undefined
  const closing = sign === '$`' ? '`$' : sign
  const start = pos + sign.length
  const limit = Math.min(posMax, start + maxLength)
  let end = src.slice(start, limit).indexOf(closing)
  while (end > 0 && sign === '$' && src[start + end - 1] === '\\') {
    const next = src.slice(start, limit).indexOf(closing, end + 1)
    if (next < 0 || next > end + 1000) return undefined
    end = next
  }
  if (end <= 0) return undefined
  const content = src.slice(start, start + end)
  const after = start + end + closing.length
  const isFormula =
    sign !== '$' ||
    (/^\S/.test(content) &&
      /\S$/.test(content) &&
      !content.includes('`') &&
      !/[{(]/.test(src[after] ?? ''))
  if (!isFormula || isWordAt(src, after) || src[after] === '$') return undefined
  return { content, end: after, isDisplay: sign === '$$' }
}

function inBrackets({ pos, posMax, src }: StateInline): Found | undefined {
  const opening = /^\\{1,2}[([]/.exec(src.slice(pos, pos + 3))?.[0]
  if (!opening) return undefined
  const closing = opening.replace('(', ')').replace('[', ']')
  const start = pos + opening.length
  const length = src.slice(start, Math.min(posMax, start + 1000)).indexOf(closing)
  const content = src.slice(start, start + Math.max(0, length))
  if (!isTex(content)) return undefined
  return { content, end: start + length + closing.length, isDisplay: closing.endsWith(']') }
}

/** `$$` or `\[` at the start of a line, up to its end at the end of a line. */
function formulaBlock(
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
): boolean {
  const { bMarks, blkIndent, eMarks, sCount, src, tShift } = state
  const start = (bMarks[startLine] ?? 0) + (tShift[startLine] ?? 0)
  const opening = /^(?:\$\$|\\{1,2}\[)/.exec(src.slice(start, start + 3))?.[0]
  if (!opening || (sCount[startLine] ?? 0) - blkIndent >= 4) return false
  const closing = opening.replace('[', ']')
  const from = start + opening.length
  const length = src.slice(from, from + maxLength).indexOf(closing)
  if (length < 0) return false
  let line = startLine
  while (line < endLine && (eMarks[line] ?? 0) < from + length + closing.length) {
    line += 1
    if ((sCount[line] ?? 0) < blkIndent && (bMarks[line] ?? 0) < (eMarks[line] ?? 0)) return false
  }
  const rest = src.slice(from + length + closing.length, eMarks[line])
  if (line >= endLine || !/^[ \t]*(?:\{#[\w:-]{1,100}\})?[ \t]*$/.test(rest)) return false
  const indented = state.getLines(startLine, line + 1, blkIndent, false).trim()
  const content = indented.slice(opening.length, indented.lastIndexOf(closing))
  if (content.trim() === '' || (closing !== '$$' && !isTex(content))) return false
  if (silent) return true
  const token: Token = state.push('formula', '', 0)
  Object.assign(token, {
    block: true,
    content,
    map: [startLine, line + 1],
    meta: { isDisplay: true },
  })
  state.line = line + 1
  return true
}
