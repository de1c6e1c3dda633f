// The blocks that Markdown itself does not have: callouts, folds, tabs, steps, cards, columns. Every generator writes them in
// another way; each notation is a block rule (folder notations) that reads the content of a box in `putBox`. What a box looks
// like is decided here alone (box-html.ts writes it).
import type { Token } from 'markdown-it'
import MarkdownIt from 'markdown-it'
import type { ProblemKind } from '../site-files/site-file.ts'
import { readFenceInfo } from './code-fence.ts'
import type { Target } from './syntax/source-lines.ts'

export type Tone = 'note' | 'tip' | 'important' | 'warning' | 'caution'

/** The items of `steps` are `step` boxes, or those of a list, or the headings in it. */
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

type Kind = 'callout' | 'details' | 'tabs' | 'tab' | 'steps' | 'step' | Grid
type Grid = 'grid' | 'card' | 'column' | 'field'

/** Reports what was not understood, once for each place. `what` is short and the same for the same cause: `::: name`.
 * `line` counts from 0 in the Markdown that is parsed. */
export type Note = (kind: ProblemKind, what: string, line?: number) => void

/** What the rules of a page share, as `state.env`. */
export interface MarkdownEnv extends Record<PropertyKey, unknown> {
  /** The path of the Markdown file; empty for a text that is none. */
  source?: string
  note?: Note
  /** The names of this page's groups of tabs begin with it: they are the only ones on the published page. */
  tabPrefix?: string
}

/** Deeper blocks of a notation are text: its rule calls itself. */
export const maxDepth = 50

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

/** Begins a box: what is pushed from here to its end is its content. `line`: where it is written. */
export function openBox(target: Target, box: Box, line: number): void {
  const map: [number, number] = [line, line + 1]
  Object.assign(target.push('box_open', '', 1), { meta: { box }, map })
  const content = box.title || defaultTitles[box.kind]
  if (!content) return
  const meta = { isTitle: true }
  Object.assign(target.push('inline', '', 0), { content, children: [], map, meta })
  target.push('box_title_close', '', 0).meta = { box }
}

export function closeBox(target: Target, box: Box): void {
  target.push('box_close', '', -1).meta = { box }
}

/** A box around what `write` pushes. Without a box, it is only that. */
export function putBox(target: Target, box: Box | undefined, line: number, write: () => void) {
  if (box) openBox(target, box, line)
  write()
  if (box) closeBox(target, box)
}

const parents: Partial<Record<Kind, Kind>> = {
  ...{ tab: 'tabs', step: 'steps', card: 'grid', column: 'grid' },
}

/**
 * A core rule, before inline parsing: makes tabs of the code blocks in groups of tabs, puts tabs, steps, cards and columns into groups
 * if their author did not, and tells the parts of a group of it.
 */
export function settleBoxes(tokens: readonly Token[]): Token[] {
  const out: Token[] = []
  const target = targetOf((token) => out.push(token))
  /** What is around a token, without a box if it is of Markdown itself. `group`: an open group that its author did not write. */
  const around: { box?: Box; group?: Box | undefined }[] = []
  let top: (typeof around)[number] = {}
  let groups = 0

  /** Before `next`: an open group ends before what is not one of its parts. */
  function settle(next: Box | undefined, line: number): void {
    const kind = next && parents[next.kind]
    if (top.group && (top.group.kind !== kind || next?.isFirst)) {
      closeBox(target, top.group)
      top.group = undefined
    }
    if (kind && !top.group && top.box?.kind !== kind) {
      top.group = { kind }
      openBox(target, top.group, line)
    }
    const parent = top.group ?? top.box
    if (!parent || !next) return
    if (next.kind === 'tab') {
      parent.group ??= ++groups
      Object.assign(next, { group: parent.group, isOpen: next.isOpen || !parent.hasItems })
    }
    parent.hasItems ||= kind !== undefined
  }

  for (const token of tokens) {
    const box = token.type === 'box_open' ? (token.meta?.box as Box) : undefined
    const isTab = token.type === 'fence' && top.box?.kind === 'tabs'
    const tab: Box | undefined = isTab ? { kind: 'tab', title: takeLabel(token) } : undefined
    const line = token.map?.[0] ?? 0
    settle(box ?? tab, line)
    if (token.nesting === -1) top = around.pop() ?? {}
    // Of a tight list, only paragraphs directly in its items have no `<p>`.
    if (top.box) token.hidden = false
    token.level = around.length
    putBox(target, tab, line, () => out.push(token))
    if (token.nesting !== 1) continue
    around.push(top)
    top = box ? { box } : {}
  }
  settle(undefined, 0)
  return out
}

/** ` ```sh [npm] `, or its language. The block itself has no title then. */
function takeLabel(fence: Token): string {
  const { language, title } = readFenceInfo(fence.info)
  fence.meta = { isTitled: true }
  return title ?? (language || 'Code')
}
