// Generators of whole sites that are used for documentation: Hugo, Jekyll with just-the-docs, and Sphinx with MyST.
import { folderOf, joinPaths } from '../sources/addresses.ts'
import type { NavigationNode } from '../sources/generator.ts'
import { type Fields, inside, listOf, recordOf, textOf } from '../sources/plain-values.ts'
import {
  baseOf,
  definedOf,
  type Found,
  type GeneratorFolder,
  joinAddress,
  joinFolder,
  mount,
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
  const isThere = (path: string) => at.below(path).length > 0
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
  const param = (name: string) => textOf(inside(config, 'params', name))
  // As in Docsy, and themes that follow it.
  const branch = `edit/${param('github_branch') ?? 'main'}/${param('github_subdir') ?? ''}`
  return {
    mounts: [
      mount('pages', pages),
      ...others.map((language) => ({
        ...mount('pages', `${content}${language}/`, `${language}/`),
        language,
      })),
      mount('files', joinFolder(folder, 'static')),
    ],
    base: baseOf(config.baseURL ?? config.baseurl),
    origin: originOf(config.baseURL ?? config.baseurl),
    settings: settingsOf(at, values, {
      favicon: ['ico', 'png', 'svg'].map((end) => `${folder}static/favicon.${end}`),
      links: {
        items: menu.toSorted((a, b) => weightOf(a) - weightOf(b)),
        titles: ['name'],
        addresses: ['pageRef', 'url'],
      },
      edit: [joinAddress(param('github_repo'), branch), folder],
    }),
    notPages: new Set(at.below(pages, /(?:^|\/)_[^/]*\//)),
    segment: (name) => name.toLowerCase().replaceAll(' ', '-'),
  }
}

function hugoFields(at: GeneratorFolder): Fields {
  const config = at.fields(at.file)
  if (!at.file.includes('config/_default/')) return config
  const part = (name: string) =>
    ['toml', 'yaml', 'yml', 'json']
      .map((end) => at.fields(`${folderOf(at.file)}${name}.${end}`))
      .find((each) => Object.keys(each).length > 0)
  return definedOf({
    ...config,
    params: { ...recordOf(config.params), ...part('params') },
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
  // As in just-the-docs.
  const edit = (name: string, usual = '') => textOf(config[`gh_edit_${name}`]) ?? usual
  const branch = `${edit('view_mode', 'tree')}/${edit('branch', 'main')}/${edit('source')}`
  const values = { ...config, language: config.lang }
  const repository = config.gh_edit_link === true ? edit('repository') : ''
  return {
    mounts: [
      mount('pages', source),
      ...[...usual, ...excluded].map((name) => mount('none', `${source}${name}/`)),
      ...Object.keys(recordOf(config.collections)).map((name) =>
        mount('pages', `${source}_${name}/`, `${name}/`),
      ),
    ],
    base: baseOf(config.baseurl),
    origin: originOf(config.url),
    settings: settingsOf(at, values, {
      logo: [joinPaths(source, textOf(config.logo) ?? '')],
      favicon: [joinPaths(source, textOf(config.favicon_ico) ?? 'favicon.ico')],
      edit: [joinAddress(repository, branch), at.folder],
    }),
    notPages: new Set(excluded.map((name) => `${source}${name}`)),
  }
}

export function readSphinx(at: GeneratorFolder): Found {
  const program = at.text(at.file) ?? ''
  const value = (name: string) =>
    new RegExp(`^${name}\\s*=\\s*['"]([^'"\\n]{1,300})['"]`, 'm').exec(program)?.[1]
  const image = (name: string) => [joinPaths(at.folder, value(name) ?? '')]
  const values = {
    title: value('html_title') ?? value('project'),
    language: value('language'),
  }
  return {
    mounts: [
      mount('pages', at.folder),
      mount('none', `${at.folder}_build/`),
      mount('none', `${at.folder}_templates/`),
    ],
    settings: settingsOf(at, values, { logo: image('html_logo'), favicon: image('html_favicon') }),
    navigation: sphinxNodes(at, `${at.folder}index`, new Set(), 0),
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
        target.startsWith('/') ? at.folder : folderOf(stem),
        target.replace(/\.(?:md|rst)$/, ''),
      )
      const inner = sphinxNodes(at, path, seen, depth + 1)
      return [{ title, to: path, children: inner.length === 0 ? undefined : inner }]
    })
    return caption === undefined ? children : [{ title: caption, children }]
  })
}
