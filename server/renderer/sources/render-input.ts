// The input and output of the renderer: its interface to publishing, which builds deploys with it.

export interface RenderInput {
  /** The project's name: the title of the site unless its own pages say otherwise. */
  title: string
  /** Chosen in the project settings, in the form of `site.yaml`. What `site.yaml` sets is used instead. */
  chosen?: object | undefined
  /** Chosen in the project settings, in the form of `_redirects`, for a deploy without that file. */
  redirects?: string
  /** Paths of the images that were uploaded in the project settings, which are used instead of the chosen ones. */
  images?: { logo?: string; favicon?: string } | undefined
  /** The Markdown, YAML and JSON files, and other text that they may include, by canonical path. Not yet validated as UTF-8. */
  sources: ReadonlyMap<string, Uint8Array>
  /** Canonical paths of all files but Markdown. Those that belong to the site are published unchanged. */
  assets: ReadonlySet<string>
}

/**
 * Placeholder for the origin of the site in the few files that must contain absolute addresses (sitemap.xml,
 * robots.txt, llms.txt), because the address may change after rendering. It is replaced when they are served.
 */
export const originPlaceholder = 'https://origin.invalid'

/** Files that contain `originPlaceholder`. */
export const filesWithOrigin: readonly string[] = ['sitemap.xml', 'robots.txt', 'llms.txt']

/** One page of the site, before it is put into the site's frame. */
export interface Page {
  /** Canonical path of its file, such as `guides/first.html`. */
  path: string
  title: string
  /** One sentence for search engines and lists; plain text. */
  description: string
  /** The content below the title, safe to be published. */
  html: string
  /** The entries of its table of contents. */
  headings: Heading[]
  /** Plain text for the search index, by part of the page. */
  parts: SearchPart[]
  /** The content as Markdown, if any, for llms.txt and for reading as text. */
  markdown?: string
  /** The origin to which the page may connect, apart from its own. */
  connectTo?: string
  /** The group of its folder that it is in, which has no page. */
  group?: string | undefined
}

export interface Heading {
  /** 2 or 3. */
  level: number
  id: string
  text: string
}

export interface SearchPart {
  /** ID of the heading above it; empty for the start of the page. */
  id: string
  heading: string
  text: string
}
