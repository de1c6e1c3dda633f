// @ts-check
// The words of a text, for the index (search-index.ts) and for what a reader types (search.js): one source, so that both
// agree.
//   setErrorHandler   set, error, handler, and the whole: seterrorhandler
//   build.outDir      build, out, dir, outdir, and the whole without its dots: buildoutdir
//   针对文档           Scripts without spaces between words: each two characters (针对, 对文, 文档), and the last one (档), so
//                     that one character finds words that begin or end with it.
// Time is linear in the text.

/** In lower case. @typedef {{ word: string, start: number, end: number }} PlacedWord */

const joined = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}ー]`
/** With what joins parts of a name: `--frozen-lockfile`, `a::b`, `Box<T>`, `don’t`. */
const names = /[\p{L}\p{M}\p{N}]+(?:[-._/:<>$#@'’]{1,2}[\p{L}\p{M}\p{N}]+)*/gu
const runs = new RegExp(`${joined}+|(?:(?!${joined})[\\p{L}\\p{M}\\p{N}])+`, 'gu')
const isJoined = new RegExp(`^${joined}`, 'u')
const hasJoined = new RegExp(joined, 'u')
const humps = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u

/** Longer words are cut, and longer names are no words as a whole. */
const maxLength = 48
const maxPieces = 8

/** @param {string} text @returns {string} */
const wordOf = (text) => text.slice(0, maxLength).toLowerCase()

/**
 * The words of a run of letters that have spaces around them, the whole first.
 * @param {string} run @param {number} start @returns {PlacedWord[]}
 */
function spacedWords(run, start) {
  const pieces = run.length > maxLength ? [run] : run.split(humps)
  const whole = { word: wordOf(run), start, end: start + run.length }
  if (pieces.length === 1 || pieces.length > maxPieces) return [whole]
  let end = start
  const words = pieces.map((piece) => {
    end += piece.length
    return { word: wordOf(piece), start: end - piece.length, end }
  })
  // Of iPhone the first letter is no word.
  return [whole, ...words.filter(({ word }) => word.length > 1)]
}

/** @param {string} run @param {number} start @returns {PlacedWord[]} */
function joinedWords(run, start) {
  const characters = [...run]
  let end = start
  return characters.map((character, i) => {
    const word = character + (characters[i + 1] ?? '')
    end += character.length
    return { word, start: end - character.length, end: end - character.length + word.length }
  })
}

/**
 * The words of each name, and its smallest parts.
 * @param {string} text @returns {Generator<{ words: PlacedWord[], whole?: PlacedWord, parts: PlacedWord[] }>}
 */
function* readNames(text) {
  for (const { 0: name, index } of text.matchAll(names)) {
    /** @type {PlacedWord[]} */
    const words = []
    /** @type {PlacedWord[]} */
    const parts = []
    /** @type {PlacedWord | undefined} */
    let whole
    const found = [...name.matchAll(runs)]
    for (const { 0: run, index: inside } of found) {
      const readWords = isJoined.test(run) ? joinedWords : spacedWords
      const its = readWords(run, index + inside)
      for (const word of its) words.push(word)
      // Of joined characters, the last one alone is not needed; of others, neither is the whole.
      const ends = readWords === joinedWords ? [0, -1] : [1]
      const smallest = its.length > 1 ? its.slice(...ends) : its
      for (const word of smallest) parts.push(word)
      if (found.length === 1 && readWords === spacedWords) whole = its[0]
    }
    const isShort = found.length <= maxPieces && name.length <= maxLength
    if (found.length > 1 && isShort && !hasJoined.test(name)) {
      const word = wordOf(name.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, ''))
      whole = { word, start: index, end: index + name.length }
      words.push(whole)
    }
    yield { words, parts, ...(whole && { whole }) }
  }
}

/** All words with their places. @param {string} text @returns {PlacedWord[]} */
export const placedWords = (text) => [...readNames(text)].flatMap(({ words }) => words)

/** All words, for the index. @param {string} text @returns {string[]} */
export const wordsOf = (text) => placedWords(text).map(({ word }) => word)

/** What a reader types, name by name. @param {string} text @returns {{ whole?: string, parts: string[] }[]} */
export const namesOf = (text) =>
  [...readNames(text)].map(({ parts, whole }) => ({
    parts: parts.map(({ word }) => word),
    ...(whole && { whole: whole.word }),
  }))
