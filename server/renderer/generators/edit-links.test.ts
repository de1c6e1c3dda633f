import { expect, test } from 'vitest'
import { editAddress } from '../sources/settings.ts'
import { sourcesOf } from '../sources/sources-in-test.ts'
import { recogniseGenerator } from './recognise-generator.ts'

const repository = 'https://github.com/me/zoo'

test.each([
  ['mkdocs.yml', `repo_url: ${repository}/`, 'docs/a.md', 'edit/master/docs/a.md'],
  [
    'mkdocs.yml',
    `repo_url: ${repository}\nedit_uri: blob/main/d/`,
    'docs/a.md',
    'blob/main/d/a.md',
  ],
  ['mkdocs.yml', `repo_url: ${repository}\nedit_uri: ''`, 'docs/a.md', undefined],
  [
    'book.toml',
    `[output.html]\nedit-url-template = "${repository}/edit/main/{path}"`,
    'src/a.md',
    'edit/main/src/a.md',
  ],
  [
    'docusaurus.config.js',
    `export default { presets: [['classic', { docs: { editUrl: '${repository}/tree/main/' } }]] }`,
    'docs/a.mdx',
    'tree/main/docs/a.mdx',
  ],
  [
    'website/docusaurus.config.js',
    `export default { presets: [['classic', { docs: { path: '../docs', editUrl: '${repository}/edit/main/website' } }]] }`,
    'docs/a.mdx',
    'edit/main/docs/a.mdx',
  ],
  [
    'docs/.vitepress/config.ts',
    `export default { themeConfig: { editLink: { pattern: '${repository}/edit/main/docs/:path' } } }`,
    'docs/guide/a.md',
    'edit/main/docs/guide/a.md',
  ],
  [
    'docs/.vitepress/config.ts',
    'export default { themeConfig: { editLink: { pattern: () => 1 } } }',
    'docs/a.md',
    undefined,
  ],
  [
    'astro.config.mjs',
    `export default defineConfig({ integrations: [starlight({ title: 'Zoo', editLink: { baseUrl: '${repository}/edit/main/' } })] })`,
    'src/content/docs/a.md',
    'edit/main/src/content/docs/a.md',
  ],
  [
    'hugo.toml',
    `baseURL = "https://x.example/"\n[params]\ngithub_repo = "${repository}"\ngithub_subdir = "site"`,
    'content/a.md',
    'edit/main/site/content/a.md',
  ],
  [
    '_config.yml',
    `gh_edit_link: true\ngh_edit_repository: ${repository}\ngh_edit_view_mode: edit`,
    'a.md',
    'edit/main/a.md',
  ],
  ['mkdocs.yml', 'repo_url: javascript:alert(1)\nedit_uri: "x/"', 'docs/a.md', undefined],
  ['en/mkdocs.yml', `repo_url: ${repository}`, 'en/docs/a.md', 'edit/master/en/docs/a.md'],
])('%s: %s', (file, text, page, expected) => {
  const sources = sourcesOf({ [file]: text, [page]: '# A' })
  const { settings } = recogniseGenerator({ sources, assets: new Set() })
  const address = expected === undefined ? undefined : `${repository}/${expected}`
  expect(editAddress(settings.edit, page)).toBe(address)
})

test('parameters of Hugo are in its configuration and in a file of their own', () => {
  const sources = sourcesOf({
    'config/_default/hugo.yaml': `params: { github_repo: '${repository}', github_branch: old }`,
    'config/_default/params.yaml': 'github_branch: next',
    'content/a.md': '# A',
  })
  const { settings } = recogniseGenerator({ sources, assets: new Set() })
  expect(editAddress(settings.edit, 'content/a.md')).toBe(`${repository}/edit/next/content/a.md`)
})
