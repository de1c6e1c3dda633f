// Where each page can be edited, from the settings of its generator: "Edit this page". Only what is data: some generators take
// a function instead.
import type { GeneratorName } from '../sources/generator.ts'
import { type Fields, inside, listOf, recordOf, textOf } from '../sources/plain-values.ts'
import { type EditLink, editLink } from '../sources/settings.ts'
import { folderIn, type GeneratorFolder, joinFolder } from './generator-folder.ts'

/** A template, and the folder that its paths start from. */
type Found = [template: string | undefined, folder: string]

const readers: Partial<Record<GeneratorName, (config: Fields, at: GeneratorFolder) => Found>> = {
  mkdocs(config, { folder }) {
    const docs = joinFolder(folder, textOf(config.docs_dir) ?? 'docs')
    const repository = textOf(config.repo_url) ?? ''
    const usual = /\/\/git(?:hub|lab)\.com\//.test(repository) ? `edit/master/${docs}` : undefined
    const path = config.edit_uri === undefined ? usual : textOf(config.edit_uri)
    return [joined(repository, path), docs]
  },
  mdbook: (config, { folder }) => [
    textOf(inside(config, 'output', 'html', 'edit-url-template')),
    folder,
  ],
  docusaurus(config, { folder }) {
    const preset = listOf(config.presets).map((each) => recordOf(listOf(each)[1]).docs)
    const docs = recordOf(preset.find((each) => inside(each, 'editUrl') !== undefined))
    const path = textOf(docs.path) ?? 'docs'
    // `../docs` is a folder beside that of the website.
    const url = URL.parse(joined(textOf(docs.editUrl), `${path}/`) ?? '')
    return [url?.href, joinFolder(folder, path)]
  },
  vitepress(config, { fields, folder, has }) {
    const src = joinFolder(folder, textOf(config.srcDir) ?? '')
    const own = ['ts', 'js', 'mts', 'mjs'].map((end) => `${src}config.${end}`).find(has)
    const configs = [own && fields(own), inside(config, 'locales', 'root'), config]
    const patterns = configs.map((each) => inside(each, 'themeConfig', 'editLink', 'pattern'))
    return [patterns.map(textOf).find((pattern) => pattern !== undefined), src]
  },
  starlight(config, { folder }) {
    const urls = listOf(config.integrations).map((each) => inside(each, 'editLink', 'baseUrl'))
    return [urls.map(textOf).find((url) => url !== undefined), folder]
  },
  /** Docsy, and themes that follow it. */
  hugo(config, at) {
    const files = ['toml', 'yaml', 'yml'].map((end) => `${folderIn(at.file)}params.${end}`)
    const params = config.params ?? at.fields(files.find(at.has) ?? '')
    const text = (name: string) => textOf(inside(params, name))
    const branch = `edit/${text('github_branch') ?? 'main'}/${text('github_subdir') ?? ''}`
    return [joined(text('github_repo'), branch), at.folder.replace(/config\/_default\/$/, '')]
  },
  /** The theme just-the-docs. */
  jekyll(config, { folder }) {
    const text = (name: string, usual = '') => textOf(config[`gh_edit_${name}`]) ?? usual
    const branch = `${text('view_mode', 'tree')}/${text('branch', 'main')}/${text('source')}`
    const isOn = config.gh_edit_link === true
    return [isOn ? joined(text('repository'), branch) : undefined, folder]
  },
}

function joined(start: string | undefined, end: string | undefined): string | undefined {
  if (end === undefined || /^https?:\/\//.test(end)) return end
  return start ? `${start.replace(/\/+$/, '')}/${end.replace(/^\/+/, '')}` : undefined
}

export function editLinkOf(name: GeneratorName, at: GeneratorFolder): EditLink | undefined {
  const [template, folder] = readers[name]?.(at.fields(at.file), at) ?? []
  return template === undefined ? undefined : editLink(template, folder)
}
