// Generators whose configuration is a program, which is read as far as it is data: Docusaurus, VitePress, Starlight, and Nextra.
import { folderOf, joinPaths } from '../sources/addresses.ts'
import * as source from '../sources/generator.ts'
import { isLanguage } from '../sources/language-names.ts'
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
import type { SiteFolder } from '../sources/settings.ts'
import { nodesOf } from './authored-lists.ts'
import {
  type Found,
  type GeneratorFolder,
  joinAddress,
  joinFolder,
  mount,
} from './generator-folder.ts'

type Nodes = source.NavigationNode[]

const maxDepth = 30
/** Of Docusaurus: plugins for docs, and versions of each. */
const maxDocs = 50
const codeEndings = ['.ts', '.js', '.mts', '.mjs', '.cjs', '.json']

const findFile = ({ has }: GeneratorFolder, stem: string, endings = codeEndings): string =>
  endings.map((ending) => stem + ending).find(has) ?? ''

/** As Docusaurus drops it: not of dates and versions. */
const numbered = /^(?!\d{4}[-_.]\d{2}(?:[-_.]\d{2})?|\d+[-_.]\d+)\d+\s*[-_.]+\s*(?=[^-_.\s])/

export function readDocusaurus(at: GeneratorFolder): Found {
  const { config, folder } = at
  const optionsIn = (list: unknown, name: string) =>
    listOf(list).flatMap((each) => {
      const [plugin, options] = listOf(each)
      return textOf(plugin)?.includes(name) ? [recordOf(options)] : []
    })
  const preset = recordOf(optionsIn(config.presets, '').find(({ blog, docs }) => docs ?? blog))
  const main = recordOf(preset.docs)
  const plugins = optionsIn(config.plugins, 'content-docs')
  const navbar = recordOf(inside(config, 'themeConfig', 'navbar'))
  const docs = (preset.docs === false ? plugins : [main, ...plugins]).slice(0, maxDocs)
  const i18n = recordOf(config.i18n)
  const language = textOf(i18n.defaultLocale) ?? 'en'
  const locales = listOf(i18n.locales).flatMap((each) => textOf(each) ?? [])
  const posts = mountOf(at, recordOf(preset.blog), 'blog')
  const blog = { mount: { ...posts, isDated: true }, name: 'blog' }
  const versions = docs.map((options) => versionsOf(at, options))
  const pages = at.inside('src/pages', '')
  const contents: Content[] = [
    { mount: mount('pages', pages), name: 'pages' },
    ...(preset.blog === false ? [] : [blog]),
    ...versions.flat(),
  ]
  const others = locales.filter((name) => name !== language).slice(0, maxDocs)
  const translated = others.flatMap((locale) =>
    contents.map(({ mount, name }) => {
      const folder = `${at.folder}i18n/${locale}/docusaurus-plugin-content-${name}/`
      return { ...mount, folder, at: `${locale}/${mount.at}` }
    }),
  )
  const mounts = [...contents.map(({ mount }) => mount), ...translated].filter(
    ({ folder }) => at.below(folder).length > 0,
  )
  const hidden = new Set(mounts.flatMap(({ folder, kind }) => (kind === 'pages' ? folder : [])))
  const edited = textOf(main.path) ?? 'docs'
  const folders = new Set(at.paths.map(folderOf))
  const statics = listOf(config.staticDirectories ?? ['static'])
  return {
    pages,
    mounts,
    files: statics.flatMap((each) => textOf(each) ?? []),
    none: [...hidden].flatMap((folder) => at.below(folder, /(?:^|\/)_/)),
    settings: [navbar, config, i18n],
    languages: [
      Object.fromEntries(locales.map((name) => [name, inside(i18n, 'localeConfigs', name)])),
      language,
    ],
    versions: contents.flatMap(({ version }) => version ?? []),
    links: navbar.items,
    // `../docs` is a folder beside that of the website.
    edit: [
      URL.parse(joinAddress(textOf(main.editUrl), `${edited}/`) ?? '')?.href,
      joinFolder(folder, edited),
    ],
    navigation: docs.flatMap((each, index) =>
      docusaurusNodes(at, each, versions[index] ?? [], navbar),
    ),
    redirects: optionsIn(config.plugins, 'client-redirects').flatMap(({ redirects }) => redirects),
    folders: new Map([...folders].map((each) => [each, factsOf(at, each)])),
    segment: (name) => name.replace(numbered, ''),
  }
}

/** The number of a folder, and what `_category_.json` or `.yml` say of it. */
function factsOf(at: GeneratorFolder, folder: string): source.FolderFacts {
  const file = findFile(at, `${folder}_category_`, ['.json', '.yml', '.yaml'])
  const { label, position } = at.fields(file)
  const name = folder.split('/').at(-2) ?? ''
  const order = Number(position ?? (numbered.test(name) ? Number.parseInt(name, 10) : Number.NaN))
  return { title: textOf(label), order: Number.isFinite(order) ? order : undefined }
}

function mountOf(at: GeneratorFolder, options: Fields, name: string): source.Mount {
  const route = textOf(options.routeBasePath) ?? name
  return mount('pages', at.inside(options.path, name), joinFolder('', route))
}

/** A folder of pages, its version, and where its translations are in `i18n/de/docusaurus-plugin-content-`. */
interface Content {
  mount: source.Mount
  name: string
  version?: SiteFolder
}

/** The docs of a plugin, and their versions: the newest at the place of the docs, those being written at `next/`. */
function versionsOf(at: GeneratorFolder, options: Fields): Content[] {
  const current = mountOf(at, options, 'docs')
  const id = textOf(options.id) ?? 'default'
  const [start, plugin] = id === 'default' ? ['', 'docs'] : [`${id}_`, `docs-${id}`]
  const names = listOf(at.fields(`${at.folder}${start}versions.json`).items).slice(0, maxDocs)
  const versions = names.flatMap((name) => textOf(name) ?? [])
  if (versions.length === 0) return [{ mount: current, name: `${plugin}/current` }]
  const last = textOf(options.lastVersion) ?? versions[0]
  const contentOf = (version: string, folder: string): Content => {
    const [usual, file] =
      version === 'current' ? ['next', version] : [version, `version-${version}`]
    const place = version === last ? '' : `${usual}/`
    const name = firstText(inside(options, 'versions', version), 'label') ?? usual
    return {
      mount: mount('pages', folder, current.at + place),
      name: `${plugin}/${file}`,
      version: { name, folder: place === '' ? '' : current.at + place, of: current.at },
    }
  }
  const kept = versions.map((version) => {
    const folder = `${at.folder}${start}versioned_docs/version-${version}/`
    // The newest may be a link to what is being written.
    const isKept = version !== last || at.below(folder).length > 0
    return contentOf(version, isKept ? folder : current.folder)
  })
  const isNewest = ({ mount }: Content) => mount.at === current.at
  const written =
    options.includeCurrentVersion === false
      ? { mount: { ...current, kind: 'none' as const }, name: '' }
      : contentOf('current', current.folder)
  const isShown = kept.some(({ mount }) => mount.folder === current.folder)
  const all = isShown ? kept : [...kept, written]
  return all.sort((a, b) => Number(isNewest(b)) - Number(isNewest(a)))
}

/** Each version has its own sidebars, or those of what is being written. */
function docusaurusNodes(
  at: GeneratorFolder,
  options: Fields,
  versions: Content[],
  navbar: Fields,
): Nodes {
  const given = joinPaths(at.folder, textOf(options.sidebarPath) ?? 'sidebars')
  const usual = findFile(at, given, ['', ...codeEndings]) || findFile(at, `${at.folder}sidebars`)
  const shown = versions.filter(({ mount }) => mount.kind === 'pages')
  return shown.flatMap(({ mount: { folder }, name }): Nodes => {
    const own = `${at.folder}versioned_sidebars/${name.replace(/.*\//, '')}-sidebars.json`
    const groups = Object.entries(at.fields(findFile(at, own, ['']) || usual)).map(
      ([name, items]) => {
        const entry = listOf(navbar.items).find((item) => inside(item, 'sidebarId') === name)
        return { title: firstText(entry, 'label') ?? name, children: nodesOf(items, { folder }) }
      },
    )
    if (groups.length === 0) return [{ folder }]
    return groups.length === 1 ? (groups[0]?.children ?? []) : groups
  })
}

export function readVitepress(at: GeneratorFolder): Found {
  const { config } = at
  const pages = at.inside(config.srcDir, '')
  const locales = recordOf(config.locales)
  const moreOf = (folder: string) => at.fields(findFile(at, `${pages}${folder}config`))
  const [more, root] = [moreOf(''), recordOf(locales.root)]
  const themeOf = (...parts: Fields[]): Fields =>
    Object.assign({}, ...parts.map((part) => part.themeConfig))
  const theme = themeOf(config, root, more)
  const others = Object.entries(locales).filter(([name]) => name !== 'root')
  const themes = others.map(([name, each]) => themeOf(recordOf(each), moreOf(`${name}/`)))
  const attributes = listOf(config.head).map((tag) => recordOf(listOf(tag)[1]))
  const icon = attributes.find(({ rel }) => /icon$/.test(textOf(rel) ?? ''))
  const tone = attributes.find(({ name }) => name === 'theme-color')
  const rewritten = textsIn(config.rewrites).flatMap(([from, to]) => {
    const [, folder, rest] = /^([^:*(]+\/):(\w+)\*$/.exec(from) ?? []
    return folder && to === `:${rest}*` ? [mount('pages', joinFolder(pages, folder))] : []
  })
  const unused = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
  return {
    pages,
    mounts: rewritten,
    files: [joinPaths(`${textOf(config.srcDir) ?? ''}/`, 'public')],
    none: at.folder === '' ? unused : [],
    settings: [more, root, config, theme, { favicon: icon?.href, colour: tone?.content }],
    links: theme.nav,
    edit: [firstText(theme.editLink, 'pattern'), pages],
    languages: [locales, 'root'],
    navigation: [theme, ...themes].flatMap(vitepressNodes),
    slug: source.vitepressSlug,
  }
}

/** A list, or one for each part of the site, which has the name of its link in the header. */
function vitepressNodes({ nav, sidebar }: Fields): Nodes {
  const form = { folder: '', hasAddresses: true }
  if (!isRecord(sidebar)) return nodesOf(sidebar, form)
  const groups = Object.entries(sidebar).map(([prefix, value]) => {
    const entry = listOf(nav).find((each) => firstText(each, 'link')?.startsWith(prefix))
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
  const { config, folder } = at
  const integrations = listOf(config.integrations).map(recordOf)
  const options = integrations.find(({ sidebar, title }) => sidebar ?? title) ?? {}
  const pages = `${folder}src/content/docs/`
  return {
    pages,
    mounts: [mount('files', `${folder}src/assets/`, 'src/assets/')],
    files: ['public'],
    settings: [
      options,
      inside(options, 'locales', 'root'),
      config,
      { title: inside(options, 'title', 'en') },
    ],
    edit: [firstText(options.editLink, 'baseUrl'), folder],
    languages: [options.locales, 'root'],
    navigation: nodesOf(options.sidebar, { folder: pages, hasAddresses: true }),
    redirects: config.redirects,
    segment: (name) => name.toLowerCase(),
  }
}

/** `_meta` files of Nextra and `meta.json` of Fumadocs say the order and the titles of their folder. */
export function readNextra(at: GeneratorFolder): Found {
  const pages = /^(?:.*?\/)?(?:content|pages)\//.exec(at.file)?.[0] ?? folderOf(at.file)
  const { i18n } = at.fields(findFile(at, joinPaths(pages, '../next.config')))
  return {
    pages,
    mounts: [mount('files', joinFolder(pages, '../public'))],
    settings: [i18n],
    navigation: nextraNodes(at, pages, firstText(i18n, 'defaultLocale') ?? ''),
    segment: source.keepSegment,
  }
}

function nextraNodes(at: GeneratorFolder, folder: string, language: string, depth = 0): Nodes {
  const sources = at.below(folder, /\.mdx?$/).map((path) => path.slice(folder.length))
  if (sources.length === 0 || depth > maxDepth) return []
  const inner = new Set(
    sources.map((path) =>
      // Pages of other languages have the places of the same pages.
      path.replace(/\/.*$|(\.[\w-]+)?\.mdx?$/, (_, end = '') =>
        isLanguage(end.slice(1)) ? '' : end,
      ),
    ),
  )
  const endings = codeEndings.flatMap((end) => [end, `.${language}${end}`])
  const own = findFile(at, `${folder}_meta`, ['.tsx', ...endings]) || `${folder}meta.json`
  const fields = at.fields(own)
  const pages = listOf(fields.pages).map((name) => [textOf(name) ?? '', undefined] as const)
  const said = new Map<string, unknown>(pages.length > 0 ? pages : Object.entries(fields))
  const others = [...inner].filter((name) => !said.has(name))
  // `...` stands for the others, which are at the end without it.
  const all = [...said.keys(), ...(said.has('...') ? [] : ['...'])]
  const entries = all.flatMap((name) => (name === '...' ? others : name))
  return entries.flatMap((name) => {
    const value = said.get(name)
    const [, text, address] = /^(?:external:)?\[([^\]]*)\]\(([^)]*)\)$/.exec(name) ?? []
    const title = textOf(value) ?? firstText(value, 'title') ?? text
    const href = firstText(value, 'href') ?? address
    if (href !== undefined) return [{ title, to: href }]
    if (!inner.has(name) || inside(value, 'display') === 'hidden') return []
    const to = folder + name
    const named = title ?? firstText(at.fields(`${to}/meta.json`), 'title')
    return [{ title: named, to, children: nextraNodes(at, `${to}/`, language, depth + 1) }]
  })
}
