// Footnotes as on GitHub, `[^name]`, and `text^[an inline note]` of Pandoc. Their IDs are those of MkDocs and Hugo:
// `fn:name` and `fnref:name`, which no heading has.
import type { MarkdownIt as Parser, Token } from 'markdown-it'
import footnotes from 'markdown-it-footnote'
import { type BlockRule, ruleOf, textOfLine } from './source-lines.ts'

interface Env {
  footnotes?: { refs?: Record<string, number> }
  /** In a text that is not a page, the IDs of notes have this prefix, because a page has several of them. */
  tabPrefix?: string
}

/** Further ones are text. */
const maxNotes = 1000

/** `mark` is the prefix of the renderer's own attributes. */
export function addFootnotes(md: Parser, mark: string): void {
  md.use(footnotes)
  const define = ruleOf(md, 'footnote_def')
  // The plugin copies the tokens of the page for each note.
  const rule: BlockRule = (state, start, end, silent) => {
    if (!textOfLine(state, start).startsWith('[^')) return false
    const refs = (state.env as Env).footnotes?.refs ?? {}
    return Object.keys(refs).length < maxNotes && define(state, start, end, silent)
  }
  md.block.ruler.at('footnote_def', rule, { alt: ['paragraph', 'reference'] })
  const htmlOf: Record<string, (note: ReturnType<typeof noteOf>) => string> = {
    footnote_ref: ({ name, number, reference }) =>
      `<sup><a @class="note-link" @href="#fn:${name}" @id="${reference}">${number}</a></sup>`,
    footnote_block_open: () => '<section @class="notes" @aria-label="Footnotes"><ol>\n',
    footnote_block_close: () => '</ol></section>\n',
    footnote_open: ({ name }) => `<li @id="fn:${name}">`,
    footnote_anchor: ({ number, reference }) =>
      ` <a @class="note-back" @href="#${reference}" @aria-label="Back to reference ${number}">↩</a>`,
  }
  for (const [type, write] of Object.entries(htmlOf)) {
    md.renderer.rules[type] = (tokens, index, _options, env) =>
      write(noteOf(tokens[index], env as Env)).replaceAll(' @', ` ${mark}`)
  }
}

/** `reference`: the ID of this reference to it, of which there may be more. */
function noteOf(token: Token | undefined, { tabPrefix = '' }: Env) {
  const { id, label = '', subId = 0 } = token?.meta ?? {}
  const number = Number(id) + 1
  const isName = /^[\p{L}\p{N}_.-]{1,100}$/u.test(String(label))
  const name = tabPrefix + (isName ? label : `note:${number}`)
  return { name, number, reference: `fnref${Number(subId) > 0 ? Number(subId) + 1 : ''}:${name}` }
}
