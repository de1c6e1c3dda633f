// What the renderer is given and gives back: the one door between deploys and render.
import type { SiteFile } from '../../site-files/site-file.ts'

export interface RenderInput {
  /** The project's name: the title of the site unless its own pages say otherwise. */
  title: string
  /** By canonical path: the Markdown, YAML and JSON files. UTF-8 is not yet checked. */
  sources: ReadonlyMap<string, Uint8Array>
  /** Canonical paths of all other files. They are published as they are, beside what is rendered. */
  assets: ReadonlySet<string>
}

/**
 * Stands for the origin of the site in the few files that must hold absolute addresses (sitemap.xml,
 * robots.txt, llms.txt): the address may change after the rendering. Whoever serves them puts it in.
 */
export const originPlaceholder = 'https://origin.invalid'

/** Files that hold `originPlaceholder`. */
export const filesWithOrigin: readonly string[] = ['sitemap.xml', 'robots.txt', 'llms.txt']

/** Renders a site file by file. Throws DeployFailure with file and line where the sources are at fault. */
export type RenderSite = (input: RenderInput) => AsyncIterable<SiteFile>

/** One page of the site, before it is put into the site's frame. */
export interface Page {
  /** Canonical path of its file, such as `guides/first.html`. */
  path: string
  title: string
  /** One sentence for search engines and lists; plain text. */
  description: string
  /** The content below the title, safe to be published. */
  html: string
  /** What the table of contents beside it shows. */
  headings: Heading[]
  /** What search finds, by part of the page: plain text. */
  parts: SearchPart[]
  /** The content for llms.txt and for reading as text, where there is one. */
  markdown?: string
}

export interface Heading {
  /** 2 or 3. */
  level: number
  id: string
  text: string
}

export interface SearchPart {
  /** Of the heading it stands below; empty for the beginning of the page. */
  id: string
  heading: string
  text: string
}
