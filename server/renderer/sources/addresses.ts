// Which file a source becomes, and the address at which that file is served: without `.html`, and with
// `/` at the end for the page of a folder.
import { posix } from 'node:path'
import { capital } from './plain-text.ts'
import { attempt } from './plain-values.ts'

const markdownName = /\.(mdx?|markdown)$/i

export const isMarkdown = (path: string): boolean => markdownName.test(path)

/** Whether a source becomes a page. Hidden folders and installed packages have no pages. */
export const isPageSource = (path: string): boolean => isMarkdown(path) && !isHidden(path)

/** Whether it is in a folder that is not published. */
export const isHidden = (path: string): boolean =>
  /(?:^|\/)(?:node_modules|\.(?!well-known(?:\/|$))[^/]*)(?:\/|$)/.test(path)

/** `guides/first.md` becomes `guides/first.html`. */
export const pagePath = (source: string): string => source.replace(markdownName, '.html')

/** The folder of a path, with `/` at its end; empty at the root. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** The folders from the root to the folder of the page. */
export function foldersAbove(path: string): string[] {
  const folder = folderOf(path)
  return folder === '' ? [''] : [...foldersAbove(folder.slice(0, -1)), folder]
}

/** `guides/first.html` is served at `/guides/first`, `guides/index.html` at `/guides/`. */
export const hrefOf = (path: string): string =>
  encodePath(path.replace(/(?:(^|\/)index)?\.html$/, '$1'))

/** The absolute path of a file, encoded for a link. */
export const encodePath = (path: string): string =>
  `/${path.toWellFormed().split('/').map(encodeURIComponent).join('/')}`

/** The same for a page, by its source or its file, and for its folder: `guides/first`, `guides`; empty for the home page. */
export function navigationKey(path: string): string {
  const stem = path.trim().replaceAll(/^\.?\/|\.(?:mdx?|markdown|html)$/gi, '')
  return stem.replace(/(^|\/)(index|readme)$/i, '').replace(/\/$/, '')
}

/** The address of the Markdown form of a page. */
export const markdownPath = (path: string): string => path.replace(/\.html$/, '.md')

/** `01-getting-started.md` reads as "Getting started". */
export function readableName(path: string): string {
  const name = path.replace(/\/$/, '').split('/').at(-1) ?? ''
  const stem = name.replace(markdownName, '').replace(/^\d+[-_. ]+(?=.)/, '')
  const words = stem.replaceAll(/[-_]+/g, ' ').trim()
  return words === '' ? name : capital(words)
}

/** A path of the deploy, without steps: `docs/` and `../x.md` give `x.md`, as does what leads out of it. */
export const joinPaths = (folder: string, path: string): string =>
  posix.join('/', folder, path).replaceAll(/^\/|\/$/g, '')

/** The same as a folder: with `/` at its end, empty for all. */
export const joinFolder = (folder: string, path: string): string =>
  joinPaths(folder, path).replace(/.$/, '$&/')

/** The same for a part of an address. Undefined if it is not a path or is outside the root. */
export function joinPath(folder: string, relative: string): string | undefined {
  const decoded = attempt(() => decodeURIComponent(relative).normalize('NFC'))
  if (decoded === undefined) return undefined
  const isFolder = /(?:^|\/)\.{0,2}$/.test(decoded)
  const joined = posix.join('.', folder, decoded, isFolder ? '/' : '').replace(/^\.\//, '')
  return joined.startsWith('../') || joined === '..' ? undefined : joined
}
