// What is known of the generator that a folder was written for: where its pages are, how it orders and names them, and how it
// makes addresses and anchors. Without one, the folder is read as GitHub shows it. Recognised in generators/.
import { isHidden, isMarkdown } from './addresses.ts'
import type { Fields } from './plain-values.ts'
import type { RenderInput } from './render-input.ts'
import type { SiteSettings } from './settings.ts'

/** A folder of the deploy that is part of the site. A file belongs to the one with the longest path. */
export interface Mount {
  /** With `/` at its end; empty for the whole deploy. */
  folder: string
  /** Where its files are published, in the same form. */
  at: string
  /** `pages`: its Markdown files become pages. `files`: all are published unchanged. `none`: it is not published. */
  kind: 'pages' | 'files' | 'none'
  /** Whether dates in the names of its files are folders of their addresses, as in a blog. */
  isDated?: boolean
}

export interface NavigationNode {
  title?: string | undefined
  /** The path of a source, such as `docs/first.md`, an address of the site, such as `/guide/`, or an http or https address. */
  to?: string | undefined
  /** All pages of this folder of the deploy, in their own order, instead of `children`. */
  folder?: string | undefined
  children?: NavigationNode[] | undefined
}

export interface FolderFacts {
  title: string | undefined
  order: number | undefined
}

export interface Generator {
  /** As its authors write it: Docusaurus, mdBook. Undefined: none was recognised. */
  name: string | undefined
  /** The file that shows it. */
  evidence: string | undefined
  /** What was taken from it, for the report: "title", "navigation (SUMMARY.md)". */
  taken: string[]
  /** Those with longer paths later. */
  mounts: readonly Mount[]
  /** The path that its addresses begin with, such as `docs/`; empty for none. */
  base: string
  /** Where the site was published so far, such as `https://example.com`. */
  origin?: string | undefined
  settings: Partial<Omit<SiteSettings, 'navigation' | 'tryIt'>>
  navigation: NavigationNode[] | undefined
  /** Addresses that pages had, and where they lead: `/old`, and `/new` or an http or https address. */
  redirects: { from: string; to: string }[]
  /** What is said of folders of the deploy, by their paths with `/` at the end. */
  folders: ReadonlyMap<string, FolderFacts>
  /** What `{{< param name >}}` stands for in Hugo, besides the fields of the page. */
  params?: Fields
  /** Sources that are no pages, such as SUMMARY.md. */
  notPages: ReadonlySet<string>
  /** A part of an address from the name of a file or folder. */
  segment(name: string): string
  /** The anchor of a heading with this text, before it is made unique. */
  slug(text: string): string
}

/** An address as the name of the file. */
export const keepSegment = (name: string): string => name

export const noGenerator: Generator = {
  name: undefined,
  evidence: undefined,
  taken: [],
  mounts: [{ folder: '', at: '', kind: 'pages' }],
  base: '',
  settings: {},
  navigation: undefined,
  redirects: [],
  folders: new Map(),
  notPages: new Set(),
  segment: keepSegment,
  slug: githubSlug,
}

/** Where a file is published, before a page gets its own address; undefined if it is not part of the site. */
export function placeOf(
  path: string,
  { mounts }: Pick<Generator, 'mounts'>,
): { path: string; mount: Mount } | undefined {
  const found = mounts.findLast(({ folder }) => path.startsWith(folder))
  if (!found || found.kind === 'none') return undefined
  const inside = path.slice(found.folder.length)
  const place = found.at + inside
  // The folder of the theme is nobody else's.
  return isHidden(inside) || place.startsWith('_site/') ? undefined : { path: place, mount: found }
}

/** What configures, or belongs to, a program, and is no part of the site of a generator. */
const programFile =
  /(?:^|\/)(?:package(?:-lock)?\.json|[^/]*\.lock|pnpm-[^/]*\.yaml|tsconfig[^/]*\.json|[^/]*\.config\.[cm]?[jt]s|[^/]*\.d\.[cm]?ts)$/i

/**
 * The files that are published unchanged: `places` by path in the deploy, `published` by path on the site. `file`: that of the
 * settings.
 */
export function publishedFiles(
  { assets, sources }: Pick<RenderInput, 'assets' | 'sources'>,
  generator: Generator,
  file: string | undefined,
): { places: Map<string, string>; published: Map<string, string> } {
  const places = new Map<string, string>()
  const published = new Map<string, string>()
  for (const path of [...assets, ...sources.keys()]) {
    const isOfGenerator = generator.name !== undefined && programFile.test(path)
    const isPublished = path !== file && path !== generator.evidence && !isOfGenerator
    const place = isPublished && !isMarkdown(path) && placeOf(path, generator)
    if (!place || published.has(place.path)) continue
    places.set(path, place.path)
    published.set(place.path, path)
  }
  return { places, published }
}

/** What is said of folders, by their paths on the site. */
export function factsOnSite(generator: Generator): Map<string, FolderFacts> {
  const { folders, segment } = generator
  return new Map(
    [...folders].flatMap(([folder, facts]) => {
      const path = placeOf(`${folder}x`, generator)?.path.slice(0, -1)
      return path === undefined ? [] : [[path.split('/').map(segment).join('/'), facts] as const]
    }),
  )
}

/** Where links from the root may lead in the deploy: the folders of pages, and those of files that are served from the root. */
export function rootsOf({ mounts, name }: Pick<Generator, 'mounts' | 'name'>): string[] {
  const own = mounts.flatMap(({ folder, kind }) => (kind === 'none' ? [] : folder))
  return [...(name === undefined ? [] : own), 'public/', 'static/']
}

/** As on GitHub, in Docusaurus, mdBook, GitBook, Hugo and Starlight. */
export function githubSlug(text: string): string {
  const words = text.toLowerCase().trim()
  return words.replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-') || 'section'
}

/** As in VitePress: other characters become one `-`, and accents and names of emoji are removed. */
export function vitepressSlug(text: string): string {
  const plain = text.normalize('NFKD').replaceAll(/:[a-z\d_+-]+:|[\u0300-\u036F]/g, '')
  const words = plain.split(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/)
  const slug = words.filter((word) => word !== '').join('-')
  return slug.replace(/^\d/, '_$&').toLowerCase() || 'section'
}

/** As in docutils, and so in Sphinx. Letters of other scripts stay. */
export const docutilsSlug = (text: string): string =>
  vitepressSlug(text.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')).replace(/^_/, '')

/** As in Python-Markdown with `toc`, and so in MkDocs: spaces and hyphens become one `-`. Letters of other scripts stay. */
export function pythonSlug(text: string): string {
  const words = text.normalize('NFKC').toLowerCase()
  const plain = words.replaceAll(/[^\p{L}\p{M}\p{N}_\s-]/gu, '').trim()
  return plain.replaceAll(/[-\s]+/g, '-') || 'section'
}
