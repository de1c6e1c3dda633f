// Gathers a page section by section: its HTML, its headings and what search finds.
import { Html, html } from '../markdown/html.ts'
import type { Heading, SearchPart } from '../sources/render-input.ts'
import type { ReferenceContext } from './reference-context.ts'

export interface PageDraft {
  headings: Heading[]
  parts: SearchPart[]
  /** Content, and the words in it that search shall find. */
  add(content: Html | false, words?: string): void
  /** A heading, and from here on a part of its own for the search. */
  section(heading: Heading): void
  html(): string
}

const longestWords = 8_000

export function createPageDraft({ charge, charged }: ReferenceContext): PageDraft {
  const headings: Heading[] = []
  const parts: SearchPart[] = [{ id: '', heading: '', text: '' }]
  let text = ''
  const before = charged()
  return {
    headings,
    parts,
    add(content, words = '') {
      if (content !== false) text += content.text
      const part = parts.at(-1)
      if (part) part.text = `${part.text} ${words}`.trim().slice(0, longestWords)
    },
    section({ level, id, text: title }) {
      const tag = new Html(`h${level}`)
      headings.push({ level, id, text: title })
      parts.push({ id, heading: title, text: '' })
      text +=
        html`<div class="heading heading-${tag}"><${tag} id="${id}">${title}</${tag}><a class="anchor" href="#${id}" aria-label="Link to “${title}”">#</a></div>
`.text
    },
    html() {
      // Most of it was counted when it was made.
      charge(Math.max(0, text.length - (charged() - before)))
      return text
    },
  }
}
