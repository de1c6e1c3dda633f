// Generators whose configuration is data: MkDocs, mdBook, GitBook, docsify and Mintlify.
import { folderOf, joinPaths } from '../sources/addresses.ts'
import { pythonSlug } from '../sources/generator.ts'
import { firstText, inside, listOf, recordOf, textOf, textsIn } from '../sources/plain-values.ts'
import { nodesOf } from './authored-lists.ts'
import { type GeneratorFolder, isWeb, joinAddress, joinFolder, mount } from './generator-folder.ts'
import type { Found } from './generator-settings.ts'
import { readContents } from './list-of-contents.ts'

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
  const own = at.fields(at.file)
  const config = { ...at.fields(joinPaths(at.folder, textOf(own.INHERIT) ?? '')), ...own }
  const folder = joinFolder(at.folder, textOf(config.docs_dir) ?? 'docs')
  const theme = recordOf(config.theme)
  const palette = [theme.palette].flat().find((each) => textOf(inside(each, 'primary')))
  const colour = materialColours[textOf(inside(palette, 'primary')) ?? '']
  const plugins = Object.assign({}, ...[config.plugins].flat().map(recordOf))
  // Of mkdocs-static-i18n: a folder for each language, that of the default one at the root.
  const languages = listOf(inside(plugins, 'i18n', 'languages'))
  const main = firstText(
    languages.find((each) => inside(each, 'default') === true),
    'locale',
  )
  const named = Object.fromEntries(languages.map((each) => [firstText(each, 'locale') ?? '', each]))
  const inFolder = at.below(joinFolder(folder, main ?? '')).length > 0
  const pages = inFolder ? joinFolder(folder, main ?? '') : folder
  const repository = textOf(config.repo_url) ?? ''
  const usual = /\/\/git(?:hub|lab)\.com\//.test(repository) ? `edit/master/${folder}` : undefined
  const place = config.edit_uri === undefined ? usual : textOf(config.edit_uri)
  return {
    mounts: [mount('pages', folder), mount('pages', pages)],
    site: {
      languages: [named, main ?? ''],
      parts: [config, theme, { colour, language: main }],
      images: [folder],
      edit: [joinAddress(repository, place), folder],
    },
    navigation: config.nav ? nodesOf(config.nav, { folder: pages, hasTitles: true }) : undefined,
    redirects: inside(plugins, 'redirects', 'redirect_maps'),
    slug: pythonSlug,
  }
}

export function readMdbook(at: GeneratorFolder): Found {
  const { book, output } = at.fields(at.file)
  const html = recordOf(inside(output, 'html'))
  const src = joinFolder(at.folder, textOf(inside(book, 'src')) ?? 'src')
  const theme = joinFolder(at.folder, textOf(html.theme) ?? 'theme')
  return {
    mounts: [mount('pages', src), mount('files', theme, 'theme/')],
    site: {
      parts: [book, { 'site-url': html['site-url'], favicon: 'favicon.svg' }],
      images: [theme],
      edit: [textOf(html['edit-url-template']), at.folder],
    },
    navigation: readContents(at.text(`${src}SUMMARY.md`) ?? '', src),
    notPages: [`${src}SUMMARY.md`],
    redirects: textsIn(html.redirect).map(([from, to]) => ({
      from,
      to: isWeb(to) ? to : joinPaths(folderOf(from), to),
    })),
  }
}

/** `.gitbook.yaml`, or SUMMARY.md alone, of one space or of one in each folder. */
export function readGitbook(at: GeneratorFolder): Found {
  const config = /\.ya?ml$/.test(at.file) ? at.fields(at.file) : {}
  const root = joinFolder(at.folder, textOf(config.root) ?? '')
  const own = joinPaths(root, textOf(inside(config, 'structure', 'summary')) ?? 'SUMMARY.md')
  const files = at.has(own) ? [own] : at.below(root, /^[^/]+\/SUMMARY\.md$/)
  const assets = at
    .below(root, /^(?:[^/]+\/)*\.gitbook\//)
    .map((path) => path.slice(0, path.lastIndexOf('.gitbook/') + '.gitbook/'.length))
  const titleOf = (path: string) =>
    /^# +(.+)$/m.exec(at.text(`${folderOf(path)}README.md`) ?? '')?.[1]?.trim()
  const groups = files.map((path) => ({
    title: titleOf(path) ?? folderOf(path).slice(root.length, -1),
    children: readContents(at.text(path) ?? '', folderOf(path)),
  }))
  return {
    mounts: [
      mount('pages', root),
      ...[...new Set(assets)].map((folder) =>
        mount('files', folder, folder.slice(root.length).replace('.gitbook', 'gitbook')),
      ),
    ],
    site: { parts: [at.fields(`${root}docs.yaml`).site, { title: titleOf(own) }] },
    navigation: groups.length > 1 ? groups : groups[0]?.children,
    notPages: files,
    redirects: config.redirects,
  }
}

export function readDocsify(at: GeneratorFolder): Found {
  const page = at.text(`${at.folder}index.html`) ?? ''
  const own = ['_sidebar', '_navbar', '_coverpage', '_footer', '_404']
  const name = /\bname\s*:\s*['"]([^'"<>]{1,100})['"]/.exec(page)?.[1]
  const themeColor = /\bthemeColor\s*:\s*['"](#[\da-f]{3,8})['"]/i.exec(page)?.[1]
  return {
    mounts: [mount('pages', at.folder)],
    site: { parts: [{ name, themeColor }] },
    navigation: readContents(at.text(`${at.folder}_sidebar.md`) ?? '', at.folder),
    notPages: own.map((name) => `${at.folder}${name}.md`),
  }
}

const notOfMintlify = ['README', 'LICENSE', 'CHANGELOG', 'CONTRIBUTING', 'CLAUDE', 'AGENTS']

export function readMintlify(at: GeneratorFolder): Found {
  const { folder } = at
  const config = at.fields(at.file)
  let refs = 0
  /** With what `$ref` names in the place of it. */
  function whole(value: unknown): unknown {
    const ref = textOf(inside(value, '$ref'))
    // An operation of the reference is in the navigation of the reference.
    if (ref === undefined) return /[\s{}]/.test(textOf(value) ?? '') ? undefined : value
    const fields = ++refs > maxRefs ? {} : at.fields(joinPaths(folder, ref))
    return fields.items ?? fields
  }
  const base = inside(config, 'seo', 'metatags', 'canonical')
  /** By their names: the first one is at the root if it has no folder. */
  const namesOf = (list: string, name: string) =>
    listOf(inside(navigation, list)).flatMap((each) => firstText(whole(each), name) ?? [])
  const navigation = whole(config.navigation)
  const isRoot = (name: string) => at.below(`${folder}${name}/`).length === 0
  const languages = namesOf('languages', 'language')
  return {
    mounts: [mount('pages', folder), mount('none', `${folder}snippets/`)],
    site: {
      parts: [config, { base, colour: inside(config, 'colors', 'primary') }],
      images: [folder],
      links: [...listOf(inside(config, 'navbar', 'links')), ...listOf(config.topbarLinks)],
      languages: [
        Object.fromEntries(languages.map((name) => [name, {}])),
        languages.find(isRoot) ?? '',
      ],
      versions: namesOf('versions', 'version').map((name) => ({
        ...{ name, folder: isRoot(name) ? '' : `${name}/`, of: '' },
      })),
    },
    navigation: nodesOf(navigation, { folder, whole }),
    notPages: notOfMintlify.map((name) => `${folder}${name}.md`),
    redirects: whole(config.redirects),
  }
}
