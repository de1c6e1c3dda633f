// Callouts: their names in all generators, and those that are marked paragraphs or quotes: `> [!NOTE]` (GitHub, Obsidian),
// `!> text` and `?> text` (docsify), and those below a token `callout_mark`.
import type { Token } from 'markdown-it'
import { capital } from '../sources/plain-text.ts'
import { type Box, closeBox, type Note, openBox, type Tone, tableOf, targetOf } from './boxes.ts'

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
const alert = /^\[!([a-z]{2,20})(?:\|[^\]\n]{0,100})?\]([+-]?)[ \t]*([^\n]*)(?:\n|$)/i
const docsify = /^([!?])>[ \t]+(?=\S)/

/** Makes boxes of marked paragraphs and quotes. */
export function markCallouts(tokens: readonly Token[], note: Note = () => {}): Token[] {
  const out: Token[] = []
  const target = targetOf((token) => out.push(token))
  /** Whether the quotes around the token are callouts. */
  const quotes: boolean[] = []
  let marked: Box | undefined
  for (let index = 0; index < tokens.length; index += 1) {
    const [token, next, third] = tokens.slice(index, index + 3)
    const line = token?.map?.[0] ?? 0
    if (!token || token.type === 'callout_mark') {
      marked = token?.meta?.box as Box
      continue
    }
    if (token.type === 'paragraph_open' && next && third) {
      const [all = '', mark] = docsify.exec(next.content) ?? []
      const box = marked ?? calloutNamed(mark === '!' ? 'important' : mark ? 'tip' : '')
      next.content = next.content.slice(all.length)
      if (box) openBox(target, box, line, '(marked)')
      out.push(token, next, third)
      if (box) closeBox(target, '(marked)')
      index += 2
    } else if (token.type === 'blockquote_open') {
      const isText = next?.type === 'paragraph_open' && third
      const box = isText ? (marked ?? takeAlert(third, note)) : marked
      if (isText && marked?.title === '') {
        const [title = ''] = third.content.split('\n', 1)
        marked.title = title
        third.content = third.content.slice(title.length + 1)
      }
      quotes.push(box !== undefined)
      if (box) openBox(target, box, line, '(quote)')
      else out.push(token)
      if (box && third?.content === '') index += 3
    } else if (token.type === 'blockquote_close' && quotes.pop()) closeBox(target, '(quote)')
    else out.push(token)
    marked = undefined
  }
  return out
}

function takeAlert(inline: Token, note: Note): Box | undefined {
  const [all, name = '', fold, title] = alert.exec(inline.content) ?? []
  const box = calloutNamed(name)
  if (all === undefined) return undefined
  if (!box) note('syntax', `[!${name}]`, inline.map?.[0])
  else inline.content = inline.content.slice(all.length)
  // On GitHub, a caution is more than a warning.
  if (box && /^caution$/i.test(name)) box.tone = 'caution'
  if (box && fold) box.fold = fold === '+' ? 'open' : 'closed'
  return box && { ...box, title: title?.trim() || box.title }
}
