// Generators whose configuration is a program, which is read as far as it is data: Docusaurus, VitePress, Starlight, and Nextra.
import { folderOf, joinPaths } from '../sources/addresses.ts'
import {
  type FolderFacts,
  keepSegment,
  type Mount,
  type NavigationNode,
  vitepressSlug,
} from '../sources/generator.ts'
import {
  type Fields,
  firstText,
  inside,
  isRecord,
  listOf,
  recordOf,
  textOf,
  textsIn,
} from '../sources/plain-values.ts'
import { nodesOf } from './authored-lists.ts'
import { type GeneratorFolder, joinAddress, joinFolder, mount } from './generator-folder.ts'
import type { Found } from './generator-settings.ts'

const maxDepth = 30
/** Of Docusaurus: plugins for docs, and versions of each. */
const maxDocs = 50
const codeEndings = ['.ts', '.js', '.mts', '.mjs', '.cjs', '.json']

const findFile = ({ has }: GeneratorFolder, stem: string, endings = codeEndings) =>
  endings.map((ending) => stem + ending).find(has)

/** As Docusaurus drops it: not of dates and versions. */
const numbered = /^(?!\d{4}[-_.]\d{2}(?:[-_.]\d{2})?|\d+[-_.]\d+)\d+\s*[-_.]+\s*(?=[^-_.\s])/

export function readDocusaurus(at: GeneratorFolder): Found {
  const config = at.fields(at.file)
  const optionsIn = (list: unknown, name: string) =>
    listOf(list).flatMap((each) => {
      const [plugin, options] = listOf(each)
      return (textOf(plugin) ?? '').includes(name) ? [recordOf(options)] : []
    })
  const preset = recordOf(optionsIn(config.presets, '').find(({ blog, docs }) => docs ?? blog))
  const main = recordOf(preset.docs)
  const others = optionsIn(config.plugins, 'content-docs')
  const docs = (preset.docs === false ? others : [main, ...others]).slice(0, maxDocs)
  const folders = listOf(config.staticDirectories ?? ['static'])
  const statics = folders.map((each) => joinFolder(at.folder, textOf(each) ?? 'static'))
  const mounts = [
    mount('pages', joinFolder(at.folder, 'src/pages')),
    ...(preset.blog === false ? [] : [mountOf(at, recordOf(preset.blog), 'blog')]),
    ...docs.flatMap((each) => docsMounts(at, each)),
    ...statics.map((folder) => mount('files', folder)),
  ].filter(({ folder }) => at.below(folder).length > 0)
  const navbar = recordOf(inside(config, 'themeConfig', 'navbar'))
  const edited = textOf(main.path) ?? 'docs'
  const pages = new Set(mounts.flatMap(({ folder, kind }) => (kind === 'pages' ? folder : [])))
  return {
    mounts,
    site: {
      parts: [navbar, config, config.i18n],
      images: statics,
      links: navbar.items,
      // `../docs` is a folder beside that of the website.
      edit: [
        URL.parse(joinAddress(textOf(main.editUrl), `${edited}/`) ?? '')?.href,
        joinFolder(at.folder, edited),
      ],
    },
    navigation: docs.flatMap((each) => docusaurusNodes(at, each, navbar)),
    redirects: optionsIn(config.plugins, 'client-redirects').flatMap(({ redirects }) => redirects),
    folders: new Map([...at.paths.flatMap(numberOf), ...categoriesOf(at)]),
    notPages: [...pages].flatMap((folder) => at.below(folder, /(?:^|\/)_/)),
    segment: (name) => name.replace(numbered, ''),
  }
}

function numberOf(path: string): [string, FolderFacts][] {
  const name = path.split('/').at(-2) ?? ''
  const order = Number.parseInt(name, 10)
  return numbered.test(name) ? [[folderOf(path), { title: undefined, order }]] : []
}

/** What `_category_.json` or `.yml` say of their folders. */
const categoriesOf = (at: GeneratorFolder): [string, FolderFacts][] =>
  at.below('', /(?:^|\/)_category_\.(?:json|ya?ml)$/).map((path) => {
    const { label, position } = at.fields(path)
    const order = Number(position ?? Number.NaN)
    return [
      folderOf(path),
      { title: textOf(label), order: Number.isFinite(order) ? order : undefined },
    ]
  })

function mountOf(at: GeneratorFolder, options: Fields, name: string): Mount {
  const route = textOf(options.routeBasePath) ?? name
  return mount('pages', joinFolder(at.folder, textOf(options.path) ?? name), joinFolder('', route))
}

/** The docs of a plugin, and their versions: the newest at the place of the docs, those being written at `next/`. */
function docsMounts(at: GeneratorFolder, options: Fields): Mount[] {
  const current = mountOf(at, options, 'docs')
  const id = textOf(options.id) ?? 'default'
  const start = at.folder + (id === 'default' ? '' : `${id}_`)
  const names = listOf(at.fields(`${start}versions.json`).items).slice(0, maxDocs)
  const versions = names.flatMap((name) => textOf(name) ?? [])
  if (versions.length === 0) return [current]
  const last = textOf(options.lastVersion) ?? versions[0]
  const mounts = versions.map((version): Mount => {
    const kept = `${start}versioned_docs/version-${version}/`
    // The newest may be a link to what is being written.
    const isKept = version !== last || at.below(kept).length > 0
    const place = current.at + (version === last ? '' : `${version}/`)
    return { ...mount('pages', isKept ? kept : current.folder, place), version }
  })
  if (mounts.some(({ folder }) => folder === current.folder)) return mounts
  if (options.includeCurrentVersion === false) return [{ ...current, kind: 'none' }, ...mounts]
  const next = last === 'current' ? '' : 'next/'
  return [{ ...current, at: current.at + next, version: 'next' }, ...mounts]
}

function docusaurusNodes(at: GeneratorFolder, options: Fields, navbar: Fields): NavigationNode[] {
  const route = mountOf(at, options, 'docs').at
  const newest = docsMounts(at, options).find(({ at, kind }) => at === route && kind === 'pages')
  if (!newest) return []
  const { folder, version } = newest
  const given = textOf(options.sidebarPath)
  const file =
    findFile(at, `${at.folder}versioned_sidebars/version-${version}-sidebars.json`, ['']) ??
    findFile(at, given === undefined ? '' : joinPaths(at.folder, given), ['', ...codeEndings]) ??
    findFile(at, `${at.folder}sidebars`)
  const bars = Object.entries(file === undefined ? {} : at.fields(file))
  const labels = new Map(
    listOf(navbar.items).map((item) => [inside(item, 'sidebarId'), firstText(item, 'label')]),
  )
  const groups = bars.map(([name, items]) => ({
    title: labels.get(name) ?? name,
    children: nodesOf(items, { folder }),
  }))
  if (bars.length === 0) return [{ folder }]
  return groups.length === 1 ? (groups[0]?.children ?? []) : groups
}

export function readVitepress(at: GeneratorFolder): Found {
  const config = at.fields(at.file)
  const src = joinFolder(at.folder, textOf(config.srcDir) ?? '')
  const more = at.fields(findFile(at, `${src}config`) ?? '')
  const root = recordOf(inside(config, 'locales', 'root'))
  const [theme, rootTheme, moreTheme] = [config, root, more].map((part) =>
    recordOf(part.themeConfig),
  )
  const { sidebar, ...own } = { ...theme, ...rootTheme, ...moreTheme }
  const attributes = listOf(config.head).map((tag) => recordOf(listOf(tag)[1]))
  const icon = attributes.find(({ rel }) => /icon$/.test(textOf(rel) ?? ''))
  const tone = attributes.find(({ name }) => name === 'theme-color')
  const rewritten = textsIn(config.rewrites).flatMap(([from, to]) => {
    const [, folder, rest] = /^([^:*(]+\/):(\w+)\*$/.exec(from) ?? []
    return folder && to === `:${rest}*` ? [mount('pages', joinFolder(src, folder))] : []
  })
  return {
    mounts: [mount('pages', src), ...rewritten, mount('files', `${src}public/`)],
    site: {
      parts: [more, root, config, own, { favicon: icon?.href, colour: tone?.content }],
      images: [`${src}public/`],
      links: own.nav,
      edit: [firstText(own.editLink, 'pattern'), src],
    },
    navigation: vitepressNodes(sidebar, listOf(own.nav)),
    notPages: at.folder === '' ? ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'] : [],
    slug: vitepressSlug,
  }
}

/** A list, or one for each part of the site, which has the name of its link in the header. */
function vitepressNodes(sidebar: unknown, nav: unknown[]): NavigationNode[] | undefined {
  const form = { folder: '', hasAddresses: true }
  if (!isRecord(sidebar)) return sidebar ? nodesOf(sidebar, form) : undefined
  const groups = Object.entries(sidebar).map(([prefix, value]) => {
    const entry = nav.find((each) => firstText(each, 'link')?.startsWith(prefix))
    const name = prefix.split('/').findLast((part) => part !== '')
    return { title: firstText(entry, 'text') ?? name, children: nodesOf(value, form) }
  })
  return groups.flatMap((group) => {
    const [only, ...others] = group.children
    // A sidebar of one group that has its name.
    const isSame = others.length === 0 && only?.title === group.title && only?.children
    return isSame ? [only] : groups.length === 1 ? group.children : [group]
  })
}

export function readStarlight(at: GeneratorFolder): Found {
  const config = at.fields(at.file)
  const options = recordOf(
    listOf(config.integrations).find((each) => inside(each, 'sidebar') ?? inside(each, 'title')),
  )
  const { editLink, locales, sidebar, title } = options
  const folder = joinFolder(at.folder, 'src/content/docs')
  return {
    mounts: [
      mount('pages', folder),
      mount('files', joinFolder(at.folder, 'src/assets'), 'src/assets/'),
      mount('files', joinFolder(at.folder, 'public')),
    ],
    site: {
      parts: [options, inside(locales, 'root'), config, { title: inside(title, 'en') }],
      images: [at.folder, `${at.folder}public/`],
      edit: [firstText(editLink, 'baseUrl'), at.folder],
    },
    navigation: sidebar ? nodesOf(sidebar, { folder, hasAddresses: true }) : undefined,
    redirects: config.redirects,
    segment: (name) => name.toLowerCase(),
  }
}

/** `_meta` files of Nextra and `meta.json` of Fumadocs say the order and the titles of their folder. */
export function readNextra(at: GeneratorFolder): Found {
  const folder = /^(?:.*?\/)?(?:content|pages)\//.exec(at.file)?.[0] ?? folderOf(at.file)
  return {
    mounts: [mount('pages', folder), mount('files', joinFolder(folder, '../public'))],
    site: {},
    navigation: nextraNodes(at, folder, 0),
    segment: keepSegment,
  }
}

function nextraNodes(at: GeneratorFolder, folder: string, depth: number): NavigationNode[] {
  const sources = at.below(folder, /\.mdx?$/)
  if (sources.length === 0 || depth > maxDepth) return []
  const inner = new Set(
    sources.map((path) => path.slice(folder.length).replace(/\/.*$|\.mdx?$/, '')),
  )
  const file =
    findFile(at, `${folder}_meta`, ['.tsx', ...codeEndings]) ??
    findFile(at, `${folder}meta.json`, [''])
  const fields = at.fields(file ?? '')
  const pages = listOf(fields.pages).map((name) => [textOf(name) ?? '', undefined] as const)
  const said = new Map<string, unknown>(pages.length > 0 ? pages : Object.entries(fields))
  const others = [...inner].filter((name) => !said.has(name))
  // `...` stands for the others, which are at the end without it.
  const all = [...said.keys(), ...(said.has('...') ? [] : ['...'])]
  return all
    .flatMap((name) => (name === '...' ? others : name))
    .flatMap((name) => {
      const value = said.get(name)
      const [, text, address] = /^(?:external:)?\[([^\]]*)\]\(([^)]*)\)$/.exec(name) ?? []
      const title = textOf(value) ?? firstText(value, 'title') ?? text
      const href = firstText(value, 'href') ?? address
      if (href !== undefined) return [{ title, to: href }]
      if (!inner.has(name) || inside(value, 'display') === 'hidden') return []
      const to = folder + name
      const own = firstText(at.fields(`${to}/meta.json`), 'title')
      return [{ title: title ?? own, to, children: nextraNodes(at, `${to}/`, depth + 1) }]
    })
}
