// Footnotes as on GitHub, `[^name]`, and `text^[an inline note]` of Pandoc. Their IDs are those of MkDocs and Hugo:
// `fn:name` and `fnref:name`, which no heading has.
import type { MarkdownIt as Parser, StateInline, Token } from 'markdown-it'
import footnotes from 'markdown-it-footnote'

interface Env {
  footnotes?: { refs?: Record<string, number> }
  /** Its notes have no IDs, because a page has several of them. */
  isFragment?: boolean
}

/** Further ones are text. */
const maxNotes = 1000

/** `mark` is the prefix of the renderer's own attributes. */
export function addFootnotes(md: Parser, mark: string): void {
  const known = new Set(md.block.ruler.getRules(''))
  md.use(footnotes)
  const define = md.block.ruler.getRules('').find((rule) => !known.has(rule))
  // The plugin copies the tokens of the page for each note.
  const rule: typeof define = (state, start, end, silent) => {
    const place = (state.bMarks[start] ?? 0) + (state.tShift[start] ?? 0)
    if (!state.src.startsWith('[^', place)) return false
    const refs = (state.env as Env).footnotes?.refs ?? {}
    return Object.keys(refs).length < maxNotes && define?.(state, start, end, silent) === true
  }
  md.block.ruler.at('footnote_def', rule, { alt: ['paragraph', 'reference'] })
  md.inline.ruler.before('footnote_inline', 'caret', caret)
  const { rules } = md.renderer
  const attributes = (all: Record<string, string>) =>
    Object.entries(all)
      .map(([name, value]) => ` ${mark}${name}="${md.utils.escapeHtml(value)}"`)
      .join('')
  rules.footnote_ref = (tokens, index, _options, env) => {
    const number = numberOf(tokens[index])
    if ((env as Env).isFragment) return `<sup>[${number}]</sup>`
    const link = {
      class: 'note-link',
      href: `#fn:${nameOf(tokens[index])}`,
      id: referenceOf(tokens[index]),
    }
    return `<sup><a${attributes(link)}>${number}</a></sup>`
  }
  rules.footnote_block_open = () =>
    `<section${attributes({ class: 'notes', 'aria-label': 'Footnotes' })}><ol>\n`
  rules.footnote_block_close = () => '</ol></section>\n'
  rules.footnote_open = (tokens, index, _options, env) =>
    (env as Env).isFragment ? '<li>' : `<li${attributes({ id: `fn:${nameOf(tokens[index])}` })}>`
  rules.footnote_anchor = (tokens, index, _options, env) => {
    if ((env as Env).isFragment) return ''
    const name = `Back to reference ${numberOf(tokens[index])}`
    const link = { class: 'note-back', href: `#${referenceOf(tokens[index])}`, 'aria-label': name }
    return ` <a${attributes(link)}>↩</a>`
  }
}

const numberOf = (token: Token | undefined) => Number(token?.meta?.id) + 1

function nameOf(token: Token | undefined): string {
  const label = String(token?.meta?.label ?? '')
  return /^[\p{L}\p{N}_.-]{1,100}$/u.test(label) ? label : `note:${numberOf(token)}`
}

/** The ID of a reference, of which a note may have more than one. */
function referenceOf(token: Token | undefined): string {
  const more = Number(token?.meta?.subId ?? 0)
  return `fnref${more > 0 ? more + 1 : ''}:${nameOf(token)}`
}

/** `^[a-z]` is a note only with words in it, directly behind what it is about. */
function caret(state: StateInline, silent: boolean): boolean {
  const { pos, src } = state
  if (!src.startsWith('^[', pos)) return false
  const isNote = /\S/.test(src[pos - 1] ?? ' ') && /^[^\]]*\s/.test(src.slice(pos, pos + 200))
  if (isNote) return false
  if (!silent) state.pending += '^'
  state.pos += 1
  return true
}
