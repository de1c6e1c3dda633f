// Generators of whole sites that are used for documentation: Hugo, Jekyll with just-the-docs, and Sphinx with MyST.
import { folderOf, joinPaths } from '../sources/addresses.ts'
import type { NavigationNode } from '../sources/generator.ts'
import {
  type Fields,
  firstText,
  inside,
  listOf,
  recordOf,
  textOf,
} from '../sources/plain-values.ts'
import { type GeneratorFolder, isWeb, joinAddress, joinFolder, mount } from './generator-folder.ts'
import type { Found } from './generator-settings.ts'

export function readHugo(at: GeneratorFolder): Found {
  const config = hugoFields(at)
  const { folder } = at
  const language = textOf(config.defaultContentLanguage) ?? 'en'
  const languages = recordOf(config.languages)
  const own = recordOf(languages[language])
  const content = joinFolder(folder, textOf(config.contentDir) ?? 'content')
  const mounted = listOf(inside(config, 'module', 'mounts')).filter(
    (each) => inside(each, 'target') === 'content',
  )
  const ofLanguage = mounted.find((each) => JSON.stringify(each).includes(`"${language}"`))
  const sources = [inside(ofLanguage ?? mounted[0], 'source'), own.contentDir]
  const pages = sources
    .flatMap((path) => (textOf(path) === undefined ? [] : joinFolder(folder, textOf(path) ?? '')))
    .concat(`${content}${language}/`)
    .find((path) => at.below(path).length > 0)
  const params = recordOf(config.params)
  // As in Docsy, and themes that follow it.
  const branch = `edit/${textOf(params.github_branch) ?? 'main'}/${textOf(params.github_subdir) ?? ''}`
  return {
    mounts: [
      mount('pages', pages ?? content),
      ...Object.entries(languages)
        .filter(([name]) => name !== language)
        .map(([name, each]) => {
          const given = firstText(each, 'contentDir')
          const place = given === undefined ? `${content}${name}/` : joinFolder(folder, given)
          return mount('pages', place, `${name}/`)
        }),
      mount('files', joinFolder(folder, 'static')),
    ],
    site: {
      parts: [own, own.params, config, params, { language }],
      images: [joinFolder(folder, 'static')],
      links: inside(config, 'menus', 'main') ?? inside(config, 'menu', 'main'),
      edit: [joinAddress(textOf(params.github_repo), branch), folder],
      languages: [languages, language],
    },
    notPages: at.below(pages ?? content, /(?:^|\/)_[^/]*\//),
    segment: (name) => name.toLowerCase().replaceAll(' ', '-'),
  }
}

/** In `config/_default`, each part may have a file of its own. */
function hugoFields(at: GeneratorFolder): Fields {
  const config = at.fields(at.file)
  if (!at.file.includes('config/_default/')) return config
  const files = at.below(folderOf(at.file), /^(?:params|languages|menus)\.(?:toml|ya?ml|json)$/)
  const parts = files.map((path) => {
    const name = path.replace(/.*\/|\.\w+$/g, '')
    return { [name]: { ...recordOf(config[name]), ...at.fields(path) } }
  })
  return Object.assign({}, config, ...parts)
}

const notOfJekyll =
  '_includes _layouts _sass _data _plugins _drafts vendor bin lib spec test'.split(' ')

export function readJekyll(at: GeneratorFolder): Found {
  const config = at.fields(at.file)
  const source = joinFolder(at.folder, textOf(config.source) ?? '')
  const excluded = listOf(config.exclude)
    .map((path) => (textOf(path) ?? '').replace(/^\/|\/?\**$/g, ''))
    .filter((name) => name !== '' && !name.includes('*'))
  // As in just-the-docs.
  const edit = (name: string, usual = '') => textOf(config[`gh_edit_${name}`]) ?? usual
  const branch = `${edit('view_mode', 'tree')}/${edit('branch', 'main')}/${edit('source')}`
  const repository = config.gh_edit_link === true ? edit('repository') : ''
  return {
    mounts: [
      mount('pages', source),
      ...[...notOfJekyll, ...excluded].map((name) => mount('none', `${source}${name}/`)),
      ...Object.keys(recordOf(config.collections)).map((name) =>
        mount('pages', `${source}_${name}/`, `${name}/`),
      ),
    ],
    site: {
      parts: [config],
      images: [source],
      edit: [joinAddress(repository, branch), at.folder],
    },
    notPages: excluded.map((name) => `${source}${name}`),
  }
}

export function readSphinx(at: GeneratorFolder): Found {
  const texts = (at.text(at.file) ?? '').matchAll(/^(\w+)\s*=\s*['"]([^'"\n]{1,300})['"]/gm)
  const { folder } = at
  return {
    mounts: [
      mount('pages', folder),
      mount('none', `${folder}_build/`),
      mount('none', `${folder}_templates/`),
    ],
    site: {
      parts: [Object.fromEntries([...texts].map(([, name, text]) => [name, text]))],
      images: [folder],
    },
    navigation: sphinxNodes(at, `${folder}index`),
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
      const isNew = !seen.has(to) && depth < 20
      return [{ title, to, children: isNew ? sphinxNodes(at, to, seen.add(to), depth + 1) : [] }]
    })
    return title === undefined ? children : [{ title, children }]
  })
}
