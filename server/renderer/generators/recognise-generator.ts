// Recognises the generator that a folder was written for, from the files of the deploy: a whole repository, or the folder of its
// documentation alone. What its configuration says as data is read; nothing is executed.
import {
  type Generator,
  type GeneratorName,
  generatorNames,
  noGenerator,
} from '../sources/generator.ts'
import type { RenderInput } from '../sources/render-input.ts'
import { readDocusaurus, readNextra, readStarlight, readVitepress } from './code-generators.ts'
import {
  readDocsify,
  readGitbook,
  readMdbook,
  readMintlify,
  readMkdocs,
} from './data-generators.ts'
import { definedOf, type GeneratorFolder, openFolder, rootOf } from './generator-folder.ts'
import { type Found, readSite, redirectsOf } from './generator-settings.ts'
import { readHugo, readJekyll, readSphinx } from './site-generators.ts'

/** A file that says nothing of a folder beside its own, so that it is used only where the documentation usually is. */
const lone = (name: string) =>
  new RegExp(`^/(?:(?:docs?|documentation|book|guide)/)?(?:src/)?${name}\\.md$`)

type Recogniser = [
  name: GeneratorName,
  read: (at: GeneratorFolder) => Found,
  /** The path of the file that shows it, with `/` before it. */
  file: RegExp,
  /** What is in that file. */
  content?: RegExp,
]

/** Those that can be mistaken come later. */
const recognisers: Recogniser[] = [
  ['mkdocs', readMkdocs, /\/mkdocs\.ya?ml$/],
  ['mdbook', readMdbook, /\/book\.toml$/],
  ['docusaurus', readDocusaurus, /\/docusaurus\.config\.[cm]?[jt]s$/],
  ['vitepress', readVitepress, /\/\.vitepress\/config(\/index)?\.[cm]?[jt]s$/],
  ['starlight', readStarlight, /\/astro\.config\.[cm]?[jt]s$/, /starlight/],
  ['mintlify', readMintlify, /\/(docs|mint)\.json$/, /"navigation"\s*:/],
  ['hugo', readHugo, /\/(hugo|config\/_default\/(hugo|config))\.(toml|ya?ml|json)$/],
  ['hugo', readHugo, /\/config\.(toml|ya?ml)$/, /^baseURL\b/im],
  ['gitbook', readGitbook, /\/\.gitbook\.ya?ml$/],
  ['sphinx', readSphinx, /\/conf\.py$/, /myst_(?:parser|nb)/],
  ['nextra', readNextra, /\/(content|pages)\/(.*\/)?_meta\.([jt]sx?|json)$/],
  ['nextra', readNextra, /\/content\/(.*\/)?meta\.json$/, /"pages"\s*:/],
  ['docsify', readDocsify, lone('_sidebar')],
  ['gitbook', readGitbook, lone('SUMMARY')],
  ['jekyll', readJekyll, /\/_config\.ya?ml$/],
]

/** Folders whose generators are not that of the documentation. */
const foreign =
  /(?:^|\/)(?:examples?|tests?|__tests__|fixtures?|playground|templates?|archetypes|themes|node_modules|vendor|spec|demos?|e2e)\//i
const maxDepth = 4
/** Each file is looked up in all of them. */
const maxMounts = 500
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
  const isIn = (path: string, content: RegExp | undefined) =>
    !content || content.test(decoder.decode(input.sources.get(path)))
  const [best] = recognisers
    .flatMap(([name, read, file, content]) =>
      places
        .filter((path) => file.test(`/${path}`) && isIn(path, content))
        .map((path) => ({ name, read, path, rank: rankOf(rootOf(path)) })),
    )
    .sort((a, b) => a.rank - b.rank)
  if (!best) return noGenerator
  const folder = openFolder(input, best.path, note)
  const { mounts, notPages = [], redirects, site, ...found } = best.read(folder)
  const generator: Generator = {
    ...noGenerator,
    ...definedOf(found),
    ...readSite(folder, site, mounts),
    name: best.name,
    evidence: best.path,
    mounts: mounts.slice(0, maxMounts),
    notPages: new Set(notPages),
    redirects: redirectsOf(redirects),
  }
  const taken = {
    navigation: generator.navigation?.length,
    ...generator.settings,
    redirects: generator.redirects.length,
    'base path': generator.base,
  }
  return { ...generator, taken: Object.entries(taken).flatMap(([what, is]) => (is ? what : [])) }
}

export const nameOf = ({ name }: Generator): string | undefined => name && generatorNames[name]

/** The highest folder, and of those the one with a usual name. */
const rankOf = (folder: string): number =>
  folder.split('/').length - (preferred.test(folder) ? 0.5 : 0)
