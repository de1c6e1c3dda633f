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
import {
  decoded,
  definedOf,
  type Found,
  type GeneratorFolder,
  isAddress,
  openFolder,
} from './generator-folder.ts'
import { readHugo, readJekyll, readSphinx } from './site-generators.ts'

interface Recogniser {
  name: GeneratorName
  /** The path of the file that shows it, with `/` before it. */
  file: RegExp
  /** What is in that file. */
  content?: RegExp
  read(at: GeneratorFolder): Found
}

/** A file that says nothing of a folder beside its own, so that it is used only where the documentation usually is. */
const lone = (name: string) =>
  new RegExp(`^/(?:(?:docs?|documentation|book|guide)/)?(?:src/)?${name}\\.md$`)

/** Those that can be mistaken come later. */
const recognisers: Recogniser[] = [
  { read: readMkdocs, name: 'mkdocs', file: /\/mkdocs\.ya?ml$/ },
  { read: readMdbook, name: 'mdbook', file: /\/book\.toml$/ },
  { read: readDocusaurus, name: 'docusaurus', file: /\/docusaurus\.config\.[cm]?[jt]s$/ },
  { read: readVitepress, name: 'vitepress', file: /\/\.vitepress\/config(\/index)?\.[cm]?[jt]s$/ },
  {
    read: readStarlight,
    name: 'starlight',
    file: /\/astro\.config\.[cm]?[jt]s$/,
    content: /starlight/,
  },
  {
    read: readMintlify,
    name: 'mintlify',
    file: /\/(docs|mint)\.json$/,
    content: /"navigation"\s*:/,
  },
  { read: readHugo, name: 'hugo', file: /\/hugo\.(toml|ya?ml|json)$/ },
  { read: readHugo, name: 'hugo', file: /\/config\/_default\/(hugo|config)\.(toml|ya?ml|json)$/ },
  { read: readHugo, name: 'hugo', file: /\/config\.(toml|ya?ml)$/, content: /^baseURL\b/im },
  { read: readGitbook, name: 'gitbook', file: /\/\.gitbook\.ya?ml$/ },
  { read: readSphinx, name: 'sphinx', file: /\/conf\.py$/, content: /myst_(?:parser|nb)/ },
  { read: readNextra, name: 'nextra', file: /\/(content|pages)\/(.*\/)?_meta\.([jt]sx?|json)$/ },
  {
    read: readNextra,
    name: 'nextra',
    file: /\/content\/(.*\/)?meta\.json$/,
    content: /"pages"\s*:/,
  },
  { read: readDocsify, name: 'docsify', file: lone('_sidebar') },
  { read: readGitbook, name: 'gitbook', file: lone('SUMMARY') },
  { read: readJekyll, name: 'jekyll', file: /\/_config\.ya?ml$/ },
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
  const places = [...input.sources.keys()].filter(
    (path) => !foreign.test(path) && path.split('/').length <= maxDepth + 1,
  )
  const candidates = recognisers.flatMap((recogniser, order) =>
    places.flatMap((path) => {
      const { content, file } = recogniser
      if (!file.test(`/${path}`)) return []
      const isIt = !content || content.test(decoder.decode(input.sources.get(path)))
      return isIt ? [{ recogniser, order, path, folder: openedFolder(path) }] : []
    }),
  )
  const [best] = candidates.sort(
    (a, b) =>
      depthOf(a.folder) - depthOf(b.folder) ||
      Number(preferred.test(b.folder)) - Number(preferred.test(a.folder)) ||
      a.order - b.order ||
      (a.path < b.path ? -1 : 1),
  )
  if (!best) return noGenerator
  const { name, read } = best.recogniser
  const told = read(openFolder(input, best.path, note))
  const generator = {
    ...told,
    mounts: told.mounts?.slice(0, maxMounts),
    redirects: told.redirects
      ?.map(({ from, to }) => ({ from: encodeURI(decoded(from)), to: encodeURI(decoded(to)) }))
      .filter(({ from, to }) => /^\/[^?#]*$/.test(from) && isAddress(to) && from !== to),
  }
  const taken = {
    navigation: (generator.navigation?.length ?? 0) > 0,
    ...generator.settings,
    redirects: (generator.redirects?.length ?? 0) > 0,
    'base path': (generator.base ?? '') !== '',
  }
  return {
    ...noGenerator,
    ...definedOf(generator),
    name,
    evidence: best.path,
    taken: Object.entries(taken).flatMap(([what, isTaken]) => (isTaken ? [what] : [])),
  }
}

export const nameOf = ({ name }: Generator): string | undefined => name && generatorNames[name]

/** Without the hidden or fixed folders that the file is in. */
const openedFolder = (path: string): string =>
  path.slice(0, path.lastIndexOf('/') + 1).replace(/(^|\/)(?:\.[^/]+|config\/_default)\/.*$/, '$1')

const depthOf = (folder: string): number => folder.split('/').length
