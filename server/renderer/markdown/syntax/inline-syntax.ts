// Inline syntax that CommonMark lacks: GitHub's bare addresses, single tildes and emoji, and ==marks==, H~2~O, x^2^, keys
// (++ctrl+alt++) and abbreviations of MkDocs, Hugo and others. What could be text for readers of GitHub stays text: a mark
// does not begin inside a word, subscript is directly behind one, and only the names of keys are keys.
import type { MarkdownIt as Parser, StateBlock, StateInline, Token } from 'markdown-it'
import emoji from 'markdown-it-emoji/lib/data/full.mjs'
import marks from 'markdown-it-mark'
import subscript from 'markdown-it-sub'
import superscript from 'markdown-it-sup'
import { capital } from '../../sources/plain-text.ts'

/** `mark` is the prefix of the renderer's own attributes. */
export function addInlineSyntax(md: Parser, mark: string): void {
  addAutolinks(md)
  md.use(marks).use(subscript).use(superscript)
  md.inline.ruler.before('mark', 'equals', asText(/(?<=[\p{L}\p{N}])==+(?=[\p{L}\p{N}])/uy))
  md.inline.ruler.before('footnote_inline', 'caret', asText(noNote))
  md.inline.ruler.before('sub', 'single_tilde', singleTilde)
  md.inline.ruler.before('emphasis', 'keys', keys)
  md.core.ruler.after('text_join', 'names', ({ tokens }) => {
    for (const token of tokens) {
      if (!/:|#!/.test(token.content)) continue
      if (token.type === 'html_block') token.content = token.content.replaceAll(iconName, '')
      token.children?.forEach((child, index, all) => {
        replaceNames(child, all[index - 1]?.content)
      })
    }
  })
  addAbbreviations(md)
  md.renderer.rules.keys = (tokens, index) =>
    (tokens[index]?.content ?? '')
      .split('+')
      .map((key) => `<kbd>${md.utils.escapeHtml(nameOfKey(key))}</kbd>`)
      .join(`<span ${mark}class="keys-plus">+</span>`)
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

/** Keys whose label is their name. */
const namedKeys = [
  ...'alt backspace caps-lock cmd ctrl del delete end enter esc escape fn home ins'.split(' '),
  ...'insert meta option page-down page-up pause print-screen return shift space super'.split(' '),
  ...['tab', 'win'],
]
const keyNames = new Map([
  ...namedKeys.map((name) => [name, name.split('-').map(capital).join(' ')] as const),
  ...Object.entries({ command: 'Cmd', control: 'Ctrl', windows: 'Win' }),
  ...Object.entries({ up: '↑', down: '↓', left: '←', right: '→', plus: '+', minus: '-' }),
  ...Object.entries({ comma: ',', period: '.', slash: '/', backslash: '\\', grave: '`' }),
])
const keyed = /(?<![\p{L}\p{N}])\+\+((?:"[^"\n+]{1,30}"|[a-z0-9-]{1,20}|\+(?!\+)){1,20})\+\+/uy

const nameOfKey = (key: string): string =>
  keyNames.get(key.replace(/^arrow-/, '')) ?? key.replace(/^"|"$/g, '').toUpperCase()

/** `++ctrl+alt+"Own name"++` of MkDocs. */
function keys(state: StateInline, silent: boolean): boolean {
  const [whole = '', names = ''] = matchAt(keyed, state) ?? []
  const isKey = (key: string) =>
    /^(?:".*"|[a-z0-9]|f\d\d?)$/.test(key) || keyNames.has(key.replace(/^arrow-/, ''))
  if (!names.split('+').every(isKey)) return false
  if (!silent) state.push('keys', '', 0).content = names
  state.pos += whole.length
  return true
}

const emojiNames = new Map<string, string>(Object.entries(emoji))
const shortcode = /(?<![\w:]):([\w+-]{1,40}):(?!:)/g
/** Names of the icons of MkDocs Material, which are decoration, with their attributes. */
const icon = /:(?:material|octicons|fontawesome|simple)-[a-z0-9-]+:(?:\{[^{}\n]*\})?[ \t]?/g
/** The name of an icon of GitBook: <i class="fa-check">:check:</i>. */
const iconName = /(?<=<i class="fa-[^<>]{0,100}>):[\w-]{1,60}:(?=<\/i>)/g

/** Slack and MkDocs: `man_raising_hand`. */
const emojiOf = (name: string) =>
  emojiNames.get(name) ?? emojiNames.get(name.replace(/^(woman|man)_(?:in_)?(.+)$/, '$2_$1'))

/** `before`: what the text stands directly behind. */
function replaceNames(token: Token, before = ''): void {
  // MkDocs: the language of the code, as in `#!py a = 1`.
  if (token.type === 'code_inline')
    token.content = token.content.replace(/^#![a-z][\w+-]* (?=\S)/, '')
  if (token.type !== 'text') return
  const text = before.startsWith('<i class="fa-')
    ? token.content.replace(/^:[\w-]+:$/, '')
    : token.content
  token.content = text
    .replaceAll(icon, '')
    .replaceAll(shortcode, (whole, name: string) => emojiOf(name) ?? whole)
}

/** Further ones are text. */
const maxAbbreviations = 500
const definition = /^\*\[([^[\]\n]{1,100})\]:[ \t]*(\S[^\n]*)$/

interface Abbreviations {
  /** What each means; both are escaped. */
  abbreviations?: Map<string, string>
  abbreviated?: RegExp
}

/** `*[HTML]: Hyper Text` explains each HTML of the page. */
function addAbbreviations(md: Parser): void {
  const { escapeHtml } = md.utils
  const define = (state: StateBlock, line: number, _end: number, silent: boolean): boolean => {
    const { bMarks, eMarks, src, tShift } = state
    const start = (bMarks[line] ?? 0) + (tShift[line] ?? 0)
    const match = src.startsWith('*[', start) && definition.exec(src.slice(start, eMarks[line]))
    const env = state.env as Abbreviations
    env.abbreviations ??= new Map()
    if (!match || env.abbreviations.size >= maxAbbreviations) return false
    const [name = '', meaning = ''] = match.slice(1).map((text) => escapeHtml(text.trim()))
    env.abbreviations.getOrInsert(name, meaning)
    if (!silent) state.line = line + 1
    return true
  }
  md.block.ruler.before('reference', 'abbreviation', define, { alt: ['paragraph', 'reference'] })
  md.renderer.rules.text = (tokens, index, _options, env) => {
    const text = escapeHtml(tokens[index]?.content ?? '')
    const page = env as Abbreviations
    const { abbreviations } = page
    if (!abbreviations?.size) return text
    page.abbreviated ??= wordsOf([...abbreviations.keys()])
    const explained = (name: string) => `<abbr title="${abbreviations.get(name)}">${name}</abbr>`
    return text.replaceAll(page.abbreviated, explained)
  }
}

/** Whole words, the longest first; an escaped character is none. */
function wordsOf(names: string[]): RegExp {
  const choices = names.sort((a, b) => b.length - a.length).map((name) => RegExp.escape(name))
  return new RegExp(`(?<![\\p{L}\\p{N}_&])(?:${choices.join('|')})(?![\\p{L}\\p{N}_])`, 'gu')
}
