// Generators of whole sites that are used for documentation: Hugo, Jekyll with just-the-docs, and Sphinx with MyST.
import type { Mount, NavigationNode } from '../sources/generator.ts'
import { type Fields, inside, listOf, recordOf, textOf } from '../sources/plain-values.ts'
import {
  baseOf,
  definedOf,
  type Found,
  folderIn,
  type GeneratorFolder,
  joinFolder,
  joinPaths,
  originOf,
  settingsOf,
} from './generator-folder.ts'

export function readHugo(at: GeneratorFolder): Found {
  const config = hugoFields(at)
  const folder = at.file.includes('config/_default/')
    ? at.file.slice(0, at.file.indexOf('config/_default/'))
    : at.folder
  const language = textOf(config.defaultContentLanguage) ?? 'en'
  const own = recordOf(inside(config, 'languages', language))
  const content = joinFolder(folder, textOf(config.contentDir) ?? 'content')
  const mounted = listOf(inside(config, 'module', 'mounts')).filter(
    (each) => inside(each, 'target') === 'content',
  )
  const ofLanguage = mounted.find((each) => JSON.stringify(each).includes(`"${language}"`))
  const candidates = [textOf(inside(ofLanguage ?? mounted[0], 'source')), textOf(own.contentDir)]
    .filter((path) => path !== undefined)
    .map((path) => joinFolder(folder, path))
  const isThere = (path: string) => at.paths.some((each) => each.startsWith(path))
  const pages = [...candidates, `${content}${language}/`].find(isThere) ?? content
  const others = Object.keys(recordOf(config.languages)).filter((name) => name !== language)
  const values = {
    title: own.title ?? config.title,
    description: inside(own, 'params', 'description') ?? inside(config, 'params', 'description'),
    language: own.locale ?? own.languageCode ?? config.languageCode ?? config.locale ?? language,
  }
  const menu = listOf(
    inside(own, 'menus', 'main') ??
      inside(config, 'menus', 'main') ??
      inside(config, 'menu', 'main'),
  )
  const weightOf = (item: unknown) => Number(inside(item, 'weight') ?? 0)
  const fragments = at.paths.filter(
    (path) => path.startsWith(pages) && /(?:^|\/)_[^/]*\//.test(path.slice(pages.length)),
  )
  return {
    mounts: [
      { folder: pages, at: '', kind: 'pages' },
      ...others.map(
        (name): Mount => ({
          folder: `${content}${name}/`,
          at: `${name}/`,
          kind: 'pages',
          language: name,
        }),
      ),
      { folder: joinFolder(folder, 'static'), at: '', kind: 'files' },
    ],
    base: baseOf(config.baseURL ?? config.baseurl),
    origin: originOf(config.baseURL ?? config.baseurl),
    settings: {
      ...settingsOf(at, values, {
        favicon: ['ico', 'png', 'svg'].map((end) => `${folder}static/favicon.${end}`),
      }),
      links: menu
        .toSorted((a, b) => weightOf(a) - weightOf(b))
        .flatMap((item) => {
          const title = textOf(inside(item, 'name'))
          const url = textOf(inside(item, 'pageRef')) ?? textOf(inside(item, 'url'))
          return title !== undefined && url !== undefined ? [{ title, url }] : []
        }),
    },
    notPages: new Set(fragments),
    segment: (name) => name.toLowerCase().replaceAll(' ', '-'),
  }
}

function hugoFields(at: GeneratorFolder): Fields {
  const config = at.fields(at.file)
  if (!at.file.includes('config/_default/')) return config
  const part = (name: string) =>
    ['toml', 'yaml', 'yml', 'json']
      .map((end) => at.fields(`${folderIn(at.file)}${name}.${end}`))
      .find((each) => Object.keys(each).length > 0)
  return definedOf({
    ...config,
    params: part('params') ?? config.params,
    languages: part('languages') ?? config.languages,
    menus: part('menus') ?? config.menus,
  })
}

export function readJekyll(at: GeneratorFolder): Found {
  const config = at.fields(at.file)
  const source = joinFolder(at.folder, textOf(config.source) ?? '')
  const excluded = listOf(config.exclude).flatMap((path) => {
    const name = textOf(path)?.replace(/^\/|\/?\**$/g, '')
    return name === undefined || name === '' || name.includes('*') ? [] : [name]
  })
  const usual = [
    '_includes',
    '_layouts',
    '_sass',
    '_data',
    '_plugins',
    '_drafts',
    'vendor',
    'bin',
    'lib',
    'spec',
    'test',
  ]
  const isExcluded = (path: string) =>
    excluded.some((name) => path === `${source}${name}` || path.startsWith(`${source}${name}/`))
  const collections = Object.entries(recordOf(config.collections)).map(
    ([name]): Mount => ({ folder: `${source}_${name}/`, at: `${name}/`, kind: 'pages' }),
  )
  return {
    mounts: [
      { folder: source, at: '', kind: 'pages' },
      ...[...usual, ...excluded].map(
        (name): Mount => ({ folder: `${source}${name}/`, at: '', kind: 'none' }),
      ),
      ...collections,
    ],
    base: baseOf(config.baseurl),
    origin: originOf(config.url),
    settings: settingsOf(
      at,
      { ...config, language: config.lang },
      {
        logo: [joinPaths(source, textOf(config.logo) ?? '')],
        favicon: [joinPaths(source, textOf(config.favicon_ico) ?? 'favicon.ico')],
      },
    ),
    notPages: new Set(at.paths.filter(isExcluded)),
  }
}

export function readSphinx(at: GeneratorFolder): Found {
  const program = at.text(at.file) ?? ''
  const value = (name: string) =>
    new RegExp(`^${name}\\s*=\\s*['"]([^'"\\n]{1,300})['"]`, 'm').exec(program)?.[1]
  const image = (name: string) => [joinPaths(at.folder, value(name) ?? '')]
  const seen = new Set<string>()
  return {
    mounts: [
      { folder: at.folder, at: '', kind: 'pages' },
      ...['_build/', '_templates/'].map(
        (name): Mount => ({ folder: at.folder + name, at: '', kind: 'none' }),
      ),
    ],
    settings: settingsOf(
      at,
      { title: value('html_title') ?? value('project'), language: value('language') },
      {
        logo: image('html_logo'),
        favicon: image('html_favicon'),
      },
    ),
    navigation: sphinxNodes(at, `${at.folder}index`, seen, 0),
  }
}

const toctree =
  /^(`{3,}|:{3,})\{toctree\}[^\n]*\n([\s\S]{0,50000}?)(?:\n\1[ \t]*$|(?=\n[`:]{3,}\{toctree\}))/gm

/** What the `toctree` directives of a document list, each document once. */
function sphinxNodes(
  at: GeneratorFolder,
  stem: string,
  seen: Set<string>,
  depth: number,
): NavigationNode[] {
  const text = at.text(`${stem}.md`)
  if (text === undefined || seen.has(stem) || depth > 20) return []
  seen.add(stem)
  return [...text.matchAll(toctree)].flatMap(([, , content = '']) => {
    const caption = /^:caption:[ \t]*(.+)$/m.exec(content)?.[1]
    const children = content.split('\n').flatMap((line): NavigationNode[] => {
      const [, title, target = line.trim()] = /^(.+?)[ \t]*<([^<>]+)>$/.exec(line.trim()) ?? []
      if (target === '' || target.startsWith(':') || target.includes('*')) return []
      if (/^https?:/.test(target)) return [{ title, to: target }]
      const path = joinPaths(
        target.startsWith('/') ? at.folder : folderIn(stem),
        target.replace(/\.(?:md|rst)$/, ''),
      )
      const inner = sphinxNodes(at, path, seen, depth + 1)
      return [{ title, to: path, children: inner.length === 0 ? undefined : inner }]
    })
    return caption === undefined ? children : [{ title: caption, children }]
  })
}
