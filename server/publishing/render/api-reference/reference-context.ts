// What the pages of a reference share: the document, where its schemas are shown, and how untrusted text
// becomes HTML. All output is counted, so that a small document cannot make pages without end.

import type { Highlight } from '../markdown/highlight.ts'
import { Html } from '../markdown/html.ts'
import { hrefOf } from '../sources/addresses.ts'
import type { ApiDocument } from './read-document.ts'
import { createResolver, type Resolve } from './references.ts'

/** Markdown as safe HTML. */
export type Markdown = (text: string) => string

export interface ReferenceContext {
  document: ApiDocument
  resolve: Resolve
  /** Path of the page by the name of the schema. */
  schemaPages: ReadonlyMap<string, string>
  schemaHref(name: string | undefined): string | undefined
  /** A block of highlighted code. */
  code(text: string, language: string): Html
  /** Markdown whose headings stand below those of the page. */
  prose(text: string): Html
  /** Counts output. Throws DeployFailure where it is too much. */
  charge(characters: number): void
  /** How much was counted. */
  charged(): number
  /** Whether there is so much output that repetitions should be links. */
  isLarge(): boolean
}

export interface ContextParts {
  document: ApiDocument
  schemaPages: ReadonlyMap<string, string>
  highlight: Highlight
  markdown: Markdown
}

const maxCharacters = 100_000_000
const largeCharacters = 20_000_000
const longestCode = 50_000

export function createContext(parts: ContextParts): ReferenceContext {
  const { document, schemaPages, highlight, markdown } = parts
  const proseTexts = new Map<string, Html>()
  let used = 0

  function charge(characters: number): void {
    used += characters
    if (used > maxCharacters) {
      throw document.fault(
        'The pages of this document would have more than 100 MB, because much of it is repeated by $ref. Make it smaller, or split it.',
      )
    }
  }

  function prose(text: string): Html {
    let known = proseTexts.get(text)
    if (known === undefined) {
      known = new Html(`<div class="api-text">${lowerHeadings(markdown(text))}</div>`)
      proseTexts.set(text, known)
    }
    charge(known.text.length)
    return known
  }

  function code(text: string, language: string): Html {
    const shown = text.length > longestCode ? `${text.slice(0, longestCode)}\n…` : text
    const block = `<div class="code-block">${highlight(shown, language)}</div>`
    charge(block.length)
    return new Html(block)
  }

  return {
    document,
    resolve: createResolver(document),
    schemaPages,
    schemaHref(name) {
      const path = name === undefined ? undefined : schemaPages.get(name)
      return path === undefined ? undefined : hrefOf(path)
    },
    code,
    prose,
    charge,
    charged: () => used,
    isLarge: () => used > largeCharacters,
  }
}

/** The page has headings of levels 1 to 3. In safe HTML a `<` always begins a tag. */
function lowerHeadings(safeHtml: string): string {
  return safeHtml.replaceAll(
    /<(\/?)h([1-6])(?=[\s>])/g,
    (_, slash, level) => `<${slash}h${Math.min(6, Number(level) + 2)}`,
  )
}
