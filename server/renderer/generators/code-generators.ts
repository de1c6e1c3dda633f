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
import type { SiteFolder } from '../sources/settings.ts'
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
  const i18n = recordOf(config.i18n)
  const language = textOf(i18n.defaultLocale) ?? 'en'
  const locales = listOf(i18n.locales).flatMap((each) => textOf(each) ?? [])
  const contents: Content[] = [
    { mount: mount('pages', joinFolder(at.folder, 'src/pages')), name: 'pages' },
    ...(preset.blog === false
      ? []
      : [{ mount: mountOf(at, recordOf(preset.blog), 'blog'), name: 'blog' }]),
    ...docs.flatMap((each) => docsOf(at, each)),
  ]
  const translated = locales
    .filter((name) => name !== language)
    .slice(0, maxDocs)
    .flatMap((locale) =>
      contents.map(({ mount: { at: place, kind }, name }) => {
        const folder = `${at.folder}i18n/${locale}/docusaurus-plugin-content-${name}/`
        return mount(kind, folder, `${locale}/${place}`)
      }),
    )
  const mounts = [
    ...contents.map(({ mount }) => mount),
    ...translated,
    ...statics.map((folder) => mount('files', folder)),
  ].filter(({ folder }) => at.below(folder).length > 0)
  const navbar = recordOf(inside(config, 'themeConfig', 'navbar'))
  const edited = textOf(main.path) ?? 'docs'
  const pages = new Set(mounts.flatMap(({ folder, kind }) => (kind === 'pages' ? folder : [])))
  return {
    mounts,
    site: {
      parts: [navbar, config, i18n],
      images: statics,
      languages: [
        Object.fromEntries(locales.map((name) => [name, inside(i18n, 'localeConfigs', name)])),
        language,
      ],
      versions: contents.flatMap(({ version }) => version ?? []),
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

/** A folder of pages, its version, and where its translations are in `i18n/de/docusaurus-plugin-content-`. */
interface Content {
  mount: Mount
  name: string
  version?: SiteFolder
}

/** The docs of a plugin, and their versions: the newest at the place of the docs, those being written at `next/`. */
function docsOf(at: GeneratorFolder, options: Fields): Content[] {
  const current = mountOf(at, options, 'docs')
  const id = textOf(options.id) ?? 'default'
  const isDefault = id === 'default'
  const start = at.folder + (isDefault ? '' : `${id}_`)
  const names = listOf(at.fields(`${start}versions.json`).items).slice(0, maxDocs)
  const versions = names.flatMap((name) => textOf(name) ?? [])
  const last = textOf(options.lastVersion) ?? versions[0]
  const contentOf = (version: string, folder: string): Content => {
    const place = version === last ? '' : `${version === 'current' ? 'next' : version}/`
    const label = firstText(inside(options, 'versions', version), 'label')
    const name = label ?? (version === 'current' ? 'next' : version)
    return {
      mount: mount('pages', folder, current.at + place),
      name: `docs${isDefault ? '' : `-${id}`}/${version === 'current' ? '' : 'version-'}${version}`,
      version: { name, folder: place === '' ? '' : current.at + place, of: current.at },
    }
  }
  const kept = versions.map((version) => {
    const folder = `${start}versioned_docs/version-${version}/`
    // The newest may be a link to what is being written.
    const isKept = version !== last || at.below(folder).length > 0
    return contentOf(version, isKept ? folder : current.folder)
  })
  const written = contentOf('current', current.folder)
  if (versions.length === 0) return [{ mount: current, name: written.name }]
  const isNewest = ({ mount }: Content) => mount.at === current.at
  const isWritten = options.includeCurrentVersion !== false
  const all = kept.some(({ mount }) => mount.folder === current.folder) ? kept : [...kept, written]
  const shown = all.map((each) =>
    each === written && !isWritten
      ? { mount: { ...current, kind: 'none' as const }, name: '' }
      : each,
  )
  return shown.sort((a, b) => Number(isNewest(b)) - Number(isNewest(a)))
}

/** Each version has its own sidebars, or those of what is being written. */
function docusaurusNodes(at: GeneratorFolder, options: Fields, navbar: Fields): NavigationNode[] {
  const given = textOf(options.sidebarPath)
  const usual =
    findFile(at, given === undefined ? '' : joinPaths(at.folder, given), ['', ...codeEndings]) ??
    findFile(at, `${at.folder}sidebars`)
  const labels = new Map(
    listOf(navbar.items).map((item) => [inside(item, 'sidebarId'), firstText(item, 'label')]),
  )
  const pages = docsOf(at, options).filter(({ mount }) => mount.kind === 'pages')
  return pages.flatMap(({ mount: { folder }, name }) => {
    const own = `${at.folder}versioned_sidebars/${name.replace(/.*\//, '')}-sidebars.json`
    const bars = Object.entries(at.fields(findFile(at, own, ['']) ?? usual ?? ''))
    const groups = bars.map(([name, items]) => ({
      title: labels.get(name) ?? name,
      children: nodesOf(items, { folder }),
    }))
    if (bars.length === 0) return [{ folder }]
    return groups.length === 1 ? (groups[0]?.children ?? []) : groups
  })
}

export function readVitepress(at: GeneratorFolder): Found {
  const config = at.fields(at.file)
  const src = joinFolder(at.folder, textOf(config.srcDir) ?? '')
  const locales = recordOf(config.locales)
  const moreOf = (folder: string) => at.fields(findFile(at, `${src}${folder}config`) ?? '')
  const more = moreOf('')
  const root = recordOf(locales.root)
  const themeOf = (...parts: unknown[]) =>
    Object.assign({}, ...parts.map((part) => inside(part, 'themeConfig')))
  const { sidebar, ...own }: Fields = themeOf(config, root, more)
  const others = Object.entries(locales).filter(([name]) => name !== 'root')
  const themes = others.map(([name, each]): Fields => themeOf(each, moreOf(`${name}/`)))
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
      languages: [locales, 'root'],
    },
    navigation: [{ ...own, sidebar }, ...themes].flatMap(vitepressNodes),
    notPages: at.folder === '' ? ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'] : [],
    slug: vitepressSlug,
  }
}

/** A list, or one for each part of the site, which has the name of its link in the header. */
function vitepressNodes({ nav, sidebar }: Fields): NavigationNode[] {
  const form = { folder: '', hasAddresses: true }
  if (!isRecord(sidebar)) return sidebar ? nodesOf(sidebar, form) : []
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
      languages: [locales, 'root'],
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
