// The door of the API reference: an OpenAPI document among the sources becomes static pages.
// The document is untrusted: nothing of it reaches a page unescaped, except through `markdown`.
import type { NavigationItem } from '../navigation.ts'
import type { Page } from '../render-input.ts'

export interface ApiReference {
  pages: Page[]
  navigation: NavigationItem[]
  /** Paths of the sources that were read as the document: they are no pages of their own. */
  used: string[]
}

/** Highlighted code as safe HTML. */
export type Highlight = (code: string, language: string) => string

/** Markdown as safe HTML. */
export type Markdown = (text: string) => string

/**
 * The pages of an API reference under `reference/`, or undefined where the sources hold no OpenAPI
 * document. Throws DeployFailure with file and line where the document cannot be used.
 */
export function renderApiReference(
  _sources: ReadonlyMap<string, Uint8Array>,
  _highlight: Highlight,
  _markdown: Markdown,
): ApiReference | undefined {
  return undefined
}
