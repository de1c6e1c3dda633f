// The search index for browsers: one entry per part of a page, with the text to show in results. It is loaded at the
// first search (theme/search.js). Both read words with search-words.js.
import MiniSearch from 'minisearch'
import { hrefOf } from '../sources/addresses.ts'
import { cut } from '../sources/plain-text.ts'
import type { Page } from '../sources/render-input.ts'
import { wordsOf } from './search-words.js'

const options = {
  fields: ['heading', 'title', 'text'],
  storeFields: ['title', 'heading', 'text', 'isOne'],
}

/** Maximum number of indexed characters per part. */
const maxTextLength = 20_000
/** Maximum number of characters for results, over all pages. If exceeded, only the start of each part is kept. */
const shownInFull = 1_000_000
const shownBeginning = 200

export function createSearchIndex() {
  const index = new MiniSearch({ ...options, tokenize: wordsOf, processTerm: (word) => word })
  const seen = new Set<string>()
  let shown = 0
  return {
    /** `isOne`: results show the best of its parts only, because they are alike and named like those of other pages. */
    add(page: Pick<Page, 'path' | 'title' | 'parts'>, isOne = false): void {
      const { parts, path, title } = page
      const address = hrefOf(path)
      const all = parts.some((part) => part.id === '')
        ? parts
        : [{ id: '', heading: '', text: '' }, ...parts]
      for (const part of all) {
        const id = part.id === '' ? address : `${address}#${part.id}`
        if (seen.has(id)) continue
        seen.add(id)
        const text = inForm(part.text.replaceAll(/\s+/g, ' ').slice(0, maxTextLength))
        shown += text.length
        const entry = { id, title: inForm(title), heading: inForm(part.heading), text }
        index.add({ ...entry, ...(isOne && { isOne }) })
      }
    },
    /** The content of the file: options and index in MiniSearch's format. */
    toJson(): string {
      const plain = index.toJSON()
      for (const fields of shown > shownInFull ? Object.values(plain.storedFields) : [])
        fields.text = cut(String(fields.text), shownBeginning)
      return JSON.stringify({ options, index: plain })
    },
  }
}

/** Equal characters are equal code points, as in what is typed. */
const inForm = (text: string): string => text.normalize('NFC')
