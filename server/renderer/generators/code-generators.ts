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
} from '../sources/plain-values.ts'
import {
  baseOf,
  type Found,
  type GeneratorFolder,
  isWeb,
  joinAddress,
  joinFolder,
  mount,
  originOf,
  settingsOf,
} from './generator-folder.ts'

const maxDepth = 30
/** Of Docusaurus: plugins for docs, and versions of each. */
const maxDocs = 50
const codeEndings = ['.ts', '.js', '.mts', '.mjs', '.cjs', '.json']

const findFile = ({ has }: GeneratorFolder, stem: string, endings = codeEndings) =>
  endings.map((ending) => stem + ending).find(has)

/** As Docusaurus drops it: not of dates and versions. */
const numbered = /^(?!\d{4}[-_.]\d{2}(?:[-_.]\d{2})?|\d+[-_.]\d+)\d+\s*[-_.]+\s*(?=[^-_.\s])/
const withoutNumber = (name: string): string => name.replace(numbered, '')

export function readDocusaurus(at: GeneratorFolder): Found {
  const config = at.fields(at.file)
  const options = listOf(config.presets).map((preset) =>
    recordOf(listOf(preset).findLast(isRecord)),
  )
  const plugins = listOf(config.plugins).flatMap((plugin) =>
    Array.isArray(plugin) ? [[textOf(plugin[0]) ?? '', recordOf(plugin[1])] as const] : [],
  )
  const preset = recordOf(options.find(({ blog, docs }) => isRecord(docs) || isRecord(blog)))
  const others = plugins.filter(([name]) => name.includes('content-docs')).map(([, each]) => each)
  const all = preset.docs === false ? others : [recordOf(preset.docs), ...others]
  const docs = all.slice(0, maxDocs)
  const mounts = [
    mount('pages', joinFolder(at.folder, 'src/pages')),
    ...(preset.blog === false ? [] : [mountOf(at, recordOf(preset.blog), 'blog')]),
    ...docs.flatMap((each) => docsMounts(at, each)),
    ...listOf(config.staticDirectories ?? ['static']).map((each) =>
      mount('files', joinFolder(at.folder, textOf(each) ?? 'static')),
    ),
  ]
  const navbar = recordOf(inside(config, 'themeConfig', 'navbar'))
  const images = (value: unknown) => [joinPaths(at.folder, `static/${textOf(value) ?? ''}`)]
  const values = {
    title: navbar.title ?? config.title,
    description: config.tagline,
    language: inside(config, 'i18n', 'defaultLocale'),
  }
  const logo = images(inside(navbar, 'logo', 'src'))
  const redirects = plugins.filter(([name]) => name.includes('client-redirects'))
  const folders = new Set(mounts.flatMap(({ folder, kind }) => (kind === 'pages' ? folder : [])))
  const { editUrl, path } = recordOf(preset.docs)
  const edited = textOf(path) ?? 'docs'
  // `../docs` is a folder beside that of the website.
  const template = URL.parse(joinAddress(textOf(editUrl), `${edited}/`) ?? '')?.href
  return {
    mounts: mounts.filter(({ folder }) => at.below(folder).length > 0),
    base: baseOf(config.baseUrl),
    origin: originOf(config.url),
    settings: settingsOf(at, values, {
      logo,
      favicon: images(config.favicon),
      links: { items: listOf(navbar.items), titles: ['label'], addresses: ['href', 'to'] },
      edit: [template, joinFolder(at.folder, edited)],
    }),
    navigation: docs.flatMap((each) => docusaurusNodes(at, each, navbar)),
    redirects: redirects.flatMap(([, each]) =>
      listOf(each.redirects).flatMap((rule) => {
        const to = textOf(inside(rule, 'to'))
        const from = [inside(rule, 'from')].flat().flatMap((path) => textOf(path) ?? [])
        return to === undefined ? [] : from.map((path) => ({ from: path, to }))
      }),
    ),
    folders: new Map([
      ...at.paths.flatMap((path) => numberedFolder(folderOf(path))),
      ...at.paths.flatMap((path) => categoryOf(at, path)),
    ]),
    notPages: new Set([...folders].flatMap((folder) => at.below(folder, /(?:^|\/)_/))),
    segment: withoutNumber,
  }
}

function numberedFolder(folder: string): [string, FolderFacts][] {
  const name = folder.slice(folderOf(folder.slice(0, -1)).length)
  return numbered.test(name)
    ? [[folder, { title: undefined, order: Number.parseInt(name, 10) }]]
    : []
}

/** The folder of `_category_.json` or `.yml`, and what it says. */
function categoryOf(at: GeneratorFolder, path: string): [string, FolderFacts][] {
  if (!/(?:^|\/)_category_\.(?:json|ya?ml)$/.test(path)) return []
  const { label, position } = at.fields(path)
  const order = position === undefined ? Number.NaN : Number(position)
  return [
    [folderOf(path), { title: textOf(label), order: Number.isFinite(order) ? order : undefined }],
  ]
}

function mountOf(at: GeneratorFolder, options: Fields, name: string): Mount {
  const route = textOf(options.routeBasePath) ?? name
  return mount('pages', joinFolder(at.folder, textOf(options.path) ?? name), joinFolder('', route))
}

/** The docs of a plugin, and their versions: the newest at the place of the docs, those being written at `next/`. */
function docsMounts(at: GeneratorFolder, options: Fields): Mount[] {
  const current = mountOf(at, options, 'docs')
  const id = textOf(options.id)
  const prefix = id === undefined || id === 'default' ? '' : `${id}_`
  const names = listOf(at.fields(`${at.folder}${prefix}versions.json`).items)
  const versions = names.slice(0, maxDocs).flatMap((name) => textOf(name) ?? [])
  if (versions.length === 0) return [current]
  const last = textOf(options.lastVersion) ?? versions[0] ?? ''
  const mounts = versions.map((version): Mount => {
    const place = version === last ? '' : `${version}/`
    const kept = `${at.folder}${prefix}versioned_docs/version-${version}/`
    const isThere = at.below(kept).length > 0
    // The newest may be a link to what is being written.
    const folder = isThere || version !== last ? kept : current.folder
    return { ...mount('pages', folder, current.at + place), version }
  })
  if (mounts.some(({ folder }) => folder === current.folder)) return mounts
  if (options.includeCurrentVersion === false) return [{ ...current, kind: 'none' }, ...mounts]
  const next = last === 'current' ? '' : 'next/'
  return [{ ...current, at: current.at + next, version: 'next' }, ...mounts]
}

function docusaurusNodes(at: GeneratorFolder, options: Fields, navbar: Fields): NavigationNode[] {
  const mounts = docsMounts(at, options).filter(({ kind }) => kind === 'pages')
  const route = mountOf(at, options, 'docs').at
  const newest = mounts.find((mount) => mount.at === route)
  if (!newest) return []
  const { folder } = newest
  const given = textOf(options.sidebarPath)
  const versioned =
    newest.version && `${at.folder}versioned_sidebars/version-${newest.version}-sidebars.json`
  const file =
    (versioned && at.has(versioned) ? versioned : undefined) ??
    (given === undefined
      ? undefined
      : findFile(at, joinPaths(at.folder, given), ['', ...codeEndings])) ??
    findFile(at, `${at.folder}sidebars`)
  const bars = Object.entries(file === undefined ? {} : at.fields(file))
  if (bars.length === 0) return [{ title: undefined, folder }]
  const labels = new Map(
    listOf(navbar.items).map((item) => [inside(item, 'sidebarId'), textOf(inside(item, 'label'))]),
  )
  const groups = bars.map(([name, items]) => ({
    title: labels.get(name) ?? name,
    children: docusaurusItems(items, folder, 0),
  }))
  return groups.length === 1 ? (groups[0]?.children ?? []) : groups
}

function docusaurusItems(value: unknown, folder: string, depth: number): NavigationNode[] {
  if (depth > maxDepth) return []
  const doc = (id: string) => joinPaths(folder, id)
  if (typeof value === 'string') return [{ to: doc(value) }]
  if (Array.isArray(value)) return value.flatMap((each) => docusaurusItems(each, folder, depth + 1))
  if (!isRecord(value)) return []
  const { href, id, items, label, link, type } = value
  const title = textOf(label)
  const to = textOf(href) ?? (textOf(id) === undefined ? undefined : doc(textOf(id) ?? ''))
  if (type === 'autogenerated') return [{ folder: joinFolder(folder, textOf(value.dirName) ?? '') }]
  if (type === 'category') {
    const page = textOf(inside(link, 'id'))
    return [
      {
        title,
        to: page === undefined ? undefined : doc(page),
        children: docusaurusItems(items, folder, depth + 1),
      },
    ]
  }
  if (type === undefined) {
    return Object.entries(value).map(([name, inner]) => ({
      title: name,
      children: docusaurusItems(inner, folder, depth + 1),
    }))
  }
  return to === undefined ? [] : [{ title, to }]
}

export function readVitepress(at: GeneratorFolder): Found {
  const config = at.fields(at.file)
  const src = joinFolder(at.folder, textOf(config.srcDir) ?? '')
  const inner = findFile(at, `${src}config`)
  const more = inner === undefined ? {} : at.fields(inner)
  const root = recordOf(inside(config, 'locales', 'root'))
  const theme: Fields = {
    ...recordOf(config.themeConfig),
    ...recordOf(root.themeConfig),
    ...recordOf(more.themeConfig),
  }
  const head = listOf(config.head).map((each) => listOf(each))
  const icon = head.find(([, fields]) => /icon$/.test(textOf(inside(fields, 'rel')) ?? ''))
  const tone = head.find(([, fields]) => inside(fields, 'name') === 'theme-color')
  const image = (...values: unknown[]) =>
    values.flatMap((value) => `${src}public/${(textOf(value) ?? '').replace(/^\//, '')}`)
  const values = {
    title: root.title ?? config.title,
    description: more.description ?? root.description ?? config.description,
    language: root.lang ?? config.lang,
    colour: inside(tone?.[1], 'content'),
  }
  const { logo, nav } = theme
  const rewritten = Object.entries(recordOf(config.rewrites)).flatMap(([from, to]) => {
    const folder = /^([^:*(]+\/):(\w+)\*$/.exec(from)
    if (!folder || to !== `:${folder[2]}*`) return []
    return [mount('pages', joinFolder(src, folder[1] ?? ''))]
  })
  return {
    mounts: [mount('pages', src), ...rewritten, mount('files', `${src}public/`)],
    base: baseOf(config.base),
    settings: settingsOf(at, values, {
      logo: image(logo, inside(logo, 'src'), inside(logo, 'light')),
      favicon: image(inside(icon?.[1], 'href')),
      links: { items: listOf(nav), titles: ['text'], addresses: ['link'] },
      edit: [textOf(inside(theme, 'editLink', 'pattern')), src],
    }),
    navigation: vitepressNodes(theme.sidebar, listOf(nav)),
    notPages: new Set(at.folder === '' ? ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'] : []),
    slug: vitepressSlug,
  }
}

function vitepressNodes(sidebar: unknown, nav: unknown[]): NavigationNode[] | undefined {
  if (Array.isArray(sidebar)) return vitepressItems(sidebar, '', 0)
  if (!isRecord(sidebar)) return undefined
  const groups = Object.entries(sidebar).map(([prefix, value]) => {
    const base = textOf(inside(value, 'base')) ?? ''
    const items = Array.isArray(value) ? value : listOf(inside(value, 'items'))
    const entry = nav.find((each) => (textOf(inside(each, 'link')) ?? '').startsWith(prefix))
    const name = prefix.split('/').findLast((part) => part !== '')
    const title = textOf(inside(entry, 'text')) ?? name
    return { title, children: vitepressItems(items, base, 0) }
  })
  return groups.flatMap((group) => {
    const [only, ...others] = group.children
    // A sidebar of one group that has its name.
    const isSame = others.length === 0 && only?.title === group.title && only?.children
    return isSame ? [only] : groups.length === 1 ? group.children : [group]
  })
}

function vitepressItems(items: unknown[], base: string, depth: number): NavigationNode[] {
  if (depth > maxDepth) return []
  return items.flatMap((item) => {
    const own = textOf(inside(item, 'base')) ?? base
    const link = textOf(inside(item, 'link'))?.replace(/#.*$/, '')
    const path = link === undefined || isWeb(link) ? link : `/${joinLink(own, link)}`
    const inner = listOf(inside(item, 'items'))
    const children = inner.length === 0 ? undefined : vitepressItems(inner, own, depth + 1)
    return path === undefined && !children
      ? []
      : [{ title: textOf(inside(item, 'text')), to: path, children }]
  })
}

const joinLink = (base: string, link: string) =>
  `${base}${link}`.replace(/\/+/g, '/').replace(/^\//, '')

export function readStarlight(at: GeneratorFolder): Found {
  const config = at.fields(at.file)
  const options = recordOf(
    listOf(config.integrations).find(
      (each) => 'sidebar' in recordOf(each) || 'title' in recordOf(each),
    ),
  )
  const content = joinFolder(at.folder, 'src/content/docs')
  const paths = (value: unknown) => [joinPaths(at.folder, textOf(value) ?? '')]
  const { logo, locales, title } = options
  const values = {
    title: textOf(title) ?? inside(title, 'en'),
    description: options.description,
    language: inside(locales, 'root', 'lang'),
  }
  const icons = [textOf(options.favicon) ?? 'favicon.svg', 'favicon.ico']
  return {
    mounts: [
      mount('pages', content),
      mount('files', joinFolder(at.folder, 'src/assets'), 'src/assets/'),
      mount('files', joinFolder(at.folder, 'public')),
    ],
    base: baseOf(config.base),
    origin: originOf(config.site),
    settings: settingsOf(at, values, {
      logo: ['src', 'light'].flatMap((name) => paths(inside(logo, name))),
      favicon: icons.map((name) => joinPaths(at.folder, `public/${name}`)),
      edit: [textOf(inside(options, 'editLink', 'baseUrl')), at.folder],
    }),
    navigation: Array.isArray(options.sidebar)
      ? starlightItems(options.sidebar, content, 0)
      : undefined,
    redirects: Object.entries(recordOf(config.redirects)).flatMap(([from, to]) => {
      const target = textOf(to) ?? textOf(inside(to, 'destination'))
      return target === undefined || /[[\]]/.test(from) ? [] : [{ from, to: target }]
    }),
    segment: (name) => name.toLowerCase(),
  }
}

function starlightItems(items: unknown[], content: string, depth: number): NavigationNode[] {
  if (depth > maxDepth) return []
  return items.flatMap((item): NavigationNode[] => {
    if (typeof item === 'string') return [{ to: `/${item}` }]
    const { autogenerate, items: inner, label, link, slug } = recordOf(item)
    const title = textOf(label)
    const to = textOf(link) ?? (textOf(slug) === undefined ? undefined : `/${textOf(slug)}`)
    const directory = textOf(inside(autogenerate, 'directory'))
    if (directory !== undefined) return [{ title, folder: joinFolder(content, directory) }]
    if (Array.isArray(inner))
      return [{ title, children: starlightItems(inner, content, depth + 1) }]
    return to === undefined ? [] : [{ title, to }]
  })
}

/** `_meta` files of Nextra and `meta.json` of Fumadocs say the order and the titles of their folder. */
export function readNextra(at: GeneratorFolder): Found {
  const folder = /^(?:.*?\/)?(?:content|pages)\//.exec(at.file)?.[0] ?? folderOf(at.file)
  const root = folderOf(folder.slice(0, -1))
  return {
    mounts: [mount('pages', folder), mount('files', `${root}public/`)],
    navigation: nextraNodes(at, folder, 0),
    segment: keepSegment,
  }
}

function nextraNodes(at: GeneratorFolder, folder: string, depth: number): NavigationNode[] {
  const file =
    findFile(at, `${folder}_meta`, ['.tsx', ...codeEndings]) ??
    findFile(at, `${folder}meta`, ['.json'])
  const fields = file === undefined ? {} : at.fields(file)
  const entries =
    /\/?meta\.json$/.test(file ?? '') && Array.isArray(fields.pages)
      ? fields.pages.flatMap((name) =>
          typeof name === 'string' ? [[name, undefined] as const] : [],
        )
      : Object.entries(fields)
  const inner = new Set(
    at
      .below(folder, /\.mdx?$/)
      .map((path) => path.slice(folder.length).replace(/\/.*$|\.mdx?$/, '')),
  )
  const named = new Set(entries.map(([name]) => name))
  const rest = [...inner]
    .filter((name) => !named.has(name))
    .map((name) => [name, undefined] as const)
  const isWhole = entries.length === 0 || !named.has('...')
  const all = isWhole
    ? [...entries, ...rest]
    : entries.flatMap((each) => (each[0] === '...' ? rest : [each]))
  if (depth > maxDepth) return []
  return all.flatMap(([name, value]): NavigationNode[] => {
    const title = textOf(value) ?? firstText(value, 'title')
    const separator = /^---(.*?)-*$/.exec(name)?.[1]
    if (separator !== undefined || inside(value, 'type') === 'separator') return []
    const href =
      textOf(inside(value, 'href')) ?? /^(?:external:)?\[[^\]]*\]\(([^)]*)\)$/.exec(name)?.[1]
    const label = /^\[([^\]]*)\]\(/.exec(name)?.[1]
    if (href !== undefined) return [{ title: title ?? label, to: href }]
    if (inside(value, 'display') === 'hidden' || name === '*') return []
    const path = folder + name
    if (!inner.has(name)) return []
    if (at.below(`${path}/`).length === 0) return [{ title, to: path }]
    const page = textOf(at.fields(`${path}/meta.json`).title)
    return [{ title: title ?? page, to: path, children: nextraNodes(at, `${path}/`, depth + 1) }]
  })
}
