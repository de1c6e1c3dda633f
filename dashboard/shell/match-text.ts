// Whether a text matches what was typed, how well, and where. Case and diacritics make no difference.

/** From the index of the first to that after the last marked character. */
export type Mark = readonly [start: number, end: number]

interface TextMatch {
  /** Lower is better: one of `ranks`, and for `letters` a share of how scattered they are. */
  rank: number
  marks: Mark[]
}

export const ranks = {
  exact: 0,
  prefix: 1,
  /** Each word typed begins a word of the text. */
  words: 2,
  /** The same with the words of the context. */
  context: 3,
  part: 4,
  /** The characters typed occur in this order, the first one at the beginning of a word. */
  letters: 5,
} as const

/** `context`: words that may be typed, too, such as those beside a title. Undefined without a match. */
export function matchText(typed: string, text: string, context = ''): TextMatch | undefined {
  const search = fold(typed).text.trim().replace(/\s+/g, ' ')
  if (search === '') return undefined
  const folded = fold(text)
  const match = (rank: number, places: number[]) => ({ rank, marks: marksOf(places, folded) })
  const placesAt = (start: number, length: number) => Array.from({ length }, (_, i) => start + i)
  if (folded.text === search) return match(ranks.exact, placesAt(0, search.length))
  if (folded.text.startsWith(search)) return match(ranks.prefix, placesAt(0, search.length))
  const starts = wordStarts(folded.text)
  const around = fold(context).text
  const aroundStarts = wordStarts(around)
  const words = search.split(' ').map((word) => ({
    word,
    start: starts.find((start) => folded.text.startsWith(word, start)),
    isAround: aroundStarts.some((start) => around.startsWith(word, start)),
  }))
  const places = words.flatMap(({ start, word }) =>
    start === undefined ? [] : placesAt(start, word.length),
  )
  if (words.every(({ start }) => start !== undefined)) return match(ranks.words, places)
  if (words.every(({ isAround, start }) => isAround || start !== undefined)) {
    return match(ranks.context, places)
  }
  const part = folded.text.indexOf(search)
  if (part >= 0) return match(ranks.part, placesAt(part, search.length))
  const letters = findLetters(search.replaceAll(' ', ''), folded.text, starts)
  if (!letters) return undefined
  const runs = letters.filter((place, i) => letters[i - 1] !== place - 1).length
  return match(ranks.letters + runs / (letters.length + 1), letters)
}

/** Places of the letters in their order: next to the one before, else where a word begins, else the first ones. */
function findLetters(letters: string, text: string, starts: number[]): number[] | undefined {
  // The last place at which each letter leaves room for those after it.
  const latest: number[] = []
  let end = text.length
  for (let i = letters.length - 1; i >= 0; i--) {
    end = text.lastIndexOf(letters[i] as string, end - 1)
    if (end < 0 || (end === 0 && i > 0)) return undefined
    latest[i] = end
  }
  const places: number[] = []
  for (const [i, letter] of letters.split('').entries()) {
    const from = (places[i - 1] ?? -1) + 1
    const until = latest[i] as number
    const isFree = (place: number) => place >= from && place <= until && text[place] === letter
    const atWord = starts.find(isFree)
    if (i === 0 && atWord === undefined) return undefined
    places.push(i > 0 && isFree(from) ? from : (atWord ?? text.indexOf(letter, from)))
  }
  return places
}

const wordForm = /[\p{L}\p{N}]+/gu

const wordStarts = (text: string): number[] =>
  [...text.matchAll(wordForm)].map(({ index }) => index)

/** Letters without a decomposition in Unicode. */
const plain: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
}

interface Folded {
  text: string
  /** Where the character of the original is that each one comes from, and at the end its length. */
  origins: number[]
}

function fold(text: string): Folded {
  let folded = ''
  const origins: number[] = []
  let index = 0
  for (const character of text) {
    const lower = character.toLowerCase()
    const bare = plain[lower] ?? lower.normalize('NFKD').replaceAll(/\p{M}/gu, '')
    folded += bare
    for (let i = 0; i < bare.length; i++) origins.push(index)
    index += character.length
  }
  origins.push(index)
  return { text: folded, origins }
}

/** Marks of the original for ascending places of the folded text. */
function marksOf(places: number[], { origins }: Folded): Mark[] {
  const marks: [number, number][] = []
  for (const place of [...new Set(places)].sort((a, b) => a - b)) {
    const start = origins[place] as number
    // A character may have become several, and marks of its own may follow it.
    const end = origins.find((origin) => origin > start) ?? start
    const last = marks.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else marks.push([start, end])
  }
  return marks
}
