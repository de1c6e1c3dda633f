// The blocks that Markdown itself does not have: callouts, folds, tabs, steps, cards, columns. Every generator writes them in
// another way; each notation is a block rule (folder notations) that says with `openBox` and `closeBox`, or `fillBox`, where
// a box begins and ends. What a box looks like is decided here alone (box-html.ts writes it).
import type { StateBlock, Token } from 'markdown-it'
import MarkdownIt from 'markdown-it'
import { capital } from '../sources/plain-text.ts'
import { readFenceInfo } from './code-fence.ts'

export type Tone = 'note' | 'tip' | 'important' | 'warning' | 'caution'

/** All titles are inline Markdown. `href` is as the author wrote it. */
export type Box =
  | { kind: 'callout'; tone: Tone; title: string; fold?: 'open' | 'closed' }
  | { kind: 'details'; title: string; isOpen?: boolean }
  /** Its tabs are a `code-group`'s fences if it has none. */
  | { kind: 'tabs' | 'code-group' }
  /** `isFirst`: it does not belong to the tabs before it. */
  | { kind: 'tab'; title: string; isSelected?: boolean; isFirst?: boolean }
  /** The items of `steps` are `step` boxes, or those of a list, or the headings in it. */
  | { kind: 'steps'; hasItems?: boolean }
  | { kind: 'cards' | 'columns' | 'column' }
  | { kind: 'step'; title?: string }
  | { kind: 'card'; title?: string; href?: string }
  /** A title for the code block in it. */
  | { kind: 'code'; title: string }
  /** Only its children. */
  | { kind: 'group' }

export type Callout = Box & { kind: 'callout' }

/** What was not understood. `removed`: content of the author that the page does not have. */
export type NoteKind = 'syntax' | 'component' | 'removed' | 'include' | 'setting'

/** Reports what was not understood, once for each place. `what` is short and the same for the same cause: `::: name`.
 * `line` counts from 0 in the Markdown that is parsed. */
export type Note = (kind: NoteKind, what: string, line?: number) => void

/** What the rules of a page share, as `state.env`. */
export interface MarkdownEnv extends Record<PropertyKey, unknown> {
  /** The path of the Markdown file; empty for a text that is none. */
  source?: string
  note?: Note
  /** The names of this page's groups of tabs begin with it: they are the only ones on the published page. */
  tabPrefix?: string
}

/** Boxes in boxes. Further ones keep only their content. */
const maxDepth = 50

/** Begins a box: what is pushed from here to its end is its content. `line`: where it is written. `key`: what its end is
 * found by. */
export function openBox(
  state: Pick<StateBlock, 'push'>,
  box: Box,
  line: number,
  { key = box.kind }: { key?: string } = {},
): void {
  const open = state.push('box_open', '', 0)
  open.meta = { box, key }
  open.map = [line, line + 1]
  pushTitle((type) => state.push(type, '', 0), box, line)
}

const defaultTitles: Partial<Record<Box['kind'], string>> = { tab: 'Tab', details: 'Details' }

function pushTitle(push: (type: string) => Token, box: Box, line: number): void {
  const given = 'title' in box && box.kind !== 'code' ? box.title : undefined
  const title = given || defaultTitles[box.kind]
  if (!title) return
  const inline = push('inline')
  inline.content = title
  inline.children = []
  inline.map = [line, line + 1]
  inline.meta = { isTitle: true }
  push('box_title_close')
}

/** Ends the innermost box with this key that was opened in the same list item or quote, and the boxes in it. */
export function closeBox(state: Pick<StateBlock, 'push'>, key: string): void {
  state.push('box_close', '', 0).meta = { key }
}

/** Lines from `from` (included) to `to` (excluded). */
export interface Lines {
  from: number
  to: number
  /** Columns that belong to the notation; without it, those that all lines begin with. */
  indent?: number
}

/** A box with these lines as its content. `line`: where it is written. */
export function fillBox(state: StateBlock, box: Box, line: number, lines: Lines): void {
  openBox(state, box, line, { key: '(filled)' })
  tokenizeLines(state, lines)
  closeBox(state, '(filled)')
}

/** Rules that parse what is in them refuse to begin where this is false: deeper blocks are text. */
export const mayNest = (state: StateBlock): boolean => state.level < maxDepth

/** Parses lines as blocks, where the rule stands. */
export function tokenizeLines(state: StateBlock, { from, to, indent }: Lines): void {
  const { lineMax, parentType, blkIndent, level, tight, listIndent } = state
  const columns = indent ?? commonIndent(state, from, to)
  Object.assign(state, { lineMax: to, parentType: 'box', blkIndent: columns, listIndent: -1 })
  state.level = level + 1
  state.md.block.tokenize(state, from, to)
  Object.assign(state, { lineMax, parentType, blkIndent, level, tight, listIndent })
}

function commonIndent(state: StateBlock, from: number, to: number): number {
  let columns = Number.POSITIVE_INFINITY
  for (let line = from; line < to; line += 1) {
    if (!state.isEmpty(line)) columns = Math.min(columns, state.sCount[line] ?? 0)
  }
  return columns === Number.POSITIVE_INFINITY ? state.blkIndent : columns
}

interface Place {
  line: number
  /** An index in the source. */
  at: number
}

/** Parses a part of the source that begins and ends anywhere in a line. */
export function tokenizeRange(state: StateBlock, start: Place, end: Place): void {
  const { line } = start
  const lineEnd = state.eMarks[end.line] ?? 0
  beginLineAt(state, start)
  state.eMarks[end.line] = Math.min(lineEnd, Math.max(end.at, state.bMarks[end.line] ?? 0))
  const from = state.isEmpty(line) ? line + 1 : line
  // The rest of the first line begins where the others do.
  if (from === line) state.sCount[line] = commonIndent(state, line + 1, end.line)
  tokenizeLines(state, { from, to: end.line + 1 })
  state.eMarks[end.line] = lineEnd
}

/** What is before the place no longer belongs to its line. */
export function beginLineAt(state: StateBlock, { line, at }: Place): void {
  state.bMarks[line] = at
  const end = state.eMarks[line] ?? 0
  state.tShift[line] = Math.min(state.skipSpaces(at), end) - at
}

interface Entry {
  /** Undefined for a list, a quote and others of Markdown itself. */
  box?: Box
  /** Undefined for a box that the end of a quote ends. */
  key?: string
}

/** Of a group that the author did not write: it ends before what is not one of its parts. */
const implicit = '(implicit)'
const parents = { tab: 'tabs', step: 'steps', card: 'cards', column: 'columns' } as const

/**
 * A core rule, before inline parsing: pairs the beginnings and ends of boxes, makes callouts of quotes, tabs of the fences
 * of code groups, and groups of tabs, steps, cards and columns that have none.
 */
export function settleBoxes(tokens: Token[], note: Note = () => {}): Token[] {
  const out: Token[] = []
  const stack: Entry[] = []
  let depth = 0
  const put = (token: Token) => {
    token.level += depth
    out.push(token)
  }
  const pushNew = (type: string) => {
    const token = new MarkdownIt.Token(type, '', 0)
    put(token)
    return token
  }
  const begin = (box: Box, key?: string, line = 0) => {
    pushNew('box_open').meta = { box }
    pushTitle(pushNew, box, line)
    stack.push({ box, ...(key !== undefined && { key }) })
    depth += 1
  }
  const end = () => {
    const { box } = stack.pop() ?? {}
    if (!box) return
    depth -= 1
    pushNew('box_close').meta = { box }
  }
  const endImplicit = (next?: Box) => {
    const top = stack.at(-1)
    const isNext = parentOf(next) === top?.box?.kind && !(next?.kind === 'tab' && next.isFirst)
    if (top?.key === implicit && !isNext) end()
  }

  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as Token
    if (token.type === 'box_close') {
      const at = stack.findLastIndex(({ key }) => key === undefined || key === token.meta?.key)
      if (stack[at]?.key !== undefined) while (stack.length > at) end()
    } else if (token.type === 'box_open') {
      const { box, key } = token.meta as unknown as { box: Box; key: string }
      const titleEnd = tokens[index + 1]?.meta?.isTitle ? index + 2 : index
      if (depth < maxDepth) {
        endImplicit(box)
        const parent = parentOf(box)
        if (parent && stack.at(-1)?.box?.kind !== parent) begin({ kind: parent }, implicit)
        const around = stack.at(-1)?.box
        if (around?.kind === 'steps' && box.kind === 'step') around.hasItems = true
        for (const part of tokens.slice(index, titleEnd + 1)) put(part)
        stack.push({ box, key })
        depth += 1
      } else note('syntax', `more than ${maxDepth} blocks in each other`, token.map?.[0])
      index = titleEnd
    } else if (token.nesting === -1) {
      while (stack.at(-1)?.key !== undefined) end()
      if (stack.at(-1)?.box) end()
      else {
        stack.pop()
        put(token)
      }
    } else {
      endImplicit()
      const { box } = stack.at(-1) ?? {}
      const callout = depth < maxDepth ? takeAlert(tokens, index, note) : undefined
      const isTab = token.type === 'fence' && box?.kind === 'code-group'
      if (callout) {
        begin(callout, undefined, token.map?.[0])
        if (tokens[index + 2]?.content === '') index += 3
        continue
      }
      if (isTab) begin({ kind: 'tab', title: takeLabel(token) })
      if (token.type === 'fence' && box?.kind === 'code') {
        token.info += ` title="${box.title.replaceAll('"', '')}"`
      }
      put(token)
      if (isTab) end()
      if (token.nesting === 1) stack.push({})
    }
  }
  while (stack.length > 0) end()
  showParagraphs(out)
  return out
}

function parentOf(box: Box | undefined): (typeof parents)[keyof typeof parents] | undefined {
  return box && box.kind in parents ? parents[box.kind as keyof typeof parents] : undefined
}

/** Of a tight list, only paragraphs directly in its items have no `<p>`. */
function showParagraphs(tokens: Token[]): void {
  const inBox: boolean[] = []
  for (const token of tokens) {
    if (token.type === 'box_open') inBox.push(true)
    else if (token.type === 'box_close') inBox.pop()
    else if (token.hidden && inBox.at(-1) && token.type.startsWith('paragraph'))
      token.hidden = false
    else if (token.nesting === 1 && token.type !== 'paragraph_open') inBox.push(false)
    else if (token.nesting === -1 && token.type !== 'paragraph_close') inBox.pop()
  }
}

/** ` ```sh [npm] `, or its language. The block itself has no title then. */
function takeLabel(fence: Token): string {
  const { language, title } = readFenceInfo(fence.info)
  fence.meta = { isTitled: true }
  return title ?? (language || 'Code')
}

/** By their names, of which each row has several, divided by spaces. */
export const tableOf = <T>(rows: [names: string, entry: T][]): Map<string, T> =>
  new Map(rows.flatMap(([names, entry]) => names.split(' ').map((name) => [name, entry])))

const tones = tableOf<Tone>([
  [
    'note info abstract summary tldr todo question help faq example quote cite seealso primary secondary',
    'note',
  ],
  ['tip hint success check done', 'tip'],
  ['important', 'important'],
  ['warning attention caution', 'warning'],
  ['danger error bug failure fail missing critical', 'caution'],
])

/** The callout of a name such as `info`, in any spelling of case, with its name as title. */
export function calloutNamed(name: string): Callout | undefined {
  const lower = name.toLowerCase()
  const tone = tones.get(lower)
  const title = lower === 'seealso' ? 'See also' : capital(lower)
  return tone && { kind: 'callout', tone, title }
}

/** That of the first name that is known, or a note. */
export function calloutOf(names: string[], title?: string): Callout {
  const known = names.flatMap((name) => calloutNamed(name) ?? [])[0]
  const callout = known ?? { kind: 'callout', tone: 'note', title: 'Note' }
  return { ...callout, title: title ?? callout.title }
}

const alert = /^\[!([a-z]{2,20})(?:\|[^\]\n]{0,100})?\]([+-]?)[ \t]*([^\n]*)(?:\n|$)/i

/** `> [!NOTE]`, as on GitHub and in Obsidian; text after it is its title. */
function takeAlert(tokens: Token[], index: number, note: Note): Callout | undefined {
  const inline = tokens[index + 2]
  if (tokens[index]?.type !== 'blockquote_open' || inline?.type !== 'inline') return undefined
  if (tokens[index + 1]?.type !== 'paragraph_open') return undefined
  const match = alert.exec(inline.content)
  const named = match && calloutNamed(match[1] ?? '')
  if (match && !named) note('syntax', `[!${match[1]}]`, inline.map?.[0])
  if (!match || !named) return undefined
  inline.content = inline.content.slice(match[0].length)
  // On GitHub, a caution is more than a warning.
  if (/^caution$/i.test(match[1] ?? '')) named.tone = 'caution'
  if (match[3]?.trim()) named.title = match[3].trim()
  if (match[2]) named.fold = match[2] === '+' ? 'open' : 'closed'
  return named
}
