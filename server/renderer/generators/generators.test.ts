import { expect, test } from 'vitest'
import { readLiterals } from '../mdx/read-literals.ts'
import { renderSite } from '../render-site.ts'
import { sourcesOf } from '../sources/sources-in-test.ts'

/** Pages, what the navigation says, `name of the site: title of the home page`, redirects, and what was taken. */
function siteOf(files: Record<string, string>, title = 'project') {
  const assets = new Set(Object.keys(files).filter((path) => !/\.mdx?$/.test(path)))
  const rendering = renderSite({ title, sources: sourcesOf(files), assets })
  const site = new Map<string, string>()
  let step = rendering.next()
  for (; !step.done; step = rendering.next()) {
    const { bytes, copyOf, path } = step.value
    site.set(path, copyOf ?? Buffer.from(bytes).toString())
  }
  const pages = [...site.keys()].filter((path) => site.has(path.replace(/\.html$/, '.md')))
  const html = site.get('index.html') ?? ''
  const sidebar = /<nav class="sidebar"[\s\S]*?<\/nav>/.exec(html)?.[0] ?? ''
  const menu = sidebar
    .slice(sidebar.indexOf('</button>'))
    .replace(/<ul class="sidebar-links">[\s\S]*/, '')
  const navigation = menu
    .replaceAll(/<svg[\s\S]*?<\/svg>|\n/g, '')
    .replaceAll(/<summary>(.*?)<\/summary><ul>/g, '$1(')
    .replaceAll('</ul></details>', ')')
    .replaceAll(/<a href="(https?:[^"]*)"[^>]*>(.*?)<\/a>/g, '$2=$1')
    .replaceAll('</li><li>', ', ')
    .replaceAll(/<[^>]*>/g, '')
  const name = /og:site_name" content="([^"]*)/.exec(html)?.[1]
  const home = /<h1[^>]*>([^<]*)/.exec(html)?.[1]
  return {
    pages: pages.filter((path) => path.endsWith('.html')).join(' '),
    navigation,
    title: `${name}: ${home}`,
    redirects: site.get('_redirects'),
    report: step.value,
    site,
  }
}

const page = (title: string) => `# ${title}\n`
const cases: [string, Record<string, string>, object][] = [
  [
    'mkdocs',
    {
      'README.md': page('Repository'),
      'src/x.ts': 'x',
      'mkdocs.yml': `site_name: Named
site_url: https://example.com/docs/
theme: { name: material, palette: { primary: teal } }
markdown_extensions:
  - pymdownx.emoji: { emoji_index: !!python/name:material.extensions.emoji.twemoji }
repo: !ENV [REPO, x]
nav: [index.md, Guide: [guide/index.md, Second: guide/b.md, Out: 'https://example.org'], Gone: gone.md]
plugins: [blog, redirects: { redirect_maps: { old.md: guide/b.md } }]
`,
      'docs/index.md': '# Home\n\n[b](/docs/guide/b/)\n\n![a](a.png)',
      'docs/guide/index.md': page('Guide'),
      'docs/guide/b.md': '# B\n\n## A & B\n',
      'docs/a.png': '',
      'docs/blog/posts/2.md': '---\ndate: { created: 2024-05-06 }\n---\n# Two: *all*',
      'docs/blog/posts/3.md': '---\ndate: 2024-05-07\nslug: three\n---\n# C\n\n[x](2.md)',
    },
    {
      pages:
        'blog/2024/05/06/two-all.html blog/2024/05/07/three.html guide/b.html guide/index.html index.html',
      navigation: 'Home, Guide(Overview, Second, Out=https://example.org)',
      title: 'Named: Home',
      redirects:
        '/blog/posts/2 /blog/2024/05/06/two-all 301\n/blog/posts/3 /blog/2024/05/07/three 301\n/old /guide/b 301\n',
    },
  ],
  [
    'mdbook',
    {
      'guide/book.toml':
        '[book]\ntitle = "Book"\n[output.html.redirect]\n"/a/b.html" = "../one.html"\n',
      'guide/src/SUMMARY.md': `# Summary

[Preface](pre/README.md)

# Part one

- [Zebra](zebra.md)
  - [Nested](nested/deep.md)
- [Draft]()

---

[End](end.md)
`,
      'guide/src/pre/README.md': '# Preface\n\n[x](/pre/#part)\n\n## Part',
      'guide/src/pre/other.md': page('Other'),
      'guide/src/zebra.md': '## Zebras\n\nText',
      'guide/src/nested/deep.md': 'Text',
      'guide/src/end.md': page('End'),
      'guide/src/one.md': page('One'),
    },
    {
      pages: 'end.html nested/deep.html one.html index.html pre/other.html zebra.html',
      navigation: 'Preface, Part one(Zebra(Zebras, Nested)), End',
      title: 'Book: Preface',
      redirects: '/pre/ / 301\n/a/b /one 301\n',
    },
  ],
  [
    'gitbook',
    {
      '.gitbook.yaml': 'root: ./docs/\nredirects:\n  old/page: new/page.md\n',
      'docs/README.md': '# Home\n\n![x](.gitbook/assets/x.png)',
      'docs/SUMMARY.md':
        '# Table of contents\n\n* [Home](README.md)\n\n## Group <a href="#g" id="g"></a>\n\n* [New \\(page\\)](new/page.md)\n',
      'docs/new/page.md': '# Page\n\n## A & :tada:B\n\n[x](#a-and-b)',
      'docs/.gitbook/assets/x.png': '',
    },
    {
      pages: 'index.html new/page.html',
      navigation: 'Home, Group(New (page))',
      title: 'Home: Home',
      redirects: '/old/page /new/page 301\n',
    },
  ],
  [
    'docsify',
    {
      'docs/_sidebar.md': '- Start\n  - [B](b.md)\n- [Out](https://example.org)\n',
      'docs/_coverpage.md': 'x',
      'docs/index.html': "<script>window.$docsify = { name: 'Docs here' }</script>",
      'docs/README.md': page('Hello'),
      'docs/b.md': page('B'),
      'README.md': page('Repository'),
    },
    {
      pages: 'index.html b.html',
      navigation: 'Start(B), Out=https://example.org',
      title: 'Docs here: Hello',
    },
  ],
  [
    'mintlify',
    {
      'docs.json': JSON.stringify({
        name: 'Mint',
        colors: { primary: '#123456' },
        navigation: {
          tabs: [
            {
              tab: 'Docs',
              groups: [
                { group: 'First', pages: ['index', { group: 'In', pages: ['a/b'] }, 'GET /x'] },
              ],
            },
            { tab: 'Blog', href: 'https://example.org' },
          ],
        },
        redirects: [{ source: '/old/:slug*', destination: '/a/:slug*' }],
      }),
      'index.mdx': '---\ntitle: Start\n---\nText',
      'a/b.mdx': '---\ntitle: Long title\nsidebarTitle: Short\n---\nText',
      'snippets/s.mdx': 'Text',
      'README.md': page('Repository'),
    },
    {
      pages: 'a/b.html index.html',
      navigation: 'Docs(First(Start, In(Short))), Blog=https://example.org',
      title: 'Mint: Start',
      redirects: '/old/* /a/:splat 301\n',
    },
  ],
  [
    'docusaurus',
    {
      'website/docusaurus.config.ts': `import type { Config } from '@docusaurus/types'
const repository = 'https://example.org'
const config: Config = {
  title: 'Config title', baseUrl: '/base/',
  presets: [['classic', { docs: { path: '../docs', routeBasePath: '/', sidebarPath: './sidebars.ts', editUrl: () => x }, blog: false } satisfies Options]],
  themeConfig: { navbar: { title: 'Doc', items: [{ to: 'a', label: 'A' }, { href: repository, label: 'Code' }] } },
  plugins: [['@docusaurus/plugin-client-redirects', { redirects: [{ from: ['/x'], to: '/b/renamed' }] }]],
}
export default config`,
      'website/sidebars.ts':
        "module.exports = { docs: ['first', { type: 'category', label: 'More', items: ['b/renamed', { type: 'link', label: 'Out', href: 'https://example.org' }, { type: 'autogenerated', dirName: 'auto' }] }] }",
      'docs/01-first.md': '---\nslug: /\n---\n# First\n\n![i](/img/i.png) [t](/base/b/two)',
      'docs/b/02-two.mdx': '---\nid: renamed\n---\n# Two\n',
      'docs/b/_partial.mdx': 'x',
      'docs/auto/_category_.json': '{ "label": "By itself" }',
      'docs/auto/3-z.md': page('Z'),
      'docs/auto/4-a.md': page('A'),
      'website/static/img/i.png': '',
      'website/package.json': '{}',
    },
    {
      pages: 'index.html auto/z.html auto/a.html b/renamed.html',
      navigation: 'First, More(Two, Out=https://example.org, Z, A)',
      title: 'Doc: First',
      redirects:
        '/01-first / 301\n/first / 301\n/auto/3-z /auto/z 301\n/auto/4-a /auto/a 301\n/b/02-two /b/renamed 301\n/b/two /b/renamed 301\n/x /b/renamed 301\n',
    },
  ],
  [
    'docusaurus: posts of a blog are at their dates',
    {
      'docusaurus.config.js': "export default { presets: [['classic', { docs: {}, blog: {} }]] }",
      'docs/2020-05-27-flat.md': page('Flat'),
      'blog/2020-05-27-flat.md': page('Post'),
      'blog/more/2021-1-2-deep/index.md': page('Deep'),
      'blog/2022-01-01-named.md': '---\nslug: named\n---\n# Named\n',
    },
    {
      pages:
        'blog/2020/05/27/flat.html blog/named.html blog/2021/1/2/more/deep/index.html docs/2020-05-27-flat.html',
      redirects:
        '/blog/2020-05-27-flat /blog/2020/05/27/flat 301\n/blog/2022-01-01-named /blog/named 301\n/blog/more/2021-1-2-deep /blog/2021/1/2/more/deep/ 301\n',
    },
  ],
  [
    'vitepress',
    {
      'docs/.vitepress/config.mts': `import { defineConfig } from 'vitepress'
import { nav } from './nav'
export default defineConfig({
  title: \`Vue\${suffix}\`, base: '/base/',
  rewrites: { 'en/:rest*': ':rest*' },
  themeConfig: { nav, logo: '/logo.svg', sidebar: { '/guide/': { base: '/guide/', items: guide() }, '/api-docs/': [{ text: 'C', link: '/api-docs/c' }] } },
})
function guide(): Item[] {
  return [{ text: 'Guide', items: [{ text: 'What?', link: 'what' }, { text: 'Any', link: 'any.md#x' }] }]
}`,
      'docs/.vitepress/nav.ts': "export const nav = [{ text: 'Guide', link: '/guide/what' }]",
      'docs/en/index.md': '---\nlayout: home\n---\n',
      'docs/en/guide/what.md': '# What\n\n[x](./any#a-b) ![l](/logo.svg)',
      'docs/en/api-docs/c.md': '# C',
      'docs/en/guide/any.md': '# Any\n\n## `a.b`\n\n## C & D',
      'docs/public/logo.svg': '<svg/>',
      'src/a.ts': '',
    },
    {
      pages: 'api-docs/c.html guide/any.html guide/what.html index.html',
      navigation: 'Guide(What?, Any), Api docs(C)',
      title: 'Vue: Vue',
    },
  ],
  [
    'starlight',
    {
      'astro.config.mjs':
        "import starlight from '@astrojs/starlight'\nexport default defineConfig({ integrations: [starlight({ title: 'Star', sidebar: ['start', { label: 'Guides', autogenerate: { directory: 'guides' } }] })] })",
      'src/content/docs/index.mdx': '---\ntitle: Hello\n---\n',
      'src/content/docs/Start.md': '---\ntitle: Start\n---\n![a](../../assets/a.png)',
      'src/content/docs/guides/b.md': '---\ntitle: B\nsidebar: { order: 2 }\n---\n',
      'src/content/docs/guides/c.md': '---\ntitle: C\nsidebar: { order: 1, label: Sea }\n---\n',
      'src/assets/a.png': '',
    },
    {
      pages: 'start.html guides/b.html guides/c.html index.html',
      navigation: 'Start, Guides(Sea, B)',
      title: 'Star: Hello',
    },
  ],
  [
    'nextra',
    {
      'content/_meta.ts':
        "export default { index: 'Welcome', sep: { type: 'separator' }, z: '', sub: { title: 'Below' }, out: { title: 'Out', href: 'https://example.org' } }",
      'content/index.mdx': page('Home'),
      'content/z.mdx': page('Z'),
      'content/a.mdx': page('A'),
      'content/sub/b.mdx': page('B'),
    },
    {
      pages: 'a.html index.html sub/b.html z.html',
      navigation: 'Welcome, Z, Below(B), Out=https://example.org, A',
    },
  ],
  [
    'hugo',
    {
      'hugo.toml':
        'title = "Go"\nbaseURL = "https://example.com/sub/"\n[[menus.main]]\nname = "Docs"\npageRef = "/docs"\n[params.home]\nto = "/docs/"\n',
      'content/_index.md': '+++\ntitle = "Home"\n+++\n',
      'content/docs/_index.md': '---\ntitle: Docs\n---\n',
      'content/docs/Big Name.md': '---\ntitle: Big\nweight: 2\naliases: [/older/, old]\n---\n',
      'content/docs/leaf/index.md':
        '---\ntitle: Leaf\nweight: 1\n---\n[b](/sub/docs/big-name/) [c]({{% param home.to %}}#)',
      'layouts/x.html': '',
    },
    {
      pages: 'index.html docs/big-name.html docs/index.html docs/leaf/index.html',
      navigation: 'Home, Docs(Overview, Leaf, Big)',
      title: 'Go: Home',
      redirects:
        '/docs/Big%20Name /docs/big-name 301\n/older /docs/big-name 301\n/docs/old /docs/big-name 301\n',
    },
  ],
  [
    'jekyll',
    {
      '_config.yml': 'title: Jek\ntheme: just-the-docs\nexclude: [README.md]\n',
      'README.md': page('Repository'),
      'index.md': '---\ntitle: {{ site.title }}\nnav_order: 1\n---\n[p](../d/c.md)',
      'd/p.md': '---\ntitle: Parent\nnav_order: 2\npermalink: /parents/\n---\n',
      'd/c.md': '---\ntitle: Child\nparent: Parent\n---\n',
      '_includes/x.md': 'x',
    },
    {
      pages: 'd/c.html parents.html index.html',
      navigation: 'Jek, Parent(Overview, Child)',
      title: 'Jek: Jek',
      redirects: '/d/p /parents 301\n',
    },
  ],
  [
    'sphinx',
    {
      'docs/conf.py': "project = 'Sph'\nextensions = ['myst_parser']\n",
      'docs/index.md': '# Home\n\n```{toctree}\n:caption: Part\n\nb\nTitle <a.md>\n```\n',
      'docs/a.md': page('A'),
      'docs/b.md': page('B'),
    },
    { pages: 'a.html b.html index.html', navigation: 'Part(B, Title)', title: 'Sph: Home' },
  ],
  [
    'none: a list of contents of one folder is a page',
    { 'index.md': page('Home'), 'part/SUMMARY.md': page('List'), 'part/a.md': page('A') },
    { pages: 'index.html part/SUMMARY.html part/a.html', title: 'project: Home' },
  ],
  [
    'none: README.md is the home page, in any case and beside those of languages',
    {
      'readme.md': '<h1 align="center">My product</h1>\n\nText\n\n## Install',
      'README.de.md': page('Produkt'),
      'index.de.md': page('Index'),
      'demo.md': page('Other'),
      'demo/README.md': page('Demo'),
      'package.json': '{\n  "name": "@scope/product-docs"\n}',
      'public/logo.svg': '',
    },
    {
      pages: 'README.de.html demo.html demo/index.html index.de.html index.html',
      title: 'product: My product',
    },
  ],
]

test.each(cases)('%s', (name, files, expected) => {
  const { report, ...read } = siteOf(files)
  expect(read).toMatchObject(expected)
  expect(report.generator?.name.toLowerCase() ?? 'none').toBe(name.split(':')[0])
  const isLost = ({ message, severity }: (typeof report.items)[number]) =>
    severity !== 'note' && !message.includes('toctree')
  expect(report.items.filter(isLost)).toEqual([])
})

test('a home page of fields has its sentences, links, picture and cards', () => {
  const hero = `hero:
  name: Zoo
  text: All animals
  tagline: In one place
  image: { src: /a.svg, alt: A }
  actions: [{ text: Begin, link: /b }, { text: "<x>", link: "javascript:alert(1)" }]
features: [{ title: 'One "1"', details: Of *many*, link: /b }, { title: Two }, 3]
`
  const files = {
    'index.md': `---\nlayout: home\n${hero}---\nEnd`,
    'b.md': '# B',
    'public/a.svg': '',
  }
  const html = siteOf(files).site.get('index.html') ?? ''
  const parts = [
    '<h1>Zoo</h1>',
    'All animals',
    'In one place',
    'href="/b"',
    'Begin',
    '/public/a.svg',
  ]
  const at = [...parts, 'One "1"', '<em>many</em>', 'Two', 'End'].map((part) => html.indexOf(part))
  expect(at.every((place) => place > 0)).toBe(true)
  expect(html).not.toMatch(/javascript:|CardGroup|<x>/)
})

const twice = '# Part\n\n## Part\n\n## Other {#part}\n\n### Part\n'
test.each([
  ['mkdocs.yml', 'part part_1 part_2 part_3'],
  ['docusaurus.config.js', 'part part-1 part-2 part-3'],
  ['nothing.txt', 'part part-1 part-2 part-3'],
])('no two headings have the same anchor: %s', (name, anchors) => {
  const { site } = siteOf({ [name]: '{}', 'docs/page.md': twice })
  const [html = ''] = [...site].flatMap(([path, text]) => (path.endsWith('page.html') ? text : []))
  const ids = [...html.matchAll(/<h[1-6][^>]* id="(part[^"]*)"/g)].map(([, id]) => id)
  expect(ids.join(' ')).toBe(anchors)
})

test('the logo of a generator is shown from where it is published', () => {
  const { site } = siteOf(cases.find(([name]) => name === 'vitepress')?.[1] ?? {})
  expect(site.get('index.html')).toContain('<img class="brand-logo" src="/logo.svg"')
  expect(site.get('logo.svg')).toBe('docs/public/logo.svg')
})

test.each([
  ['mkdocs.yml', 'site_name: X\nnav:\n  - Start: a.md\n bad: [\n', 4],
  ['hugo.toml', '\ntitle = "x\n', 2],
  ['docs.json', '{ "navigation": {}, // c\n }', null],
])('the report names configuration that cannot be read: %s', (file, text, line) => {
  const { report } = siteOf({ [file]: text, 'a.md': page('A') })
  const message = 'The setting in a file that cannot be parsed is not used.'
  expect(report.items).toMatchObject([{ file, line, message, severity: 'note' }])
})

test('a page is not left out in silence', () => {
  const files = { 'docusaurus.config.js': '', 'docs/1-a.md': page('A'), 'docs/2-a.md': page('B') }
  const message =
    'docs/1-a.md has the same address, /docs/a: this page is left out. Rename one of them.'
  expect(siteOf(files).report.items).toMatchObject([{ file: 'docs/2-a.md', line: 1, message }])
})

test('what the own settings say goes before', () => {
  const files = {
    ...cases[0]?.[1],
    'site.yaml': 'title: Own\nnavigation: [{ title: Mine, pages: [docs/guide/b.md] }]\n',
  }
  expect(siteOf(files)).toMatchObject({
    title: 'Own: Home',
    navigation: expect.stringMatching(/^Home, Mine\(B\), Guide\b/),
  })
})

test.each([
  [
    'export default { a: \'x\' + "y", b: -1.5, c: [1, , true], d: null }',
    { a: 'xy', b: -1.5, c: [1, true], d: null },
  ],
  [
    'module.exports = { a: process.env.X || "y", b() { return 1 }, c: (x) => x, [d]: 1, e }',
    { a: 'y' },
  ],
  [
    'const base = { a: 1 }\nexport default wrap({ ...base, b: `t`, c: `t$' + '{a}` }) as X',
    { a: 1, b: 't' },
  ],
  ['const f = () => ({ a: 1 })\nexport default f()', { a: 1 }],
  ['const a = b\nconst b = a\nexport default { a, /* } */ b: 1 // }\n}', { b: 1 }],
  ['export default { __proto__: { a: 1 }, constructor: 1 }', { constructor: 1 }],
  ['export default {', undefined],
  ['no program', undefined],
])('of the program %s the data is read', (text, value) => {
  expect(JSON.stringify(readLiterals(text).value)).toBe(JSON.stringify(value))
})

const many = 100_000
const hostile = [
  '[',
  '{a:',
  '(',
  '`${',
  "'",
  '/*',
  'f(',
  '...',
  'a+',
  '- [x](',
  '* ',
  '[a',
  '{"a":[',
  'a: &a [*a,',
  '# ',
].map((part) => part.repeat(many / part.length))
test.each(hostile)('what many openings say is bounded, %#', (text) => {
  const files = {
    'index.md': 'x',
    'docusaurus.config.js': `export default ${text}`,
    'SUMMARY.md': text,
    'mkdocs.yml': `nav: ${text}`,
    'docs.json': `{"navigation": ${text}`,
    'docs/index.md': 'x',
  }
  for (const name of ['docusaurus.config.js', 'SUMMARY.md', 'mkdocs.yml', 'docs.json']) {
    const one = Object.entries(files).filter(([path]) => path.endsWith('.md') || path === name)
    expect(siteOf(Object.fromEntries(one)).pages).toContain('index.html')
  }
})

test('names and links of a generator cannot bring markup or programs', () => {
  const title = '<script>alert(1)</script>'
  const config = {
    name: title,
    colors: { primary: 'red;}' },
    logo: '/../../x.svg',
    navbar: { links: [{ label: title, href: 'javascript:alert(1)' }] },
    navigation: [{ group: title, pages: ['index', { group: title, href: 'javascript:alert(1)' }] }],
    redirects: [{ source: '/a\n/b /c', destination: 'javascript:alert(1)' }],
  }
  const { redirects = '', site } = siteOf({ 'docs.json': JSON.stringify(config), 'index.mdx': 'x' })
  const html = site.get('index.html')
  expect(html).not.toMatch(/<script>alert|href="javascript/)
  expect(redirects).toBe('')
})
