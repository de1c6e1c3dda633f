// The index that readers search in their browser: one entry for each part of a page, with the text that a
// result shows. Loaded once somebody searches (theme/search.js).
import MiniSearch from 'minisearch'
import { hrefOf } from '../sources/addresses.ts'
import type { Page } from '../sources/render-input.ts'

export interface SearchIndex {
  add(page: Pick<Page, 'path' | 'title' | 'parts'>): void
  /** The file's content: options and index as MiniSearch reads them. */
  toJson(): string
}

const options = {
  fields: ['heading', 'title', 'text'],
  storeFields: ['title', 'heading', 'text'],
}

/** Characters of a part that are searched. */
const longestText = 20_000
/** Characters that results may show, over all pages: beyond, only the beginnings are kept. */
const shownInFull = 1_000_000
const shownBeginning = 200

export function createSearchIndex(): SearchIndex {
  const index = new MiniSearch(options)
  const seen = new Set<string>()
  let shown = 0
  return {
    add({ path, title, parts }) {
      const address = hrefOf(path)
      const all = parts.some((part) => part.id === '')
        ? parts
        : [{ id: '', heading: '', text: '' }, ...parts]
      for (const part of all) {
        const id = part.id === '' ? address : `${address}#${part.id}`
        if (seen.has(id)) continue
        seen.add(id)
        const text = part.text.replaceAll(/\s+/g, ' ').slice(0, longestText)
        shown += text.length
        index.add({ id, title, heading: part.heading, text })
      }
    },
    toJson() {
      const plain = index.toJSON()
      if (shown > shownInFull) shorten(plain.storedFields)
      return JSON.stringify({ options, index: plain })
    },
  }
}

function shorten(stored: Record<string, Record<string, unknown>>): void {
  for (const fields of Object.values(stored)) {
    const text = String(fields.text ?? '')
    if (text.length > shownBeginning) fields.text = `${text.slice(0, shownBeginning)}…`
  }
}
