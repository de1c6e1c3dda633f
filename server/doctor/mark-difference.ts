// Finds where two values differ, for display: a missing dot, a space, a quote, a look-alike letter. Positions
// count code points, as in Array.from.

export interface Span {
  start: number
  /** The first character after it. */
  end: number
}

const maxCharacters = 512

/**
 * A smallest difference: `found` are spans to remove from the found value, `expected` are spans missing from it, as
 * positions in the expected value; none where most differs, and where a value is long. `notes`: one sentence for each
 * difference that is invisible or easy to miss.
 */
export function markDifference(actual: string, expected: string) {
  const [found, missing] = differingSpans(actual, expected)
  const isClear = sizeOf(found) + sizeOf(missing) <= (actual.length + expected.length) / 2
  const spans = isClear ? { found, expected: missing } : { found: [], expected: [] }
  return { ...spans, notes: notesOn(actual, expected) }
}

/** Whether the values look alike: at most three characters differ, or only invisible ones. */
export function mayEqual(actual: string, expected: string): boolean {
  if (actual === expected) return false
  const sizes = differingSpans(actual, expected).map(sizeOf)
  return Math.max(...sizes) <= 3 || plain(actual) === plain(expected)
}

function differingSpans(actual: string, expected: string): [found: Span[], expected: Span[]] {
  const [a, b] = [Array.from(actual), Array.from(expected)]
  const pairs = a.length * b.length > maxCharacters ** 2 ? [] : keptPairs(a, b)
  return [gaps(pairs, 0, a.length), gaps(pairs, 1, b.length)]
}

const sizeOf = (spans: Span[]) => spans.reduce((sum, { start, end }) => sum + end - start, 0)

/** Longest common subsequence, as pairs of positions. */
function keptPairs(a: string[], b: string[]): [number, number][] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    const row = rows[i]
    if (row === undefined) continue
    for (let j = b.length - 1; j >= 0; j--)
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  }
  const pairs: [number, number][] = []
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++])
    else if (at(i + 1, j) >= at(i, j + 1)) i++
    else j++
  }
  return pairs
}

function gaps(pairs: readonly [number, number][], side: 0 | 1, length: number): Span[] {
  const spans: Span[] = []
  let start = 0
  for (const position of [...pairs.map((pair) => pair[side]), length]) {
    if (position > start) spans.push({ start, end: position })
    start = position + 1
  }
  return spans
}

const names: Record<string, string> = { ' ': 'a space', '\t': 'a tab' }

function notesOn(actual: string, expected: string): string[] {
  const notes = new Set<string>()
  if (actual.endsWith('.') && !expected.endsWith('.')) notes.add('There is a dot at the end.')
  const isQuoted = (text: string) => /^["'“”„]|["'“”]$/u.test(text)
  if (isQuoted(actual) && !isQuoted(expected))
    notes.add('There are quotes that are part of the value.')
  if (/^\s|\s$/u.test(actual)) notes.add('There is a space at its beginning or end.')
  for (const char of actual) {
    if (expected.includes(char)) continue
    const name =
      names[char] ?? (/[\p{Cc}\p{Cf}\p{Z}]/u.test(char) ? `an invisible ${number(char)}` : '')
    if (name !== '') notes.add(`There is ${name} in it.`)
    else {
      const taken = plain(char)
      const isLookAlike = taken !== '' && taken !== char.toLowerCase() && expected.includes(taken)
      if (isLookAlike) notes.add(`"${char}" (${number(char)}) looks like "${taken}".`)
    }
  }
  if (actual !== expected && actual.toLowerCase() === expected.toLowerCase())
    notes.add('Only upper and lower case differ.')
  return [...notes]
}

function number(char: string): string {
  return `U+${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
}

/** Pairs: a character, and the ASCII character that it looks like. */
const pairs =
  'аa сc еe оo рp хx уy іi ѕs јj һh ԁd ԛq ԝw νv οo αa ιi κk ρp υu ıi ɡg ɑa ‐- ‑- ‒- –- —- −-'
const lookAlikes = new Map(pairs.split(' ').map((pair) => [pair.charAt(0), pair.charAt(1)]))

/** Normalises look-alikes and wide forms to ASCII, and removes invisible characters and quotes. */
function plain(text: string): string {
  return Array.from(text.normalize('NFKC'), (char) => lookAlikes.get(char) ?? char)
    .join('')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Z}"'“”„\\]/gu, '')
    .replace(/\.$/, '')
    .toLowerCase()
}
