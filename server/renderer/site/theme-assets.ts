// The files that every rendered site has: style, font (in parts, of which browsers load those whose characters a page has),
// scripts, search, and an icon where the site has none. Names contain a hash of the content, so that browsers can cache them
// permanently, and deploys share what is equal.
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { escapeHtml } from '../markdown/html.ts'
import { themePath } from '../site-files/hashed-name.ts'
import { type SiteFile, textFile } from '../site-files/site-file.ts'
import { accentsOf, type ThemeColour } from '../sources/colour.ts'
import { firstLetter } from '../sources/plain-text.ts'

export type ThemeAssets = ReturnType<typeof themeAssets>

const themeFolder = join(import.meta.dirname, 'theme')
/** Of packages: the file of each, and whose it is. Both have the MIT license. */
const libraries: Partial<Record<string, [file: string, author: string]>> = {
  minisearch: ['minisearch', 'MiniSearch, Copyright Luca Ongaro'],
  mermaid: ['@mermaid-js/tiny/dist/mermaid.tiny.js', 'Mermaid, Copyright Knut Sveidqvist'],
}
/** The part of the font that every page needs. */
const firstFont = 'geist-latin-wght-normal.woff2'

/** Reads on the first call. */
function once<Value>(read: () => Value): () => Value {
  let value: Value | undefined
  return () => (value ??= read())
}

/** Addresses start at the root of the site. */
export const themeAssets = once(() => {
  const files = [...scriptFiles('early.js'), ...scriptFiles('site.js')]
  const add = (name: string, extension: string, content: string | Uint8Array): string => {
    const file = contentFile(name, extension, content)
    files.push(file)
    return `/${file.path}`
  }
  const [early, script] = [files[0], files.at(-1)].map((file) => `/${file?.path}`)
  let font = ''
  const faces = new URL(import.meta.resolve('@fontsource-variable/geist/index.css'))
  const fontStyle = withoutSpace(readFileSync(faces, 'utf8'))
    .replaceAll("'Geist Variable'", 'Geist')
    .replaceAll(/(?<=url\()\.\/files\/([\w-]+\.woff2)/g, (_, name: string) => {
      const content = readFileSync(new URL(`files/${name}`, faces))
      const address = add(name.replace('-wght-normal.woff2', ''), 'woff2', content)
      if (name === firstFont) font = address
      return `"${address}"`
    })
  const style = add('site', 'css', `${fontStyle}\n${readStyle()}`)
  return { files, style, font, early, script }
})

/** The script of pages from which readers can send requests, with the module that writes them in it. */
export const tryItScript = (): SiteFile => contentFile('try-it', 'js', bundled('try-it.js'))

/** The script of pages with diagrams is the last one; it loads the other. */
export const diagramScripts = once(() => scriptFiles('diagrams.js'))

/** A script, the last one, and those that it loads. */
function scriptFiles(path: string): SiteFile[] {
  const files: SiteFile[] = []
  const code = bundled(path).replaceAll(
    /(?<=^import \w+ from |(?<!\{)import\()'([^']+)'/gm,
    (_, to: string) => {
      files.push(...(libraries[to] ? [libraryFile(to, ...libraries[to])] : scriptFiles(to)))
      return `'/${files.at(-1)?.path}'`
    },
  )
  return [...files, contentFile(basename(path, '.js'), 'js', code)]
}

/** A library as a module: the last line of one makes it a global. */
function libraryFile(name: string, file: string, author: string): SiteFile {
  const code = readFileSync(new URL(import.meta.resolve(file)), 'utf8')
    .replace(/^globalThis.* = globalThis\./m, `export const ${name} = `)
    .replace(/\n\/\/# source.*/, '')
  return contentFile(name, 'js', `/*! ${author}, MIT License */\n${code}`)
}

/** A script with the modules in it that it imports by their paths: one request instead of several. */
const bundled = (path: string): string =>
  readTheme(path).replaceAll(/^import \{[^}]*\} from '(\.[^']*)'\n/gm, (_, inner: string) =>
    bundled(join(dirname(path), inner)).replaceAll(/^export /gm, ''),
  )

/** A file of `_site/` whose name contains a hash of its content. */
function contentFile(name: string, extension: string, content: string | Uint8Array): SiteFile {
  const path = themePath(name, extension, hash('sha256', content))
  return typeof content === 'string' ? textFile(path, content) : { path, bytes: content }
}

const readTheme = (name: string): string => readFileSync(join(themeFolder, name), 'utf8')

/** All styles in one file: site.css with the variables first, print.css last. */
function readStyle(): string {
  const rankOf = (name: string) => Number(name === 'print.css') - Number(name === 'site.css')
  const names = readdirSync(themeFolder).filter((name) => name.endsWith('.css'))
  const sorted = names.sort().sort((a, b) => rankOf(a) - rankOf(b))
  return withoutSpace(sorted.map(readTheme).join('\n'))
}

/** CSS without comments and margins. */
function withoutSpace(css: string): string {
  return css
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\n\s*/g, '\n')
    .trim()
}

/** The variables of site.css that follow from the site's own colour, and what has the colour of the theme there. */
export function colourStyle(colour: ThemeColour): SiteFile {
  const [light, dark] = [accentsOf(colour, 'light'), accentsOf(colour, 'dark')]
  const shades = (name: keyof typeof light) => `light-dark(${light[name]}, ${dark[name]})`
  const text = `:root {
--accent: ${shades('accent')};
--accent-strong: ${shades('strong')};
--accent-soft: ${shades('soft')};
--on-accent: ${shades('onAccent')};
}
.brand-mark {
background: ${colour.light};
}
`
  return contentFile('colour', 'css', text)
}

export function favicon(title: string, colour?: ThemeColour) {
  const letter = escapeHtml(firstLetter(title))
  return contentFile(
    'icon',
    'svg',
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${colour?.light ?? '#1c5f45'}"/><text x="16" y="22.5" text-anchor="middle" font-family="system-ui, sans-serif" font-size="19" font-weight="700" fill="#fdfcf9">${letter}</text></svg>\n`,
  )
}
