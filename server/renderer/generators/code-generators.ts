// Generators whose configuration is a program, which is read as far as it is data: Docusaurus, VitePress, Starlight, and Nextra.
import { folderOf, joinFolder, joinPaths, readableName } from '../sources/addresses.ts'
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
import { nodesOf, withoutOnlyGroup } from './authored-lists.ts'
import { type Found, type GeneratorFolder, mount } from './generator-folder.ts'

type Nodes = source.NavigationNode[]

const maxDepth = 30
/** Of Docusaurus: plugins for docs, and versions of each. */
const maxDocs = 50

/** As Docusaurus drops it: not of dates and versions. */
const numbered = /^(?!\d{4}[-_.]\d{2}(?:[-_.]\d{2})?|\d+[-_.]\d+)\d+\s*[-_.]+\s*(?=[^-_.\s])/

export function readDocusaurus(at: GeneratorFolder): Found {
  const { config, folder } = at
  const optionsIn = (list: unknown, name: string) =>
    listOf(list).flatMap((each) => {
      const [plugin, options] = listOf(each)
      return textOf(plugin)?.includes(name) ? [recordOf(options)] : []
    })
  const preset = optionsIn(config.presets, '').find(({ blog, docs }) => docs ?? blog) ?? {}
  const main = recordOf(preset.docs)
  const navbar = recordOf(inside(config, 'themeConfig', 'navbar'))
  const i18n = recordOf(config.i18n)
  const language = textOf(i18n.defaultLocale) ?? 'en'
  const locales = listOf(i18n.locales).flatMap((each) => textOf(each) ?? [])
  const plugins = optionsIn(config.plugins, 'content-docs')
  if (preset.docs !== false) plugins.unshift(main)
  const docs = plugins.slice(0, maxDocs).flatMap((options) => versionsOf(at, options))
  const pages = at.inside('src/pages', '')
  const blog = { ...mountOf(at, preset.blog, 'blog'), isDated: true }
  const contents: Omit<Content, 'sidebars'>[] = [
    { mount: mount('pages', pages), name: 'pages' },
    ...(preset.blog === false ? [] : [{ mount: blog, name: 'blog' }]),
    ...docs,
  ]
  const others = locales.filter((name) => name !== language).slice(0, maxDocs)
  const translated = others.flatMap((locale) =>
    contents.map(({ mount, name }) => {
      const place = `${folder}i18n/${locale}/docusaurus-plugin-content-${name}/`
      return { ...mount, folder: place, at: `${locale}/${mount.at}` }
    }),
  )
  const mounts = [...contents.map(({ mount }) => mount), ...translated].filter(
    ({ folder }) => at.below(folder).length > 0,
  )
  const edited = textOf(main.path) ?? 'docs'
  const folders = new Set(at.paths.map(folderOf))
  const statics = listOf(config.staticDirectories ?? ['static']).map((path) =>
    mount('files', at.inside(path, 'static')),
  )
  return {
    pages,
    mounts: [...mounts, ...statics],
    none: mounts.flatMap(({ folder }) => at.below(folder, /(?:^|\/)_/)),
    settings: [navbar, config, i18n],
    languages: [locales, language],
    versions: contents.flatMap(({ version }) => version ?? []),
    links: navbar.items,
    // `../docs` is a folder beside that of the website.
    edit: { start: textOf(main.editUrl), end: `${edited}/`, folder: joinFolder(folder, edited) },
    navigation: docs.flatMap(({ mount: { folder }, sidebars }) => {
      const groups = Object.entries(sidebars).map(([name, items]) => {
        const entry = listOf(navbar.items).find((item) => inside(item, 'sidebarId') === name)
        const title = firstText(entry, 'label') ?? readableName(name)
        return { title, children: nodesOf(items, { folder }) }
      })
      return groups.length === 0 ? [{ folder }] : withoutOnlyGroup(groups)
    }),
    redirects: optionsIn(config.plugins, 'client-redirects').flatMap(({ redirects }) => redirects),
    folders: new Map([...folders].map((each) => [each, factsOf(at, each)])),
    segment: (name) => name.replace(numbered, ''),
  }
}

/** The number of a folder, and what `_category_.json` or `.yml` say of it. */
function factsOf(at: GeneratorFolder, folder: string): source.FolderFacts {
  const { label, position } = at.fields(`${folder}_category_`)
  const name = folder.split('/').at(-2) ?? ''
  const order = Number(position ?? (numbered.test(name) ? Number.parseInt(name, 10) : Number.NaN))
  return { title: textOf(label), order: Number.isFinite(order) ? order : undefined }
}

function mountOf(at: GeneratorFolder, options: unknown, name: string): source.Mount {
  const route = firstText(options, 'routeBasePath') ?? name
  return mount('pages', at.inside(inside(options, 'path'), name), joinFolder('', route))
}

/** A folder of pages, its version and sidebars, and where its translations are in `i18n/de/docusaurus-plugin-content-`. */
interface Content {
  mount: source.Mount
  name: string
  version?: SiteFolder | undefined
  sidebars: Fields
}

/** The docs of a plugin, and their versions: the newest at the place of the docs, those being written at `next/`. */
function versionsOf(at: GeneratorFolder, options: Fields): Content[] {
  const current = mountOf(at, options, 'docs')
  const id = textOf(options.id) ?? 'default'
  const [start, plugin] = id === 'default' ? ['', 'docs'] : [`${id}_`, `docs-${id}`]
  const names = listOf(at.fields(`${at.folder}${start}versions.json`).items).slice(0, maxDocs)
  const kept = names.flatMap((name) => textOf(name) ?? [])
  const last = textOf(options.lastVersion) ?? kept[0] ?? 'current'
  const written = options.includeCurrentVersion === false ? [] : ['current']
  const contents = new Map<string, Content>()
  for (const version of [last, ...kept, ...written]) {
    const isWritten = version === 'current'
    const [usual, file] = isWritten ? ['next', version] : [version, `version-${version}`]
    const own = `${at.folder}${start}versioned_docs/${file}/`
    // The newest may be a link to what is being written.
    const isCurrent = isWritten || (version === last && at.below(own).length === 0)
    const folder = isCurrent ? current.folder : own
    const place = version === last ? '' : `${current.at}${usual}/`
    const name = firstText(inside(options, 'versions', version), 'label') ?? usual
    const given = textOf(options.sidebarPath) ?? 'sidebars'
    const sidebars = [`${start}versioned_sidebars/${file}-sidebars`, given, 'sidebars']
      .map((path) => at.fields(joinPaths(at.folder, path)))
      .find((fields) => Object.keys(fields).length > 0)
    contents.getOrInsert(folder, {
      mount: mount('pages', folder, place || current.at),
      name: `${plugin}/${file}`,
      version: kept.length > 0 ? { name, folder: place, of: current.at } : undefined,
      sidebars: sidebars ?? {},
    })
  }
  return [...contents.values()]
}

export function readVitepress(at: GeneratorFolder): Found {
  const { config } = at
  const pages = at.inside(config.srcDir, '')
  const locales = recordOf(config.locales)
  /** What is said of a language, also in a file of its folder. */
  const partsOf = (name: string, folder: string) => [
    recordOf(locales[name]),
    at.fields(`${pages}${folder}config`),
  ]
  const themeOf = (parts: Fields[]): Fields =>
    Object.assign({}, ...parts.map((part) => part.themeConfig))
  const root = partsOf('root', '')
  const theme = themeOf([config, ...root])
  const others = Object.keys(locales).filter((name) => name !== 'root')
  const themes = others.map((name) => themeOf(partsOf(name, `${name}/`)))
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
    mounts: [...rewritten, mount('files', `${pages}public/`)],
    none: at.folder === '' ? unused : [],
    settings: [...root, config, theme, { favicon: icon?.href, colour: tone?.content }],
    links: theme.nav,
    edit: { start: firstText(theme.editLink, 'pattern'), folder: pages },
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
    const title = (firstText(entry, 'text') ?? readableName(prefix)) || undefined
    return { title, children: nodesOf(value, form) }
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
    mounts: [
      mount('files', `${folder}src/assets/`, 'src/assets/'),
      mount('files', `${folder}public/`),
    ],
    settings: [options, inside(options, 'locales', 'root'), config],
    edit: { start: firstText(options.editLink, 'baseUrl'), folder },
    languages: [options.locales, 'root'],
    navigation: nodesOf(options.sidebar, { folder: pages, hasAddresses: true }),
    redirects: config.redirects,
    segment: (name) => name.toLowerCase(),
  }
}

/** `_meta` files of Nextra and `meta.json` of Fumadocs say the order and the titles of their folder. */
export function readNextra(at: GeneratorFolder): Found {
  const pages = /^(?:.*?\/)?(?:content|pages)\//.exec(at.file)?.[0] ?? folderOf(at.file)
  const { i18n } = at.fields(joinPaths(pages, '../next.config'))
  return {
    pages,
    mounts: [mount('files', joinFolder(pages, '../public'))],
    settings: [i18n],
    navigation: nextraNodes(at, pages, firstText(i18n, 'defaultLocale') ?? ''),
  }
}

function nextraNodes(at: GeneratorFolder, folder: string, language: string, depth = 0): Nodes {
  const sources = at.below(folder, /\.mdx?$/).map((path) => path.slice(folder.length))
  if (sources.length === 0 || depth > maxDepth) return []
  // Pages of other languages have the places of the same pages.
  const nameOf = (path: string) =>
    path.replace(/\/.*$|(\.[\w-]+)?\.mdx?$/, (_, end = '') => (isLanguage(end.slice(1)) ? '' : end))
  const inner = new Set(sources.map(nameOf))
  const fields = Object.assign(
    {},
    ...['meta', '_meta', `_meta.${language}`].map((name) => at.fields(folder + name)),
  )
  const pages = listOf(fields.pages).map((name) => [textOf(name) ?? '', undefined] as const)
  const said = new Map<string, unknown>(pages.length > 0 ? pages : Object.entries(fields))
  const others = [...inner].filter((name) => !said.has(name))
  // Stands for the others, which are at the end without it.
  said.getOrInsert('...', undefined)
  const entries = [...said.keys()].flatMap((name) => (name === '...' ? others : name))
  return entries.flatMap((name) => {
    const value = said.get(name)
    const [, text, address] = /^(?:external:)?\[([^\]]*)\]\(([^)]*)\)$/.exec(name) ?? []
    const title = textOf(value) ?? firstText(value, 'title') ?? text
    const href = firstText(value, 'href') ?? address
    if (href !== undefined) return [{ title, to: href }]
    if (!inner.has(name) || inside(value, 'display') === 'hidden') return []
    const to = folder + name
    const named = title ?? firstText(at.fields(`${to}/meta`), 'title')
    return [{ title: named, to, children: nextraNodes(at, `${to}/`, language, depth + 1) }]
  })
}
