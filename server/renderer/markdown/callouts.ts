// Callouts: their names in all generators, and those that are quotes: `> [!NOTE]` (GitHub, Obsidian).
import type { StateBlock } from 'markdown-it'
import { capital } from '../sources/plain-text.ts'
import { type Box, type MarkdownEnv, putBox, type Tone, tableOf } from './boxes.ts'
import { type BlockRule, isIndented, textOfLine } from './syntax/source-lines.ts'

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
export function calloutNamed(name: string): Box | undefined {
  const lower = name.toLowerCase()
  const tone = tones.get(lower)
  const title = lower === 'seealso' ? 'See also' : capital(lower)
  return tone && { kind: 'callout', tone, title }
}

/** That of the first name that is known, or a note. */
export function calloutOf(names: string[], title?: string): Box {
  const known = names.flatMap((name) => calloutNamed(name) ?? [])[0]
  const callout: Box = known ?? { kind: 'callout', tone: 'note', title: 'Note' }
  return { ...callout, title: title ?? callout.title }
}

/** Text after `[!NOTE]` is the title; a sign says whether it is folded. */
const alert = /^>[ \t]{0,4}\[!([a-z]{2,20})(?:\|[^\]\n]{0,100})?\](?!:)([+-]?)[ \t]*(.*)$/i

/** A quote that begins with `[!NOTE]`. */
export const alertRule: BlockRule = (state, start, end, silent) => {
  if (silent || isIndented(state, start)) return false
  const [all, name = '', fold, title] = alert.exec(textOfLine(state, start)) ?? []
  const box = calloutNamed(name)
  if (all !== undefined && !box)
    (state.env as MarkdownEnv).note?.('unknown_syntax', `[!${name}]`, start)
  if (!box) return false
  // On GitHub, a caution is more than a warning.
  if (/^caution$/i.test(name)) box.tone = 'caution'
  if (fold) box.fold = fold === '+' ? 'open' : 'closed'
  putCallout(state, { ...box, title: title || box.title }, [start, end], true)
  return true
}

/** A callout of the block that begins at `start`; of a quote, only its content, and without its first line if it has a title. */
export function putCallout(
  state: StateBlock,
  box: Box,
  [start, end]: [number, number],
  hasTitle: boolean,
) {
  putBox(state, box, start, () => {
    const { length } = state.tokens
    const rules = state.md.block.ruler.getRules('')
    rules.some((rule) => rule !== alertRule && rule(state, start, end, false))
    if (state.tokens[length]?.type !== 'blockquote_open') return
    const first = state.tokens[length + 2]
    const isTitled = hasTitle && first?.type === 'inline'
    if (isTitled) first.content = first.content.replace(/^.*\n?/, '')
    state.tokens.splice(length, isTitled && first.content === '' ? 4 : 1)
    state.tokens.pop()
  })
}
