// Inline syntax that CommonMark lacks: GitHub's bare addresses, single tildes and emoji, and ==marks==, H~2~O and x^2^ of
// MkDocs, Hugo and others. What could be text for readers of GitHub stays text: a mark does not begin inside a word, and
// subscript is directly behind one.
import type { MarkdownIt as Parser, StateInline, Token } from 'markdown-it'
import emoji from 'markdown-it-emoji/lib/data/full.mjs'
import marks from 'markdown-it-mark'
import subscript from 'markdown-it-sub'
import superscript from 'markdown-it-sup'

export function addInlineSyntax(md: Parser): void {
  addAutolinks(md)
  md.use(marks).use(subscript).use(superscript)
  md.inline.ruler.before('mark', 'equals', asText(/(?<=[\p{L}\p{N}])==+(?=[\p{L}\p{N}])/uy))
  md.inline.ruler.before('footnote_inline', 'caret', asText(noNote))
  md.inline.ruler.before('sub', 'single_tilde', singleTilde)
  md.core.ruler.after('text_join', 'emoji', ({ tokens }) => {
    for (const { children, content } of tokens) {
      if (/:|#!/.test(content)) for (const child of children ?? []) replaceNames(child)
    }
  })
}

const maxAddressLength = 2000

/** Bare addresses as in section 6.9 of GitHub's specification: `www.`, http and https, mail. `name@1.2.3` is a version. */
function addAutolinks(md: Parser): void {
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: true, fuzzyIP: false })
  md.linkify.add('www.', {
    validate(text, position, linkify) {
      const address = `http://${text.slice(position, position + maxAddressLength)}`
      return Math.max(0, linkify.testSchemaAt(address, 'http:', 5) - '//'.length)
    },
    normalize(match) {
      match.url = `http://${match.url}`
    },
  })
  const { validateLink } = md
  md.validateLink = (url) => !/^mailto:[^@]*@v?\d+\.\d/.test(url) && validateLink(url)
}

/** `^[a-z]` is a note only with words in it, directly behind what it is about. */
const noNote = /(?:(?<!\S)\^|\^(?!\[[^\]]{0,200}\s))(?=\[)/uy

/** A rule for signs that are text here. */
const asText = (pattern: RegExp) => (state: StateInline, silent: boolean) => {
  const signs = matchAt(pattern, state)?.[0] ?? ''
  if (!silent) state.pending += signs
  state.pos += signs.length
  return signs !== ''
}

/** A match of a sticky expression where the rule stands. */
export function matchAt(pattern: RegExp, state: StateInline): RegExpExecArray | undefined {
  pattern.lastIndex = state.pos
  const match = pattern.exec(state.src)
  return match && state.pos + match[0].length <= state.posMax ? match : undefined
}

/** Directly behind a letter or a digit it is a subscript, as in `H~2~O`. */
const tildes = /(?<![\p{L}\p{N}~])~(?=[^\s~])[^~]{0,1000}(?<=\S)~(?!~)/uy

/** `~removed~`, as on GitHub. */
function singleTilde(state: StateInline, silent: boolean): boolean {
  const { pos, posMax } = state
  const match = silent ? undefined : matchAt(tildes, state)
  if (!match) return false
  const end = pos + match[0].length
  state.push('s_open', 's', 1)
  Object.assign(state, { pos: pos + 1, posMax: end - 1 })
  state.md.inline.tokenize(state)
  Object.assign(state, { pos: end, posMax })
  state.push('s_close', 's', -1)
  return true
}

const emojiNames = new Map<string, string>(Object.entries(emoji))
const shortcode = /(?<![\w:]):([\w+-]{1,40}):(?!:)/g
/** Names of the icons of MkDocs Material, which are decoration, with their attributes. */
const icon = /:(?:material|octicons|fontawesome|simple)-[a-z0-9-]+:(?:\{[^{}\n]*\})?[ \t]?/g

function replaceNames(token: Token): void {
  // MkDocs: the language of the code, as in `#!py a = 1`.
  if (token.type === 'code_inline')
    token.content = token.content.replace(/^#![a-z][\w+-]* (?=\S)/, '')
  if (token.type !== 'text') return
  const written = token.content.replaceAll(icon, '')
  const shown = (whole: string, name: string) => emojiNames.get(name) ?? whole
  token.content = written.replaceAll(shortcode, shown)
  if (token.content !== written) token.meta = { written }
}
