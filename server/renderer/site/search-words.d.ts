// The types of search-words.js, which browsers run as it is.

export interface PlacedWord {
  /** In lower case. */
  word: string
  start: number
  end: number
}

export function placedWords(text: string): PlacedWord[]
export function wordsOf(text: string): string[]
/** What is written without spaces: as one word, if it is one, and its smallest parts. */
export function namesOf(text: string): { whole?: string; parts: string[] }[]
