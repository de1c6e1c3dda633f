import { expect, test } from 'vitest'
import { renderSite } from '../render-site.ts'
import { faultAt, sourcesOf } from '../sources/sources-in-test.ts'

const page = (title: string) => `# ${title}\n\nText of ${title}.\n`

function siteOf(files: Record<string, string>) {
  const assets = new Set(Object.keys(files).filter((path) => !/\.mdx?$/.test(path)))
  const rendered = [...renderSite({ title: 'Docs', sources: sourcesOf(files), assets })]
  return new Map(rendered.map(({ bytes, path }) => [path, Buffer.from(bytes).toString()]))
}

const textOf = (html: string) => html.replaceAll(/<svg.*?<\/svg>|<[^>]*>/g, '')

/** A page: its language, navigation, switches (`name=address`), `hreflang`, note, and what its search finds. */
function seenOn(path: string, site: Map<string, string>) {
  const html = site.get(path) ?? ''
  const all = (form: RegExp, from = html) => [...from.matchAll(form)]
  const links = (from: string) =>
    all(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/g, from).map(
      ([, to, name = '']) => `${textOf(name)}=${to}`,
    )
  const [, menu = ''] = /<nav class="sidebar"[\s\S]*?<\/button>([\s\S]*?)<\/nav>/.exec(html) ?? []
  const search = /data-site-search="\/([^"]*)/.exec(html)?.[1] ?? ''
  const { index } = JSON.parse(site.get(search) ?? '{}')
  return {
    html: /<html ([^>]*)>/.exec(html)?.[1],
    menu: textOf(menu.replaceAll('</a>', ' ').replaceAll('</summary>', ': ')).trim(),
    home: /<a class="brand" href="([^"]*)/.exec(html)?.[1],
    switches: all(/<ul class="switch"[\s\S]*?<\/ul>/g).map(([list]) => links(list).join(' ')),
    hreflang: all(/hreflang="([^"]*)" href="([^"]*)"/g)
      .map(([, tag, to]) => `${tag}=${to}`)
      .join(' '),
    canonical: /rel="canonical" href="([^"]*)/.exec(html)?.[1],
    note: textOf(
      /<p class="callout callout-warning other-version"[\s\S]*?<\/p>/.exec(html)?.[0] ?? '',
    ),
    prose: links(/<div class="prose">[\s\S]*?<\/article>/.exec(html)?.[0] ?? '').join(' '),
    near: links(/<nav class="neighbours"[\s\S]*?<\/nav>/.exec(html)?.[0] ?? '').join(' '),
    found: Object.values<string>(index?.documentIds ?? {})
      .filter((id) => !id.includes('#'))
      .join(' '),
  }
}

const translated = {
  'index.md': page('Start'),
  'guide/a.md': page('A'),
  'guide/b.md': page('B'),
  'de/index.md': page('Anfang'),
  'de/guide/a.md': page('Ä'),
  'ar/guide/b.md': page('ب'),
}
const german = {
  html: 'lang="de"',
  menu: 'Anfang Guide: Ä',
  home: '/de/',
  hreflang: 'en=/guide/a de=/de/guide/a x-default=/guide/a',
  found: '/de/guide/a /de/',
}
const docusaurus = {
  'docusaurus.config.js':
    "export default { i18n: { defaultLocale: 'en', locales: ['en', 'fr'] }, presets: [['classic', { docs: { sidebarPath: './sidebars.js' }, blog: false }]] }",
  'sidebars.js':
    "module.exports = { docs: [{ type: 'category', label: 'First', items: ['a', 'b'] }] }",
  'versions.json': '["2.0", "1.0"]',
  'versioned_sidebars/version-1.0-sidebars.json': '{ "docs": ["b", "a"] }',
  'docs/a.md': page('A next'),
  'versioned_docs/version-2.0/a.md': page('A'),
  'versioned_docs/version-2.0/b.md': page('B'),
  'versioned_docs/version-1.0/a.md': page('Old A'),
  'versioned_docs/version-1.0/b.md': page('Old B'),
  'i18n/fr/docusaurus-plugin-content-docs/version-2.0/a.md': page('À'),
}
const suffixed = {
  'README.md': page('Start'),
  'guide/a.md': `${page('A')}## Next {#next}\n`,
  'guide/b.md': page('B'),
  'guide/b.fr.md': page('Bé'),
  'README.cn.md': page('开始'),
  'guide/a.cn.md': '# 甲\n\n[B](/guide/b) [A](a.md#接下来)\n\n## 接下来 {#next}\n\n## 完\n',
}
const nextra = (locale: string) => ({
  'next.config.js': `module.exports = withNextra({ i18n: { locales: ['en-US', 'zh-CN'], defaultLocale: '${locale}' } })`,
  'pages/_meta.en-US.json': '{ "b": "Bee", "a": "A" }',
  'pages/_meta.zh-CN.json': '{ "b": "乙乙", "a": "甲" }',
  'pages/index.en-US.mdx': page('Start'),
  'pages/a.en-US.mdx': page('A'),
  'pages/b.en-US.mdx': page('B'),
  'pages/index.zh-CN.mdx': '# 开始\n\n[甲](/a)\n',
  'pages/a.zh-CN.mdx': page('甲'),
})
const vitepress = (locales: string) => ({
  '.vitepress/config.ts': `export default { locales: ${locales}, themeConfig: { sidebar: [{ text: 'Guide', items: [{ text: 'A', link: '/a' }] }] } }`,
  'a.md': page('A'),
  'zh/a.md': page('甲'),
})

test.each<[string, Record<string, string>, string, object]>([
  [
    'plain folders',
    translated,
    'de/guide/a.html',
    {
      ...german,
      note: '',
      switches: ['English=/guide/a العربية start page=/ar/ Deutsch=/de/guide/a'],
      near: 'PreviousAnfang=/de/',
    },
  ],
  [
    'the main language',
    translated,
    'guide/b.html',
    {
      html: 'lang="en"',
      menu: 'Start Guide: A B',
      near: 'PreviousA=/guide/a',
      found: '/guide/a /guide/b /',
    },
  ],
  ['from right to left', translated, 'ar/guide/b.html', { html: 'lang="ar" dir="rtl"' }],
  [
    'folders of departments',
    { 'it/rules.md': page('Rules'), 'hr/rules.md': page('Rules'), 'a.md': page('A') },
    'a.html',
    { switches: [], menu: 'Overview A Hr: Rules It: Rules' },
  ],
  [
    'folders of departments with the same pages',
    { 'it/rules.md': page('Rules'), 'hr/rules.md': page('Rules'), 'rules.md': page('Rules') },
    'rules.html',
    { switches: [] },
  ],
  [
    'one folder',
    {
      'is/rules.md': page('Rules'),
      'rules.md': page('Rules'),
      'my-app/rules.md': page('App'),
    },
    'rules.html',
    { switches: [] },
  ],
  [
    'folders without own languages',
    { 'de/a.md': page('Eins'), 'zh/a.md': page('一') },
    'zh/a.html',
    { switches: ['Deutsch=/de/a 中文=/zh/a'] },
  ],
  [
    'names of files',
    suffixed,
    'cn/guide/a.html',
    {
      html: 'lang="zh"',
      menu: '开始 Guide: 甲',
      home: '/cn/',
      prose: 'B=/guide/b A=/cn/guide/a#next #=#next #=#完',
      hreflang: 'en=/guide/a zh=/cn/guide/a x-default=/guide/a',
      switches: ['English=/guide/a 中文=/cn/guide/a Français start page=/fr/'],
      found: '/cn/ /cn/guide/a',
    },
  ],
  [
    'names of files, which are no translations',
    { 'a.md': page('A'), 'a.de.md': page('A'), 'b.it.md': page('B') },
    'a.de.html',
    { switches: [], menu: 'Overview A A B' },
  ],
  [
    'names of files, of which one is a capitalised index',
    {
      'README.md': page('Start'),
      'Index.de.md': page('Anfang'),
      'a.md': page('A'),
      'a.de.md': page('Ä'),
    },
    'de/index.html',
    { menu: 'Anfang Ä', hreflang: 'en=/ de=/de/ x-default=/' },
  ],
  [
    'names of files for systems and programs',
    { 'a.md': page('A'), 'a.mac.md': page('On a Mac'), 'a.ts.md': page('In TypeScript') },
    'a.mac.html',
    { switches: [], menu: 'Overview A On a Mac In TypeScript' },
  ],
  [
    'names of files for languages of the settings',
    { 'site.yaml': 'languages: [en, fil]', 'a.md': page('A'), 'a.fil.md': page('Ang A') },
    'fil/a.html',
    { html: 'lang="fil"', hreflang: 'en=/a fil=/fil/a x-default=/a' },
  ],
  [
    'languages none',
    { ...translated, 'site.yaml': 'languages: []' },
    'index.html',
    { switches: [] },
  ],
  [
    'languages and versions',
    {
      'site.yaml':
        'languages: [en, { language: pt-BR, folder: pt }]\nversions: [{ version: "2", folder: . }, v1]\nnavigation: [en/b.md]',
      'en/a.md': page('A'),
      'en/b.md': page('B'),
      'pt/a.md': page('Á'),
      'pt/b.md': page('Bê'),
      'v1/en/a.md': page('Old'),
      'pt/v1/c.md': page('Velho'),
    },
    'v1/en/a.html',
    {
      html: 'lang="en"',
      menu: 'Overview Old',
      canonical: '/en/a',
      found: '/v1/en/a',
      switches: ['2=/en/a v1=/v1/en/a', 'English=/v1/en/a Português start page=/pt/v1/'],
      note: 'This is version v1. The current version is 2: the same page there.',
    },
  ],
  [
    'languages in versions only',
    {
      'site.yaml': 'languages: [en, de]\nversions: [{ version: "2", folder: . }, v1]',
      'a.md': page('A'),
      'b.md': page('B'),
      'v1/a.md': page('Old A'),
      'v1/de/a.md': page('Altes A'),
    },
    'v1/de/a.html',
    {
      canonical: undefined,
      hreflang: '',
      note: 'This is version v1. The current version is 2: the same page there.',
    },
  ],
  [
    'folders outside of versions',
    {
      'site.yaml': 'languages: [en, de]\nversions: [v2, v1]',
      'en/v2/a.md': page('A'),
      'de/v2/a.md': page('Ä'),
      'de/v1/a.md': page('Altes'),
    },
    'de/index.html',
    { home: '/de/v2/', hreflang: '' },
  ],
  [
    'versions whose names are numbers, in languages',
    {
      'site.yaml': 'languages: [en, de]\nversions: ["2", "1"]',
      'en/2/index.md': page('Start'),
      'de/2/index.md': page('Anfang'),
      'de/1/index.md': page('Alt'),
    },
    'de/2/index.html',
    { home: '/de/2/', menu: 'Anfang', hreflang: 'en=/en/2/ de=/de/2/ x-default=/en/2/' },
  ],
  [
    'groups of the settings, of pages with other addresses',
    {
      'site.yaml': 'navigation: [{ title: First, pages: [b.md, c.md] }]',
      'a.md': page('A'),
      'b.md': `---\nslug: bee\n---\n${page('B')}`,
      'c.md': `---\npermalink: /x/sea\n---\n${page('C')}`,
    },
    'a.html',
    { menu: 'Overview First: B C A' },
  ],
  [
    'the order of the settings',
    {
      'site.yaml': 'languages: [en, de]\nnavigation: [en/b.md]',
      'en/a.md': page('A'),
      'en/b.md': page('B'),
      'de/a.md': page('Ä'),
      'de/b.md': page('Beh'),
    },
    'de/a.html',
    { menu: 'Overview Beh Ä' },
  ],
  [
    'Docusaurus',
    docusaurus,
    'docs/1.0/a.html',
    {
      menu: 'Overview Old B Old A',
      canonical: '/docs/a',
      note: 'This is version 1.0. The current version is 2.0: the same page there.',
      found: '/docs/1.0/a /docs/1.0/b',
      switches: [
        '2.0=/docs/a 1.0=/docs/1.0/a next=/docs/next/a',
        'English=/docs/1.0/a Français=/fr/docs/a',
      ],
    },
  ],
  ['Docusaurus, being written', docusaurus, 'docs/next/a.html', { menu: 'Overview First: A next' }],
  [
    'Docusaurus, translated',
    docusaurus,
    'fr/docs/a.html',
    {
      html: 'lang="fr"',
      menu: 'Overview First: À',
      hreflang: 'en=/docs/a fr=/fr/docs/a x-default=/docs/a',
    },
  ],
  [
    'VitePress',
    vitepress(
      "{ root: { lang: 'en' }, zh: { lang: 'zh-Hans', themeConfig: { sidebar: [{ text: '指南', items: [{ text: '甲乙', link: '/zh/a' }] }] } } }",
    ),
    'zh/a.html',
    {
      html: 'lang="zh-Hans"',
      menu: 'Overview 指南: 甲乙',
      switches: ['English=/a 简体中文=/zh/a'],
    },
  ],
  [
    'VitePress, one sidebar',
    vitepress("{ root: { lang: 'en' }, zh: { lang: 'zh' } }"),
    'zh/a.html',
    { menu: 'Overview Guide: 甲' },
  ],
  [
    'Mintlify',
    {
      'docs.json': JSON.stringify({
        navigation: {
          languages: [
            { language: 'en', groups: [{ group: 'Start', pages: ['b', 'a'] }] },
            { language: 'fr', groups: [{ group: 'Début', pages: ['fr/a'] }] },
          ],
        },
      }),
      'a.mdx': page('A'),
      'b.mdx': page('B'),
      'fr/a.mdx': page('À'),
    },
    'fr/a.html',
    { menu: 'Overview Début: À', switches: ['English=/a Français=/fr/a'] },
  ],
  [
    'Mintlify, versions',
    {
      'docs.json': JSON.stringify({
        navigation: {
          versions: [
            { version: 'v2', pages: ['a'] },
            { version: 'v1', pages: ['v1/a', 'v1/b'] },
          ],
        },
      }),
      'a.mdx': page('A'),
      'v1/a.mdx': page('Old'),
      'v1/b.mdx': page('Gone'),
    },
    'v1/b.html',
    {
      menu: 'Overview Old Gone',
      canonical: undefined,
      note: 'This is version v1. The current version is v2: its start page.',
    },
  ],
  [
    'Hugo',
    {
      'hugo.toml':
        'title = "H"\ndefaultContentLanguage = "en"\n[languages.en]\nweight = 1\n[languages.de]\nlanguageCode = "de-AT"\ncontentDir = "content/german"',
      'content/english/x.md': '',
      'content/en/a.md': page('A'),
      'content/german/a.md': page('Ä'),
    },
    'de/a.html',
    { html: 'lang="de-AT"', switches: ['English=/a Deutsch=/de/a'] },
  ],
  [
    'MkDocs',
    {
      'mkdocs.yml':
        'site_name: M\nnav: [index.md, a.md]\nplugins: [search, i18n: { languages: [{ locale: fr }, { locale: en, default: true }] }]',
      'docs/en/index.md': page('Home'),
      'docs/en/a.md': page('A'),
      'docs/fr/a.md': page('À'),
    },
    'fr/a.html',
    { html: 'lang="fr"', menu: 'Overview À', switches: ['English=/a Français=/fr/a'] },
  ],
  [
    'MkDocs, names of files',
    {
      'mkdocs.yml':
        'site_name: M\nnav: [b.md, a.md]\nplugins: [i18n: { docs_structure: suffix, languages: [{ locale: fr, default: true }, { locale: en }] }]',
      'docs/a.fr.md': page('À'),
      'docs/b.fr.md': page('Bé'),
      'docs/a.en.md': '# A\n\n[B](b.md)\n',
      'docs/b.en.md': page('B'),
    },
    'en/a.html',
    { menu: 'Overview B A', prose: 'B=/en/b', switches: ['Français=/a English=/en/a'] },
  ],
  [
    'Hugo, names of files',
    {
      'hugo.toml': '[languages.en]\n[languages.de]\nlanguageCode = "de-AT"',
      'content/guide/_index.md': page('Guide'),
      'content/guide/_index.de.md': page('Anleitung'),
    },
    'de/guide/index.html',
    { html: 'lang="de-AT"', switches: ['English=/guide/ Deutsch=/de/guide/'] },
  ],
  [
    'Nextra, names of files',
    nextra('en-US'),
    'zh-CN/index.html',
    { menu: '甲 开始', prose: '甲=/zh-CN/a', switches: ['English=/ 中文=/zh-CN/'] },
  ],
  ['Nextra, another main language', nextra('zh-CN'), 'en-US/b.html', { menu: 'A Start' }],
  [
    'Starlight',
    {
      'astro.config.mjs':
        "import starlight from '@astrojs/starlight'\nexport default { integrations: [starlight({ title: 'S', locales: { root: { label: 'English', lang: 'en' }, de: { label: 'D' } }, sidebar: [{ label: 'Guides', autogenerate: { directory: 'guides' } }] })] }",
      'src/content/docs/guides/a.md': '---\ntitle: A\n---\n',
      'src/content/docs/de/guides/a.md': '---\ntitle: Ä\n---\n',
    },
    'de/guides/a.html',
    { menu: 'Overview Guides: Ä', near: 'PreviousOverview=/de/' },
  ],
])('%s: each page is in one language and version', (_, files, path, expected) => {
  expect(seenOn(path, siteOf(files))).toMatchObject(expected)
})

test('the site map has translations, and not what the newest version has', () => {
  const map = siteOf({
    ...translated,
    'v1/guide/a.md': page('Old'),
    'v1/c.md': page('Gone'),
    'de/404.md': page('Nicht da'),
    'site.yaml': 'versions: [{ version: "2", folder: . }, v1]',
  }).get('sitemap.xml')
  const link =
    '<xhtml:link rel="alternate" hreflang="de" href="https://origin.invalid/de/guide/a"/>'
  expect(map).toContain(link)
  expect(map).toContain('/v1/c<')
  expect(map).not.toContain('404')
  expect(map).not.toContain('/v1/guide/a<')
})

test.each([
  [
    'languages: de',
    1,
    'languages must be a list of at most 100 different folders, such as [en, de',
  ],
  ['languages:\n - en\n - pt_BR', 3, 'languages: "pt_BR" cannot be used. languages must be a list'],
  ['versions: [v1, v1]', 1, 'versions must be'],
  ['versions: [12345678901234567890]', 1, 'versions: 12345678901234567890 cannot be used.'],
  [
    'versions: [2.0]',
    1,
    'versions: 2 cannot be used. versions must be a list of at most 100 different folders, such as [{ version: "2.0", folder: . }, v1]',
  ],
  ['versions:\n - v2\n - v1', 3, 'The folder v1/ has no pages. Correct its path, or remove it.'],
])('%s is refused with its line', (text, line, message) => {
  expect(() => siteOf({ 'a.md': page('A'), 'site.yaml': text })).toThrow(
    faultAt('site.yaml', line, message),
  )
})

test('many folders of languages and versions are as fast as few', () => {
  const names = Array.from({ length: 100 }, (_, i) => `v${i}`)
  const files = Object.fromEntries(names.map((name) => [`${name}/a.md`, page(name)]))
  const { switches } = seenOn(
    'v7/a.html',
    siteOf({ ...files, 'site.yaml': `versions: [${names}]` }),
  )
  expect(switches[0]?.split(' ')).toHaveLength(100)
})
