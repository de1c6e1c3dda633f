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
  md.inline.ruler.before('mark', 'equals_in_words', equalsInWords)
  md.inline.ruler.before('sub', 'single_tilde', singleTilde)
  md.inline.ruler.before('emphasis', 'keys', keys)
  md.core.ruler.after('text_join', 'emoji', ({ tokens }) => {
    for (const token of tokens) {
      if (!/:|#!/.test(token.content)) continue
      replaceNames(token)
      for (const [index, child] of (token.children ?? []).entries()) {
        replaceNames(child, token.children?.[index - 1])
      }
    }
  })
  addAbbreviations(md)
  md.renderer.rules.keys = (tokens, index) =>
    (tokens[index]?.content ?? '')
      .split('+')
      .map((key) => `<kbd>${md.utils.escapeHtml(nameOfKey(key))}</kbd>`)
      .join(`<span ${mark}class="keys-plus">+</span>`)
}

/** Bare addresses as in section 6.9 of GitHub's specification: `www.`, http and https, mail. */
function addAutolinks(md: Parser): void {
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: true, fuzzyIP: false })
  md.linkify.add('www.', {
    validate: lengthOfAddress,
    normalize: (match) => {
      match.url = `http://${match.url}`
    },
  })
  md.core.ruler.after('linkify', 'versions', ({ tokens }) => {
    for (const { children, content } of tokens) {
      if (children && content.includes('@')) unlinkVersions(children)
    }
  })
}

const bareAddress = /[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*(?:[/?#:][^\s<]{0,2000})?/uy

/** Without the punctuation of the sentence at its end. */
function lengthOfAddress(text: string, position: number): number {
  bareAddress.lastIndex = position
  let found = bareAddress.exec(text)?.[0] ?? ''
  const count = (sign: string) => found.split(sign).length
  for (;;) {
    const end = /(?:[?!.,:*_~'"]|&\w+;)$/.exec(found)?.[0]
    const isOpen = found.endsWith(')') && count(')') > count('(')
    if (end === undefined && !isOpen) return found.length
    found = found.slice(0, -(end?.length ?? 1))
  }
}

/** `name@1.2.3` is a version, not an address. */
function unlinkVersions(children: Token[]): void {
  for (const [index, token] of children.entries()) {
    if (token.type !== 'link_open' || token.markup !== 'linkify') continue
    if (!/^mailto:[^@]*@v?\d+\.\d/.test(String(token.attrGet('href')))) continue
    for (const end of [token, children[index + 2]]) if (end) end.hidden = true
  }
}

const isWordAt = (text: string, position: number) => /[\p{L}\p{N}]/u.test(text[position] ?? '')

/** `a==b` is text. */
function equalsInWords(state: StateInline, silent: boolean): boolean {
  const { pos, src } = state
  if (!src.startsWith('==', pos)) return false
  let end = pos
  while (src[end] === '=') end += 1
  if (!isWordAt(src, pos - 1) || !isWordAt(src, end)) return false
  if (!silent) state.pending += src.slice(pos, end)
  state.pos = end
  return true
}

/** `~removed~`, as on GitHub. Directly behind a letter or a digit it is a subscript, as in `H~2~O`. */
function singleTilde(state: StateInline, silent: boolean): boolean {
  const { pos, posMax, src } = state
  if (silent || src[pos] !== '~' || src[pos + 1] === '~' || src[pos - 1] === '~') return false
  if (isWordAt(src, pos - 1)) return false
  state.pos = pos + 1
  while (state.pos < posMax && src[state.pos] !== '~') state.md.inline.skipToken(state)
  const end = state.pos
  state.pos = pos
  const content = src.slice(pos + 1, end)
  const isPair = end < posMax && src[end + 1] !== '~' && /^\S/.test(content) && /\S$/.test(content)
  if (!isPair) {
    state.pending += '~'
    state.pos = pos + 1
    return true
  }
  state.push('s_open', 's', 1)
  Object.assign(state, { pos: pos + 1, posMax: end })
  state.md.inline.tokenize(state)
  Object.assign(state, { pos: end + 1, posMax })
  state.push('s_close', 's', -1)
  return true
}

/** Keys whose label is their name. */
const namedKeys = [
  'alt backspace caps-lock cmd ctrl del delete end enter esc escape fn home ins insert meta option',
  'page-down page-up pause print-screen return shift space super tab win',
]
const keyNames: Record<string, string> = {
  ...Object.fromEntries(
    namedKeys
      .flatMap((names) => names.split(' '))
      .map((name) => [name, name.split('-').map(capital).join(' ')]),
  ),
  ...{ command: 'Cmd', control: 'Ctrl', windows: 'Win', up: '↑', down: '↓', left: '←', right: '→' },
  ...{ 'arrow-up': '↑', 'arrow-down': '↓', 'arrow-left': '←', 'arrow-right': '→' },
  ...{ plus: '+', minus: '-', comma: ',', period: '.', slash: '/', backslash: '\\', grave: '`' },
}
const keyed =
  /\+\+((?:"[^"\n+]{1,30}"|[a-z0-9-]{1,20})(?:\+(?:"[^"\n+]{1,30}"|[a-z0-9-]{1,20}))*)\+\+/y

function nameOfKey(key: string): string {
  return keyNames[key] ?? (key.startsWith('"') ? key.slice(1, -1) : key.toUpperCase())
}

/** `++ctrl+alt+"Own name"++` of MkDocs. */
function keys(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== '+' || isWordAt(state.src, state.pos - 1)) return false
  keyed.lastIndex = state.pos
  const match = keyed.exec(state.src)
  const isKey = (key: string) =>
    /^(?:".*"|[a-z0-9]|f\d\d?)$/.test(key) || Object.hasOwn(keyNames, key)
  if (!match?.[1]?.split('+').every(isKey)) return false
  if (!silent) state.push('keys', '', 0).content = match[1]
  state.pos += match[0].length
  return true
}

const emojiNames: Record<string, string> = emoji
/** Names of the icons of MkDocs Material, which are decoration, with their attributes. */
const icon = /:(?:material|octicons|fontawesome|simple)-[a-z0-9-]+:(?:\{[^{}\n]*\})?[ \t]?/g

/** GitBook: <i class="fa-check">:check:</i> is the name of an icon. */
const iconOpening = /^<i class="fa-[^<>]{0,100}>$/
const iconElement = /(<i class="fa-[^<>]{0,100}>):[\w-]{1,60}:(?=<\/i>)/g

function replaceNames(token: Token, before?: Token): void {
  if (token.type === 'html_block') token.content = token.content.replaceAll(iconElement, '$1')
  if (iconOpening.test(before?.content ?? '') && /^:[\w-]{1,60}:$/.test(token.content))
    token.content = ''
  // MkDocs: the language of the code, as in `#!py a = 1`.
  if (token.type === 'code_inline')
    token.content = token.content.replace(/^#![a-z][\w+-]* (?=\S)/, '')
  if (token.type !== 'text' || !token.content.includes(':')) return
  token.content = token.content
    .replaceAll(icon, '')
    .replaceAll(/(?<![\w:]):([\w+-]{1,40}):(?!:)/g, (whole, name: string) => {
      // Slack and MkDocs: `man_raising_hand`.
      const names = [name, name.replace(/^(woman|man)_(?:in_)?(.+)$/, '$2_$1')]
      const known = names.find((each) => Object.hasOwn(emojiNames, each))
      return (known && emojiNames[known]) || whole
    })
}

/** Further ones are text. */
const maxAbbreviations = 500
const definition = /^\*\[([^[\]\n]{1,100})\]:[ \t]*(\S[^\n]*)$/

interface Abbreviations {
  byName: Map<string, string>
  pattern?: RegExp
}

/** `*[HTML]: Hyper Text` explains each HTML of the page. */
function addAbbreviations(md: Parser): void {
  const known = (env: object | undefined) =>
    (env as { abbreviations?: Abbreviations }).abbreviations
  const define = ({ bMarks, eMarks, env, src, tShift }: StateBlock, line: number) => {
    const text = src.slice((bMarks[line] ?? 0) + (tShift[line] ?? 0), eMarks[line])
    const [, name, meaning] = (text.startsWith('*[') && definition.exec(text)) || []
    const found: Abbreviations = known(env) ?? { byName: new Map() }
    if (!name || !meaning || found.byName.size >= maxAbbreviations) return false
    env.abbreviations = found
    found.byName.getOrInsert(name, meaning.trim())
    return true
  }
  const rule = (state: StateBlock, start: number, _end: number, silent: boolean): boolean => {
    if (!define(state, start)) return false
    if (!silent) state.line = start + 1
    return true
  }
  md.block.ruler.before('reference', 'abbreviation', rule, { alt: ['paragraph', 'reference'] })
  const { escapeHtml } = md.utils
  md.renderer.rules.text = (tokens, index, _options, env) => {
    const content = tokens[index]?.content ?? ''
    const abbreviations = known(env)
    if (!abbreviations) return escapeHtml(content)
    abbreviations.pattern ??= patternOf([...abbreviations.byName.keys()])
    return content
      .split(abbreviations.pattern)
      .map((part, at) => {
        const meaning = at % 2 === 1 ? abbreviations.byName.get(part) : undefined
        const text = escapeHtml(part)
        return meaning ? `<abbr title="${escapeHtml(meaning)}">${text}</abbr>` : text
      })
      .join('')
  }
}

/** Whole words, the longest first. */
function patternOf(names: string[]): RegExp {
  const choices = names.sort((a, b) => b.length - a.length).map((name) => RegExp.escape(name))
  return new RegExp(`(?<![\\p{L}\\p{N}_])(${choices.join('|')})(?![\\p{L}\\p{N}_])`, 'u')
}
