// The types of search-words.js, which browsers run as it is.

export interface PlacedWord {
  /** In lower case. */
  word: string
  start: number
  end: number
}

/** What is written without spaces. */
export interface Name {
  /** As one word, if it is one. */
  whole?: string
  /** Its smallest parts. */
  parts: string[]
}

export function placedWords(text: string): PlacedWord[]
export function wordsOf(text: string): string[]
export function namesOf(text: string): Name[]
