// Generators whose configuration is data: MkDocs, mdBook, GitBook, docsify and Mintlify.
import { folderOf, joinPaths } from '../sources/addresses.ts'
import { type NavigationNode, pythonSlug } from '../sources/generator.ts'
import {
  type Fields,
  firstText,
  inside,
  listOf,
  recordOf,
  textOf,
  textsIn,
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
import { readContents } from './list-of-contents.ts'

const maxDepth = 30
/** Files that name each other would have no end. */
const maxRefs = 500

/** The colours that Material for MkDocs has names for. */
const materialColours: Record<string, string> = {
  ...{ red: '#ef5552', pink: '#e92063', purple: '#ab47bd', 'deep purple': '#7e56c2' },
  ...{ indigo: '#4051b5', blue: '#2094f3', 'light blue': '#02a6f2', cyan: '#00bdd6' },
  ...{ teal: '#009485', green: '#4cae4f', 'light green': '#8bc34b', lime: '#cbdc38' },
  ...{ amber: '#ffc105', orange: '#ffa724', 'deep orange': '#ff6e42', brown: '#795649' },
}

export function readMkdocs(at: GeneratorFolder): Found {
  const inherited = textOf(at.fields(at.file).INHERIT)
  const parent = inherited && at.fields(joinPaths(at.folder, inherited))
  const config: Fields = { ...parent, ...at.fields(at.file) }
  const docs = joinFolder(at.folder, textOf(config.docs_dir) ?? 'docs')
  const theme = recordOf(config.theme)
  const [palette] = [theme.palette].flat().filter((each) => textOf(inside(each, 'primary')))
  const primary = textOf(inside(palette, 'primary')) ?? ''
  const image = (name: string) => [joinPaths(docs, textOf(theme[name]) ?? '')]
  const values = {
    title: config.site_name,
    description: config.site_description,
    language: theme.language,
    colour: materialColours[primary],
  }
  const maps = inside(pluginOf(config.plugins, 'redirects'), 'redirect_maps')
  const repository = textOf(config.repo_url) ?? ''
  const usual = /\/\/git(?:hub|lab)\.com\//.test(repository) ? `edit/master/${docs}` : undefined
  const place = config.edit_uri === undefined ? usual : textOf(config.edit_uri)
  const address = (path: string) =>
    isWeb(path) ? path : `/${path.replace(/(?:^|\/)(?:index|README)\.md$|\.md$/, '')}`
  return {
    mounts: [mount('pages', docs)],
    base: baseOf(config.site_url),
    origin: originOf(config.site_url),
    settings: settingsOf(at, values, {
      logo: image('logo'),
      favicon: image('favicon'),
      edit: [joinAddress(repository, place), docs],
    }),
    navigation: Array.isArray(config.nav) ? mkdocsNodes(config.nav, docs, 0) : undefined,
    redirects: textsIn(maps).map(([from, to]) => ({
      from: address(from),
      to: address(to.replace(/#.*$/, '')),
    })),
    slug: pythonSlug,
  }
}

/** The options of a plugin in a list of names and of names with options. */
function pluginOf(plugins: unknown, name: string): unknown {
  const found = listOf(plugins).find((each) => recordOf(each)[name] !== undefined)
  return recordOf(found ?? plugins)[name]
}

function mkdocsNodes(list: unknown[], docs: string, depth: number): NavigationNode[] {
  if (depth > maxDepth) return []
  return list.flatMap((item) => {
    if (typeof item === 'string') return mkdocsNode(undefined, item, docs, depth)
    return Object.entries(recordOf(item)).flatMap(([title, value]) =>
      mkdocsNode(title, value, docs, depth),
    )
  })
}

function mkdocsNode(
  title: string | undefined,
  value: unknown,
  docs: string,
  depth: number,
): NavigationNode[] {
  if (Array.isArray(value)) return [{ title, children: mkdocsNodes(value, docs, depth + 1) }]
  const to = textOf(value)
  if (to === undefined) return []
  if (isWeb(to) || to.startsWith('/')) return [{ title, to }]
  const path = joinPaths(docs, to.replace(/#.*$/, ''))
  return [to.endsWith('/') ? { title, folder: `${path}/` } : { title, to: path }]
}

export function readMdbook(at: GeneratorFolder): Found {
  const config = at.fields(at.file)
  const book = recordOf(config.book)
  const html = recordOf(inside(config, 'output', 'html'))
  const src = joinFolder(at.folder, textOf(book.src) ?? 'src')
  const contents = `${src}SUMMARY.md`
  const theme = joinFolder(at.folder, textOf(html.theme) ?? 'theme')
  const favicon = [`${theme}favicon.svg`, `${theme}favicon.png`]
  const page = (address: string) => address.replace(/(?:^|\/)index\.html$|\.html$/, '') || '/'
  return {
    mounts: [mount('pages', src), mount('files', theme, 'theme/')],
    base: baseOf(html['site-url']),
    settings: settingsOf(at, book, {
      favicon,
      edit: [textOf(html['edit-url-template']), at.folder],
    }),
    navigation: readContents(at.text(contents) ?? '', src),
    notPages: new Set([contents]),
    redirects: textsIn(html.redirect).map(([old, to]) => {
      const from = `/${page(old).replace(/^\/+/, '')}`
      return { from, to: isWeb(to) ? to : `/${joinPaths(folderOf(from), page(to))}` }
    }),
  }
}

/** `.gitbook.yaml`, or SUMMARY.md alone, of one space or of one in each folder. */
export function readGitbook(at: GeneratorFolder): Found {
  const config = /\.ya?ml$/.test(at.file) ? at.fields(at.file) : {}
  const root = joinFolder(at.folder, textOf(config.root) ?? '')
  const name = textOf(inside(config, 'structure', 'summary')) ?? 'SUMMARY.md'
  const own = joinPaths(root, name)
  const contents = at.has(own) ? [own] : at.below(root, /^[^/]+\/SUMMARY\.md$/)
  const assets = at
    .below(root, /^(?:[^/]+\/)*\.gitbook\//)
    .map((path) => path.slice(0, path.lastIndexOf('.gitbook/') + '.gitbook/'.length))
  const nodes = contents.map((path) => readContents(at.text(path) ?? '', folderOf(path)))
  const titleOf = (path: string) => firstHeading(at.text(joinPaths(folderOf(path), 'README.md')))
  const groups = contents.map((path, index) => ({
    title: titleOf(path) ?? folderOf(path).slice(root.length, -1),
    children: nodes[index],
  }))
  const site = recordOf(at.fields(joinPaths(root, 'docs.yaml')).site)
  return {
    mounts: [
      mount('pages', root),
      ...[...new Set(assets)].map((folder) =>
        mount('files', folder, folder.slice(root.length).replace('.gitbook', 'gitbook')),
      ),
    ],
    settings: settingsOf(at, { title: site.title ?? titleOf(own) }),
    navigation: contents.length > 1 ? groups : nodes[0],
    notPages: new Set(contents),
    redirects: textsIn(config.redirects).map(([from, to]) => ({
      from: `/${from}`,
      to: isWeb(to) ? to : `/${to.replace(/(?:\/?README)?\.md$/, '')}`,
    })),
  }
}

const firstHeading = (text = ''): string | undefined => /^# +(.+)$/m.exec(text)?.[1]?.trim()

export function readDocsify(at: GeneratorFolder): Found {
  const page = at.text(`${at.folder}index.html`) ?? ''
  const own = ['_sidebar', '_navbar', '_coverpage', '_footer', '_404']
  const title = /\bname\s*:\s*['"]([^'"<>]{1,100})['"]/.exec(page)?.[1]
  const colour = /\bthemeColor\s*:\s*['"](#[\da-f]{3,8})['"]/i.exec(page)?.[1]
  const contents = at.text(`${at.folder}_sidebar.md`)
  return {
    mounts: [mount('pages', at.folder)],
    settings: settingsOf(at, { title, colour }),
    navigation: contents === undefined ? undefined : readContents(contents, at.folder),
    notPages: new Set(own.map((name) => `${at.folder}${name}.md`)),
  }
}

const notOfMintlify = ['README', 'LICENSE', 'CHANGELOG', 'CONTRIBUTING', 'CLAUDE', 'AGENTS']
const childrenOfMintlify =
  'languages versions products tabs anchors dropdowns menu groups pages'.split(' ')
const titlesOfMintlify = 'group tab anchor dropdown product version item name language label'.split(
  ' ',
)

export function readMintlify(at: GeneratorFolder): Found {
  let refs = 0
  /** With what `$ref` names in the place of it. */
  const whole = (value: unknown): unknown => {
    const ref = textOf(recordOf(value).$ref)
    if (ref === undefined) return value
    if (++refs > maxRefs) return undefined
    const fields = at.fields(joinPaths(at.folder, ref))
    return fields.items ?? fields
  }
  const config = at.fields(at.file)
  const image = (value: unknown) =>
    [value, inside(value, 'light')].flatMap((each) => joinPaths(at.folder, textOf(each) ?? ''))
  const values = { ...config, title: config.name, colour: inside(config, 'colors', 'primary') }
  const items = [...listOf(inside(config, 'navbar', 'links')), ...listOf(config.topbarLinks)]
  const nodes = mintlifyNodes(whole(config.navigation), at.folder, whole, 0)
  return {
    mounts: [mount('pages', at.folder), mount('none', `${at.folder}snippets/`)],
    base: baseOf(inside(config, 'seo', 'metatags', 'canonical')),
    settings: settingsOf(at, values, {
      logo: image(config.logo),
      favicon: image(config.favicon),
      links: { items, titles: ['label', 'name'], addresses: ['href', 'url'] },
    }),
    navigation: nodes,
    notPages: new Set(notOfMintlify.map((name) => `${at.folder}${name}.md`)),
    redirects: listOf(whole(config.redirects)).flatMap((each) => {
      const [from, to] = [textOf(inside(each, 'source')), textOf(inside(each, 'destination'))]
      if (from === undefined || to === undefined) return []
      const splat = /:(\w+)\*$/.exec(from)?.[1]
      if (splat === undefined) return [{ from, to }]
      return [{ from: from.replace(/:\w+\*$/, '*'), to: to.replace(`:${splat}*`, ':splat') }]
    }),
  }
}

function mintlifyNodes(
  value: unknown,
  folder: string,
  whole: (value: unknown) => unknown,
  depth: number,
): NavigationNode[] {
  if (depth > maxDepth) return []
  if (Array.isArray(value)) {
    return value.flatMap((each) => mintlifyNodes(whole(each), folder, whole, depth + 1))
  }
  const page = textOf(value)
  // An operation of the reference is in the navigation of the reference.
  if (page !== undefined) {
    if (/^(?:get|put|post|patch|delete|head|options)\s|[\s{}]/i.test(page)) return []
    return [{ to: isWeb(page) ? page : joinPaths(folder, page) }]
  }
  const fields = recordOf(value)
  const title = firstText(fields, ...titlesOfMintlify)
  const inner = childrenOfMintlify.flatMap((name) =>
    name in fields ? mintlifyNodes(fields[name], folder, whole, depth + 1) : [],
  )
  const address = firstText(fields, 'href', 'url')
  const root = textOf(fields.root)
  const first = root === undefined ? [] : [{ to: joinPaths(folder, root) }]
  const children = [...first, ...inner]
  if (title === undefined) return children
  if (children.length > 0) return [{ title, children }]
  return address === undefined ? [] : [{ title, to: address }]
}
