// Recognises the generator that a folder was written for, from the files of the deploy: a whole repository, or the folder of its
// documentation alone. What its configuration says as data is read; nothing is executed.
import { type Generator, noGenerator } from '../sources/generator.ts'
import type { RenderInput } from '../sources/render-input.ts'
import * as code from './code-generators.ts'
import * as data from './data-generators.ts'
import {
  type Found,
  type GeneratorFolder,
  openFolder,
  readSite,
  rootOf,
} from './generator-folder.ts'

/** A file that says nothing of a folder beside its own, so that it is used only where the documentation usually is. */
const lone = (name: string) =>
  new RegExp(`^/(?:(?:docs?|documentation|book|guide)/)?(?:src/)?${name}\\.md$`)

type Recogniser = [
  name: string,
  read: (at: GeneratorFolder) => Found,
  /** The path of the file that shows it, with `/` before it. */
  file: RegExp,
  /** What is in that file. */
  content?: RegExp,
]

/** Those that can be mistaken come later. */
const recognisers: Recogniser[] = [
  ['MkDocs', data.readMkdocs, /\/mkdocs\.ya?ml$/],
  ['mdBook', data.readMdbook, /\/book\.toml$/],
  ['Docusaurus', code.readDocusaurus, /\/docusaurus\.config\.[cm]?[jt]s$/],
  ['VitePress', code.readVitepress, /\/\.vitepress\/config(\/index)?\.[cm]?[jt]s$/],
  ['Starlight', code.readStarlight, /\/astro\.config\.[cm]?[jt]s$/, /starlight/],
  ['Mintlify', data.readMintlify, /\/(docs|mint)\.json$/, /"navigation"\s*:/],
  ['Hugo', data.readHugo, /\/(hugo|config\/_default\/(hugo|config))\.(toml|ya?ml|json)$/],
  ['Hugo', data.readHugo, /\/config\.(toml|ya?ml)$/, /^baseURL\b/im],
  ['GitBook', data.readGitbook, /\/\.gitbook\.ya?ml$/],
  ['Sphinx', data.readSphinx, /\/conf\.py$/, /myst_(?:parser|nb)/],
  ['Nextra', code.readNextra, /\/(content|pages)\/(.*\/)?_meta(\.[\w-]+)?\.([jt]sx?|json)$/],
  ['Nextra', code.readNextra, /\/content\/(.*\/)?meta\.json$/, /"pages"\s*:/],
  ['docsify', data.readDocsify, lone('_sidebar')],
  ['GitBook', data.readGitbook, lone('SUMMARY')],
  ['Jekyll', data.readJekyll, /\/_config\.ya?ml$/],
]

/** Folders whose generators are not that of the documentation. */
const foreign =
  /(?:^|\/)(?:examples?|tests?|__tests__|fixtures?|playground|templates?|archetypes|themes|node_modules|vendor|spec|demos?|e2e)\//i
const maxDepth = 4
/** Of folders at the same depth. */
const preferred = /(?:^|\/)(?:docs?|documentation|website|site|guide|book|en)\/$/i

/** `note`: of what is in its files and was not used. */
export function recogniseGenerator(
  input: Pick<RenderInput, 'sources' | 'assets'>,
  note: (what: string, line: number | undefined, file: string) => void = () => {},
): Generator {
  const decoder = new TextDecoder()
  const places = [...input.sources.keys()]
    .filter((path) => !foreign.test(path) && path.split('/').length <= maxDepth + 1)
    .sort()
  const textOf = (path: string) => decoder.decode(input.sources.get(path))
  const [best] = recognisers
    .flatMap(([name, read, file, content]) =>
      places
        .filter((path) => file.test(`/${path}`) && (content?.test(textOf(path)) ?? true))
        .map((path) => ({ name, read, path, rank: rankOf(rootOf(path)) })),
    )
    .sort((a, b) => a.rank - b.rank)
  if (!best) return noGenerator
  const folder = openFolder(input, best.path, note)
  const generator = readSite(folder, best.read(folder))
  const taken = {
    navigation: generator.navigation?.length,
    ...generator.settings,
    redirects: generator.redirects.length,
    'base path': generator.base,
  }
  return {
    ...generator,
    name: best.name,
    evidence: best.path,
    taken: Object.entries(taken).flatMap(([what, is]) => (is ? what : [])),
  }
}

/** The highest folder, and of those the one with a usual name. */
const rankOf = (folder: string): number =>
  folder.split('/').length - (preferred.test(folder) ? 0.5 : 0)
