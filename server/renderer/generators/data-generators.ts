// Generators whose configuration is data: MkDocs, mdBook, GitBook, docsify, Mintlify, Hugo, Jekyll with just-the-docs, and Sphinx
// with MyST.
import { folderOf, joinFolder, joinPaths } from '../sources/addresses.ts'
import { docutilsSlug, githubSlug, type NavigationNode, pythonSlug } from '../sources/generator.ts'
import {
  type Fields,
  firstText,
  inside,
  listOf,
  recordOf,
  textOf,
  textsIn,
} from '../sources/plain-values.ts'
import { nodesOf, readContents, withoutOnlyGroup } from './authored-lists.ts'
import { type Found, type GeneratorFolder, isWeb, mount } from './generator-folder.ts'

/** Files that name each other would have no end. */
const maxRefs = 500
const maxDepth = 20

/** The colours that Material for MkDocs has names for. */
const materialColours: Record<string, string> = {
  ...{ red: '#ef5552', pink: '#e92063', purple: '#ab47bd', 'deep purple': '#7e56c2' },
  ...{ indigo: '#4051b5', blue: '#2094f3', 'light blue': '#02a6f2', cyan: '#00bdd6' },
  ...{ teal: '#009485', green: '#4cae4f', 'light green': '#8bc34b', lime: '#cbdc38' },
  ...{ amber: '#ffc105', orange: '#ffa724', 'deep orange': '#ff6e42', brown: '#795649' },
}

export function readMkdocs(at: GeneratorFolder): Found {
  const inherited = textOf(at.config.INHERIT)
  const base = inherited === undefined ? {} : at.fields(joinPaths(at.folder, inherited))
  const config: Fields = { ...base, ...at.config }
  const docs = at.inside(config.docs_dir, 'docs')
  const theme = recordOf(config.theme)
  const palettes = [theme.palette].flat().map((each) => firstText(each, 'primary'))
  const colour = materialColours[palettes.find((name) => name !== undefined) ?? '']
  const plugins = Object.assign({}, ...[config.plugins].flat().map(recordOf))
  // Of mkdocs-static-i18n: a folder for each language, that of the default one at the root.
  const languages = listOf(inside(plugins, 'i18n', 'languages'))
  const usual = languages.find((each) => inside(each, 'default') === true)
  const main = firstText(usual, 'locale') ?? ''
  const isInFolder = at.below(joinFolder(docs, main)).length > 0
  const pages = isInFolder ? joinFolder(docs, main) : docs
  // Of Material for MkDocs.
  const hasBlog = 'blog' in plugins || listOf(config.plugins).includes('blog')
  const posts = joinFolder(firstText(plugins.blog, 'blog_dir') ?? 'blog', 'posts')
  const blog = { ...mount('pages', joinFolder(pages, posts), posts), isDated: true }
  const repository = textOf(config.repo_url) ?? ''
  const isKnown = config.edit_uri === undefined && /\/\/git(?:hub|lab)\.com\//.test(repository)
  const end = isKnown ? `edit/master/${docs}` : textOf(config.edit_uri)
  return {
    pages: docs,
    mounts: [mount('pages', pages), ...(hasBlog ? [blog] : [])],
    settings: [config, theme, { colour, language: main }],
    languages: [languages, main],
    ...(end !== undefined && { edit: { start: repository, end, folder: docs } }),
    navigation: nodesOf(config.nav, { folder: pages, hasTitles: true }),
    redirects: inside(plugins, 'redirects', 'redirect_maps'),
    slug: pythonSlug,
  }
}

export function readMdbook(at: GeneratorFolder): Found {
  const { book, output } = at.config
  const html = recordOf(inside(output, 'html'))
  const pages = at.inside(inside(book, 'src'), 'src')
  const contents = `${pages}SUMMARY.md`
  const fromFile = ([from, to]: [string, string]) =>
    isWeb(to) ? { from, to } : { from, to: joinPaths(folderOf(from), to) }
  return {
    pages,
    none: [contents],
    settings: [book, html],
    edit: { start: textOf(html['edit-url-template']), folder: at.folder },
    navigation: readContents(at.text(contents), pages),
    redirects: textsIn(html.redirect).map(fromFile),
  }
}

/** `.gitbook.yaml`, or SUMMARY.md alone, of one space or of one in each folder. */
export function readGitbook(at: GeneratorFolder): Found {
  const { redirects, root, structure } = at.config
  const pages = at.inside(root, '')
  const own = joinPaths(pages, firstText(structure, 'summary') ?? 'SUMMARY.md')
  const files = at.has(own) ? [own] : at.below(pages, /^[^/]+\/SUMMARY\.md$/)
  const assets = at.below(pages, /^(?:[^/]+\/)*\.gitbook\//)
  const hidden = new Set(assets.map((path) => path.replace(/(.*\.gitbook\/).*/, '$1')))
  const titleOf = (path: string) =>
    /^# +(.+)$/m.exec(at.text(`${folderOf(path)}README.md`) ?? '')?.[1]
  const groups = files.map((path) => ({
    title: titleOf(path) ?? folderOf(path).slice(pages.length, -1),
    children: readContents(at.text(path), folderOf(path)),
  }))
  return {
    pages,
    mounts: [...hidden].map((folder) =>
      mount('files', folder, folder.slice(pages.length).replace('.gitbook', 'gitbook')),
    ),
    none: files,
    settings: [at.fields(`${pages}docs.yaml`).site, { title: titleOf(own) }],
    navigation: withoutOnlyGroup(groups),
    redirects,
    slug: (text) => githubSlug(text.replaceAll(/:[\w+-]+:/g, '').replaceAll('&', 'and')),
  }
}

export function readDocsify(at: GeneratorFolder): Found {
  const page = at.text(`${at.folder}index.html`) ?? ''
  const own = ['_sidebar', '_navbar', '_coverpage', '_footer', '_404']
  const name = /\bname\s*:\s*['"]([^'"<>]{1,100})['"]/.exec(page)?.[1]
  const themeColor = /\bthemeColor\s*:\s*['"](#[\da-f]{3,8})['"]/i.exec(page)?.[1]
  return {
    pages: at.folder,
    none: own.map((name) => `${at.folder}${name}.md`),
    settings: [{ name, themeColor }],
    navigation: readContents(at.text(`${at.folder}_sidebar.md`), at.folder),
  }
}

const notOfMintlify =
  'snippets/ README.md LICENSE.md CHANGELOG.md CONTRIBUTING.md CLAUDE.md AGENTS.md'.split(' ')

export function readMintlify(at: GeneratorFolder): Found {
  const { config, folder } = at
  let refs = 0
  /** With what `$ref` names in the place of it. */
  function whole(value: unknown): unknown {
    const ref = firstText(value, '$ref')
    // An operation of the reference is in the navigation of the reference.
    if (ref === undefined) return /[\s{}]/.test(textOf(value) ?? '') ? undefined : value
    const fields = ++refs > maxRefs ? {} : at.fields(joinPaths(folder, ref))
    return fields.items ?? fields
  }
  const base = inside(config, 'seo', 'metatags', 'canonical')
  const navigation = whole(config.navigation)
  /** By their names: the first one is at the root if it has no folder. */
  const namesOf = (list: string, name: string) =>
    listOf(inside(navigation, list)).flatMap((each) => firstText(whole(each), name) ?? [])
  const isRoot = (name: string) => at.below(`${folder}${name}/`).length === 0
  const languages = namesOf('languages', 'language')
  return {
    pages: folder,
    none: notOfMintlify.map((name) => folder + name),
    settings: [config, { base, colour: inside(config, 'colors', 'primary') }],
    links: [inside(config, 'navbar', 'links'), config.topbarLinks].flatMap(listOf),
    languages: [languages, languages.find(isRoot) ?? ''],
    versions: namesOf('versions', 'version').map((name) => ({
      ...{ name, folder: isRoot(name) ? '' : `${name}/`, of: '' },
    })),
    navigation: nodesOf(navigation, { folder, whole }),
    redirects: whole(config.redirects),
  }
}

export function readHugo(at: GeneratorFolder): Found {
  const config = hugoFields(at)
  const language = textOf(config.defaultContentLanguage) ?? 'en'
  const languages = recordOf(config.languages)
  const own = recordOf(languages[language])
  const content = textOf(config.contentDir) ?? 'content'
  const placeOf = (name: string, each: unknown) =>
    at.inside(inside(each, 'contentDir'), `${content}/${name}`)
  const mounted = listOf(inside(config, 'module', 'mounts')).flatMap((each) =>
    inside(each, 'target') === 'content' ? at.inside(inside(each, 'source'), '') : [],
  )
  const places = [placeOf(language, own), ...mounted]
  const pages = places.find((path) => at.below(path).length > 0) ?? at.inside(content, '')
  const params = Object.fromEntries(textsIn(config.params))
  return {
    pages,
    mounts: [
      ...Object.entries(languages)
        .filter(([name]) => name !== language)
        .map(([name, each]) => mount('pages', placeOf(name, each), `${name}/`)),
      mount('files', at.inside('static', '')),
    ],
    none: at.below(pages, /(?:^|\/)_[^/]*\//),
    settings: [own, own.params, config, params, { language }],
    languages: [languages, language],
    links: inside(config, 'menus', 'main') ?? inside(config, 'menu', 'main'),
    // As in Docsy, and themes that follow it.
    edit: {
      start: params.github_repo,
      end: `edit/${params.github_branch ?? 'main'}/${params.github_subdir ?? ''}`,
      folder: at.folder,
    },
    params: recordOf(config.params),
    segment: (name) => name.toLowerCase().replaceAll(' ', '-'),
  }
}

/** In `config/_default`, each part may have a file of its own. */
function hugoFields({ config, fields, file }: GeneratorFolder): Fields {
  const parts = ['params', 'languages', 'menus'].map((name) => {
    return { [name]: { ...recordOf(config[name]), ...fields(folderOf(file) + name) } }
  })
  return Object.assign({}, config, ...parts)
}

const notOfJekyll =
  '_includes _layouts _sass _data _plugins _drafts vendor bin lib spec test'.split(' ')

export function readJekyll(at: GeneratorFolder): Found {
  const { config } = at
  const pages = at.inside(config.source, '')
  const excluded = listOf(config.exclude)
    .map((path) => (textOf(path) ?? '').replace(/^\/|\/?\**$/g, ''))
    .filter((name) => name !== '' && !name.includes('*'))
  // As in just-the-docs.
  const edit = (name: string, usual = '') => textOf(config[`gh_edit_${name}`]) ?? usual
  const branch = `${edit('view_mode', 'tree')}/${edit('branch', 'main')}/${edit('source')}`
  const repository = config.gh_edit_link === true ? edit('repository') : ''
  return {
    pages,
    mounts: Object.keys(recordOf(config.collections)).map((name) =>
      mount('pages', `${pages}_${name}/`, `${name}/`),
    ),
    none: [...notOfJekyll, ...excluded].flatMap((name) => [pages + name, `${pages}${name}/`]),
    settings: [config],
    edit: { start: repository, end: branch, folder: at.folder },
  }
}

export function readSphinx(at: GeneratorFolder): Found {
  const texts = (at.text(at.file) ?? '').matchAll(/^(\w+)\s*=\s*['"]([^'"\n]{1,300})['"]/gm)
  return {
    pages: at.folder,
    none: [`${at.folder}_build/`, `${at.folder}_templates/`],
    settings: [Object.fromEntries([...texts].map(([, name, text]) => [name, text]))],
    navigation: sphinxNodes(at, `${at.folder}index`),
    slug: docutilsSlug,
  }
}

const toctree =
  /^(`{3,}|:{3,})\{toctree\}[^\n]*\n([\s\S]{0,50000}?)(?:\n\1[ \t]*$|(?=\n[`:]{3,}\{toctree\}))/gm

/** What the `toctree` directives of a document list, each document once. */
function sphinxNodes(
  at: GeneratorFolder,
  stem: string,
  seen = new Set([stem]),
  depth = 0,
): NavigationNode[] {
  return [...(at.text(`${stem}.md`) ?? '').matchAll(toctree)].flatMap(([, , content = '']) => {
    const title = /^:caption:[ \t]*(.+)$/m.exec(content)?.[1]
    const children = content.split('\n').flatMap((line): NavigationNode[] => {
      const [, title, target = line.trim()] = /^(.+?)[ \t]*<([^<>]+)>$/.exec(line.trim()) ?? []
      if (target === '' || target.startsWith(':') || target.includes('*')) return []
      if (isWeb(target)) return [{ title, to: target }]
      const start = target.startsWith('/') ? at.folder : folderOf(stem)
      const to = joinPaths(start, target.replace(/\.(?:md|rst)$/, ''))
      const isNew = !seen.has(to) && depth < maxDepth
      return [{ title, to, children: isNew ? sphinxNodes(at, to, seen.add(to), depth + 1) : [] }]
    })
    return title === undefined ? children : [{ title, children }]
  })
}
