// The blocks that Markdown itself does not have: callouts, folds, tabs, steps, cards, columns. Every generator writes them in
// another way; each notation is a block rule (folder notations) that says with `openBox` and `closeBox` where
// a box begins and ends. What a box looks like is decided here alone (box-html.ts writes it).
import type { Token } from 'markdown-it'
import MarkdownIt from 'markdown-it'
import { readFenceInfo } from './code-fence.ts'
import type { Target } from './syntax/source-lines.ts'

export type Tone = 'note' | 'tip' | 'important' | 'warning' | 'caution'

/** The items of `steps` are `step` boxes, or those of a list, or the headings in it. A `group` is only its children. */
export interface Box {
  kind: Kind
  /** Inline Markdown. */
  title?: string | undefined
  /** Of a card, as the author wrote it. */
  href?: string | undefined
  /** Of a callout. */
  tone?: Tone | undefined
  fold?: 'open' | 'closed' | undefined
  /** Of details and tabs. */
  isOpen?: boolean | undefined
  /** Of a tab that does not belong to the tabs before it. */
  isFirst?: boolean | undefined
  /** Of steps that are boxes, and of tabs that are not the first. */
  hasItems?: boolean
  /** The number of a group of tabs, and of its tabs. */
  group?: number
}

type Kind = 'callout' | 'details' | 'tabs' | 'tab' | 'code-group' | 'steps' | 'step' | Grid
type Grid = 'grid' | 'card' | 'column' | 'field' | 'group'

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

/** By their names, of which each row has several, divided by spaces. */
export const tableOf = <T>(rows: [names: string, entry: T][]): Map<string, T> =>
  new Map(rows.flatMap(([names, entry]) => names.split(' ').map((name) => [name, entry])))

/** `put` is called with each token that is added. */
export const targetOf = (put: (token: Token) => void): Target => ({
  push(type, tag, nesting) {
    const token = new MarkdownIt.Token(type, tag, nesting)
    put(token)
    return token
  },
})

const defaultTitles: Partial<Record<Kind, string>> = { tab: 'Tab', details: 'Details' }

/** Begins a box: what is pushed from here to its end is its content. `line`: where it is written. `key`: what its end is
 * found by. */
export function openBox(target: Target, box: Box, line: number, key: string = box.kind): void {
  const map: [number, number] = [line, line + 1]
  Object.assign(target.push('box_open', '', 0), { meta: { box, key }, map })
  const content = box.title || defaultTitles[box.kind]
  if (!content) return
  const meta = { isTitle: true }
  Object.assign(target.push('inline', '', 0), { content, children: [], map, meta })
  target.push('box_title_close', '', 0).meta = { box }
}

/** Ends the innermost box with this key, and the boxes in it. In a list item or a quote, it ends a box around that behind it. */
export function closeBox(target: Target, key: string): void {
  target.push('box_close', '', 0).meta = { key }
}

interface Entry {
  /** Undefined for a list, a quote and others of Markdown itself. */
  box?: Box
  key?: string
  /** The keys of boxes around it whose ends are written in it, such as after the last item of a list. */
  late: string[]
}

/** Of a group that the author did not write: it ends before what is not one of its parts. */
const implicit = '(implicit)'
const parents: Partial<Record<Kind, Kind>> = {
  ...{ tab: 'tabs', step: 'steps', card: 'grid', column: 'grid' },
}

/**
 * A core rule, before inline parsing: pairs the beginnings and ends of boxes, makes tabs of the fences of code groups, and
 * groups of tabs, steps, cards and columns that have none.
 */
export function settleBoxes(tokens: Token[], note: Note = () => {}): Token[] {
  const out: Token[] = []
  const stack: Entry[] = []
  let depth = 0
  const put = (token: Token) => {
    token.level += depth
    // Of a tight list, only paragraphs directly in its items have no `<p>`.
    if (stack.at(-1)?.box) token.hidden = false
    out.push(token)
  }
  const target = targetOf(put)
  let groups = 0
  const enter = (box: Box, key: string) => {
    if (/^(?:tabs|code-group)$/.test(box.kind)) box.group = ++groups
    stack.push({ box, key, late: [] })
    depth += 1
  }
  /** Tells a box and the one around it of each other. */
  const join = (box: Box) => {
    const around = stack.at(-1)?.box
    if (box.kind === 'tab')
      Object.assign(box, { group: around?.group, isOpen: box.isOpen || !around?.hasItems })
    if (around) around.hasItems ||= parents[box.kind] !== undefined
  }
  const begin = (box: Box, line = 0) => {
    join(box)
    openBox(target, box, line)
    enter(box, implicit)
  }
  const end = () => {
    depth -= 1
    target.push('box_close', '', 0).meta = { box: stack.pop()?.box }
  }
  const endBox = (key: string) => {
    const at = stack.findLastIndex((entry) => !entry.box || entry.key === key)
    if (stack[at]?.box) while (stack.length > at) end()
    else stack[at]?.late.push(key)
  }
  const endImplicit = (next?: Box) => {
    const top = stack.at(-1)
    const isNext = next && parents[next.kind] === top?.box?.kind && !next.isFirst
    if (top?.key === implicit && !isNext) end()
  }

  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as Token
    if (token.type === 'box_close') {
      endBox(String(token.meta?.key))
    } else if (token.type === 'box_open') {
      const { box, key } = token.meta as unknown as { box: Box; key: string }
      const titleEnd = tokens[index + 1]?.meta?.isTitle ? index + 2 : index
      if (depth < maxDepth) {
        endImplicit(box)
        const parent = parents[box.kind]
        if (parent && stack.at(-1)?.box?.kind !== parent) begin({ kind: parent })
        join(box)
        for (const part of tokens.slice(index, titleEnd + 1)) put(part)
        enter(box, key)
      } else note('syntax', `more than ${maxDepth} blocks in each other`, token.map?.[0])
      index = titleEnd
    } else if (token.nesting === -1) {
      while (stack.at(-1)?.box) end()
      const { late = [] } = stack.pop() ?? {}
      put(token)
      for (const key of late) endBox(key)
    } else {
      endImplicit()
      const isTab = token.type === 'fence' && stack.at(-1)?.box?.kind === 'code-group'
      if (isTab) begin({ kind: 'tab', title: takeLabel(token) })
      put(token)
      if (isTab) end()
      if (token.nesting === 1) stack.push({ late: [] })
    }
  }
  while (stack.at(-1)?.box) end()
  return out
}

/** ` ```sh [npm] `, or its language. The block itself has no title then. */
function takeLabel(fence: Token): string {
  const { language, title } = readFenceInfo(fence.info)
  fence.meta = { isTitled: true }
  return title ?? (language || 'Code')
}
