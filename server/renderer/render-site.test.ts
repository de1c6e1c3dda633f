import { Parser } from 'htmlparser2'
import { beforeAll, describe, expect, test } from 'vitest'
import { renderSite } from './render-site.ts'
import { isHashedName } from './site-files/hashed-name.ts'
import { originPlaceholder } from './sources/render-input.ts'
import { faultAt, sourcesOf } from './sources/sources-in-test.ts'

async function render(files: Record<string, string>, assets: string[] = [], title = 'Project') {
  const site = new Map<string, string>()
  const input = { title, sources: sourcesOf(files), assets: new Set(assets) }
  for await (const { path, bytes, copyOf = '' } of renderSite(input)) {
    expect(site.has(path), `${path} comes twice`).toBe(false)
    site.set(path, Buffer.from(input.sources.get(copyOf) ?? bytes).toString())
  }
  return site
}

const files = {
  'README.md': '# Welcome\n\nThe first paragraph. See [the guide](guides/first.md#setting-up).\n',
  'guides/first.md':
    '---\ndescription: How to "begin".\norder: 1\n---\n# First\n\n## Setting up\n\n```sh\ncurl -s "$API"\n```\n\n## More\n\n![cat](cat.png)\n',
  'guides/second.md': '# Second <b>guide</b>\n\nText\n',
  'guides/deep/last.md': 'No title here.\n',
  'openapi-fragment.json': '{"a":1}',
  'site.yaml':
    'title: A & B\ndescription: All of it.\nlinks: [{ title: Guide, url: guides/first.md }]\n',
}

const forbidden = new Set(
  'iframe frame object embed applet base form input textarea select template noscript math style'.split(
    ' ',
  ),
)

/** What could run in a page, or load from another host. */
function dangersOf(html: string): string[] {
  const dangers: string[] = []
  let inScript = false
  const parser = new Parser({
    onopentag(name, attributes) {
      inScript = name === 'script'
      // The language of an example, which the theme asks for.
      const { checked, name: field, type, value: language, ...others } = attributes
      const isChoice = `${name} ${type} ${field}` === 'input radio api-language' && !checked
      const isKnown = /^(?:curl|javascript|python)$/.test(language ?? '')
      const isOfTheme = isChoice && isKnown && Object.keys(others).length === 0
      if (forbidden.has(name) && !isOfTheme) dangers.push(name)
      if ('http-equiv' in attributes) dangers.push(`meta ${attributes['http-equiv']}`)
      if (inScript && !attributes.src?.startsWith('/_site/')) dangers.push('script')
      for (const [key, value] of Object.entries(attributes)) {
        if (/^(?:on|style$|srcdoc$|formaction$)/.test(key)) dangers.push(`${name} ${key}`)
        // As browsers read it: without what they skip.
        const scheme = /^(?:([a-z][a-z0-9+.-]*):|\/\/)/i.exec(value.replaceAll(/[\0-\x20]/g, ''))
        const isLoaded = ['src', 'poster', 'srcset'].includes(key) || name === 'link'
        const isAddress = isLoaded || ['href', 'action', 'xlink:href'].includes(key)
        const isWeb = !scheme?.[1] || /^(?:https?|mailto|tel)$/i.test(scheme[1])
        if (scheme && (isLoaded || (isAddress && !isWeb))) dangers.push(`${name} ${key}=${value}`)
      }
    },
    ontext(text) {
      if (inScript && text.trim() !== '') dangers.push(`script: ${text}`)
    },
    onclosetag() {
      inScript = false
    },
  })
  parser.end(html)
  return dangers
}

const attack = '<img src=x onerror=alert(1)><script>alert(1)</script>'

test('scripts in sources are harmless on every page', async () => {
  const quoted = JSON.stringify(`"'></title>${attack}`)
  const operation = {
    operationId: `"><script>alert(1)</script>`,
    ...{ summary: attack, tags: [attack], description: `${attack} [x](javascript:alert(1))` },
    parameters: [{ name: attack, in: 'query', description: attack, schema: { type: attack } }],
    responses: { 200: { description: attack } },
  }
  const paths = JSON.stringify({ [`/a${attack}`]: { get: operation } })
  // What Markdown and HTML may contain: markdown/sanitise.test.ts.
  const hostile = {
    'index.md': attack,
    'script.md': '# A\n\n<script>alert(1)</script>',
    'heading.md': `# ${attack}\n\n## ${attack}`,
    'code.md': `\`\`\`js" onclick="alert(1)\n${attack}\n\`\`\``,
    'title.md': `---\ntitle: ${quoted}\ndescription: ${quoted}\n---\n\ntext`,
    '<img src=x onerror=alert(1)>.md': '# By its name',
    '"><svg onload=alert(1)>/page.md': 'text without a title',
    'openapi.json': `{"openapi":"3.1.0","info":{"title":${quoted},"version":${quoted}},"paths":${paths}}`,
  }
  const site = await render(hostile, [`name'"><script>alert(1)<`], `</title>${attack}`)
  const pages = [...site].filter(([path]) => path.endsWith('.html'))
  // Those of the API reference, too.
  expect(pages.length).toBeGreaterThan(Object.keys(hostile).length)
  for (const [path, html] of pages) expect(dangersOf(html), path).toEqual([])
})

test.each([
  attack,
  '<script src="//evil.example/x.js"></script>',
  '<script>alert(1)</script>',
  '<a href=" javascript:x">x</a>',
  '<iframe></iframe>',
  '<input>',
  '<input type="radio" name="api-language" value="curl" autofocus>',
  '<p style="x">x</p>',
])('this check finds %s', (html) => expect(dangersOf(html)).not.toEqual([]))

test('a site has its own colour, logo and icon', async () => {
  const settings = 'colour: "#7a1f5c"\nlogo: images/logo.svg\nfavicon: icon.png\n'
  const assets = ['images/logo.svg', 'icon.png', 'favicon.ico']
  const site = await render({ ...files, 'site.yaml': settings }, assets)
  const front = site.get('index.html') ?? ''
  expect(front).toContain('<img class="brand-logo" src="/images/logo.svg" alt="">')
  expect(front).toContain('<link rel="icon" href="/icon.png">')
  const style = /href="\/(_site\/colour-[^"]+\.css)"/.exec(front)?.[1] ?? ''
  expect(isHashedName(style)).toBe(true)
  expect(site.get(style)).toContain('--accent: light-dark(#7a1f5c, #')
  const plain = (await render(files)).get('index.html') ?? ''
  expect(plain).not.toMatch(/brand-logo|_site\/colour/)
})

test('a group is a heading of the navigation, above its pages, and in llms.txt', async () => {
  const settings =
    'navigation:\n  - title: Get started\n    pages:\n      - guides/first.md\n      - openapi.yaml\n'
  const document = 'openapi: 3.1.0\ninfo: { title: A, version: "1" }\npaths: {}\n'
  const all = { ...files, 'site.yaml': settings, 'openapi.yaml': document }
  const site = await render(all, ['guides/cat.png'])
  const first = site.get('guides/first.html') ?? ''
  expect(first).toMatch(/<details open><summary>Get started<[\s\S]*?First<[\s\S]*?API reference</)
  expect(first).toContain('<li>Get started</li>')
  expect(first).toMatch(/rel="next" href="\/reference\/"/)
  expect(site.get('llms.txt')).toContain('## Get started\n\n- [First]')
  const missing = { ...all, 'site.yaml': settings.replace('first', 'fifth') }
  await expect(render(missing)).rejects.toThrow(faultAt('site.yaml', 4, 'guides/fifth.md'))
  const { 'openapi.yaml': _, ...without } = all
  await expect(render(without)).rejects.toThrow(faultAt('site.yaml', 5, 'openapi.yaml'))
})

describe('a site', () => {
  let site: Map<string, string>
  beforeAll(async () => {
    site = await render(files, ['guides/cat.png'])
  })
  const page = (path: string) => site.get(path) ?? ''

  test('has its pages, their Markdown, listings of folders, and the files for machines', () => {
    const names = [...site.keys()].filter((path) => !/^_site\/.*-/.test(path)).sort()
    expect(names.join(' ')).toBe(
      '404.html _site/search.json guides/cat.png guides/deep/index.html guides/deep/last.html guides/deep/last.md ' +
        'guides/first.html guides/first.md guides/index.html guides/second.html guides/second.md ' +
        'index.html index.md llms.txt openapi-fragment.json robots.txt sitemap.xml',
    )
  })

  test('has a head that says what the page is', () => {
    const html = page('guides/first.html')
    expect(html).toContain('<title>First · A &amp; B</title>')
    expect(html).toContain('<meta name="description" content="How to &quot;begin&quot;.">')
    expect(html).toContain('<meta property="og:title" content="First">')
    expect(html).toContain('<meta property="og:description" content="How to &quot;begin&quot;.">')
    expect(html).toContain('<link rel="alternate" type="text/markdown" href="/guides/first.md">')
    expect(html).not.toContain('canonical')
    expect(page('index.html')).toContain('<meta name="description" content="All of it.">')
  })

  test('leads from page to page', () => {
    expect(page('index.html')).toContain('<a href="/guides/first#setting-up">the guide</a>')
    const html = page('guides/first.html')
    expect(html).toContain('<li><a href="/guides/">Guides</a></li>')
    expect(html).toMatch(/rel="prev" href="\/"/)
    expect(html).toMatch(/rel="next" href="\/guides\/second"/)
    expect(html).toContain('<a href="/guides/first" aria-current="page">')
    expect(html).toContain('src="/guides/cat.png"')
    expect(html).toContain('<li><a href="/guides/first">Guide</a></li>')
  })

  test('every link and asset of a page is there', () => {
    const targets = new Set([...site.keys(), 'guides/cat.png'])
    for (const [path, html] of site) {
      if (!path.endsWith('.html')) continue
      for (const [, address = ''] of html.matchAll(/(?:href|src|search)="(\/[^"#]*)/g)) {
        const file = decodeURIComponent(address.slice(1))
        const found = [file, `${file}.html`, `${file}index.html`].some((name) => targets.has(name))
        expect(found, `${address} on ${path}`).toBe(true)
      }
    }
  })

  test('runs under a policy without inline scripts and styles, and asks no other host', () => {
    for (const [path, html] of site) {
      if (!path.endsWith('.html')) continue
      expect(dangersOf(html), path).toEqual([])
      expect(html.match(/<h1[ >]/g), path).toHaveLength(1)
      expect(html.match(/<script/g), path).toHaveLength(2)
    }
  })

  test('keeps its theme under names that hold a hash', () => {
    const theme = [...site.keys()].filter(
      (path) => path.startsWith('_site/') && path !== '_site/search.json',
    )
    expect(theme).toHaveLength(12)
    for (const path of theme) expect(isHashedName(path), path).toBe(true)
    for (const [path, text] of site) {
      if (/^_site\/(site|search)-.*\.js$/.test(path))
        expect(text).not.toMatch(/'(minisearch|\.\/search\.js)'/)
    }
  })

  test('has its font, whose first part is loaded with the page', () => {
    const loaded =
      /<link rel="preload" href="\/(_site\/geist-latin-[^"]+)" as="font" type="font\/woff2" crossorigin>/
    const style = [...site.keys()].find((path) => /^_site\/site-.*\.css$/.test(path)) ?? ''
    const parts = [...page(style).matchAll(/url\(([^)]*)\)/g)].map(([, address = '']) =>
      address.replaceAll(/^"\/|"$/g, ''),
    )
    expect(parts).toHaveLength(5)
    for (const path of parts) expect(page(path).slice(0, 4), path).toBe('wOF2')
    for (const [path, html] of site) {
      if (path.endsWith('.html')) expect(parts, path).toContain(loaded.exec(html)?.[1])
    }
  })

  test('is listed for search engines and for programs that read', () => {
    expect(page('sitemap.xml')).toContain(`<loc>${originPlaceholder}/guides/first</loc>`)
    expect(page('sitemap.xml')).not.toContain('404')
    expect(page('robots.txt')).toContain(`Sitemap: ${originPlaceholder}/sitemap.xml`)
    expect(page('llms.txt')).toBe(
      `# A & B\n\n> All of it.\n\n## Pages\n\n- [Welcome](${originPlaceholder}/index.md): All of it.\n\n## Guides\n\n- [First](${originPlaceholder}/guides/first.md): How to "begin".\n- [Second guide](${originPlaceholder}/guides/second.md): Text\n- [Last](${originPlaceholder}/guides/deep/last.md): No title here.\n`,
    )
    expect(page('guides/deep/last.md')).toBe('# Last\n\nNo title here.\n')
  })

  test('finds its words', () => {
    const { index } = JSON.parse(page('_site/search.json'))
    expect(Object.values(index.documentIds)).toEqual(
      expect.arrayContaining(['/', '/guides/first#setting-up', '/guides/deep/last']),
    )
  })

  test('lists what there is where a folder has no page', () => {
    const html = page('guides/index.html')
    expect(html).toContain('<h1>Guides</h1>')
    expect(html).toContain(
      '<a href="/guides/first"><strong>First</strong><span>How to &quot;begin&quot;.</span></a>',
    )
  })
})

test('without a root page there is a start page', async () => {
  const site = await render({ 'a.md': '# A\n\nAbout a.', 'b/c.md': '# C' })
  const html = site.get('index.html') ?? ''
  expect(html).toContain('<title>Project</title>')
  expect(html).toContain('<a href="/a"><strong>A</strong><span>About a.</span></a>')
  expect(html).toContain('<h2>B</h2>')
  expect(site.get('a.html')).toContain('<a href="/"><span>Overview</span></a>')
})

test('a page says when it was last updated, if its author does', async () => {
  const site = await render({ 'index.md': '---\nupdated: 2026-11-02\n---\n# A', 'b.md': '# B' })
  const words = 'Last updated <time datetime="2026-11-02">2 November 2026</time>'
  expect(site.get('index.html')).toContain(words)
  expect(site.get('b.html')).not.toContain('Last updated')
  expect(site.get('sitemap.xml')).toContain('/</loc><lastmod>2026-11-02</lastmod></url>')
  expect(site.get('sitemap.xml')).toContain('/b</loc></url>')
})

test('what the author brings is not made', async () => {
  const given = ['404.html', 'robots.txt', 'sitemap.xml', 'llms.txt', 'favicon.svg']
  const site = await render({ 'index.md': '# A' }, given)
  for (const path of given) expect(site.get(path)).toBe('')
  expect(site.get('index.html')).toContain('<link rel="icon" href="/favicon.svg">')
  expect([...site.keys()].some((path) => path.includes('icon-'))).toBe(false)
})

test.each([
  ['---\ntitle: A\n---\n\n# B\n\nText.', '# B\n\nText.'],
  ['+++\ntitle = "A"\n+++\nText.', '# A\n\nText.'],
  ['## One\n\n{{#include part.txt}}', '## One\n\nPart.'],
  ['---\ntitle: A\n---\n<Tabs>\n\nText.\n\n</Tabs>', '# A\n\n<Tabs>\n\nText.\n\n</Tabs>'],
])(
  'as Markdown, a page has the text of its author, with what it includes: %s',
  async (text, expected) => {
    const site = await render({ 'a.md': text, 'part.txt': 'Part.' })
    expect(site.get('a.md')).toBe(expected)
  },
)

test('404.md is the page for addresses that lead nowhere', async () => {
  const site = await render({ 'index.md': '# A', '404.md': '# Lost' })
  expect(site.get('404.html')).toContain('<h1 id="lost">Lost</h1>')
  expect(site.get('_site/search.json')).not.toContain('Lost')
  expect(site.get('index.html')).not.toContain('Lost')
})

test.each([
  [{ 'a.md': 'x', 'site.yml': 'titel: x' }, 'site.yml', 1],
  [{ 'a.md': 'x', 'a.markdown': 'y' }, 'a.md', undefined],
  [{ 'a.md': 'x', '_site/search.json': '{}' }, '_site/search.json', undefined],
])('a fault of the sources stops it before the first file', async (sources, file, line) => {
  await expect(render(sources)).rejects.toMatchObject({ name: 'DeployFailure', file, line })
})

test('equal sources make equal files', async () => {
  expect(await render(files)).toEqual(await render(files))
})

test('an OpenAPI document alone is a site, with the document beside its pages', async () => {
  const document =
    'openapi: 3.1.0\ninfo: { title: T, version: "1" }\npaths:\n  /pets:\n    get: { operationId: listPets, summary: List pets, responses: { "200": { description: ok } } }\n'
  const site = await render({ 'openapi.yaml': document })
  expect(site.get('openapi.yaml')).toBe(document)
  expect(site.get('index.html')).toContain('href="/reference/list-pets"')
  const page = site.get('reference/list-pets.html')
  expect(page).toContain('<h1>List pets</h1>')
  expect(page).toContain('<li><a href="/reference/">API reference</a></li><li>Operations</li>')
})

const repeated = (count: number, part: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => part(i)).join('')
const schemasOf = (schemas: object) => {
  const head = { openapi: '3.1.0', info: { title: 'A', version: '1' }, paths: {} }
  return { 'openapi.json': JSON.stringify({ ...head, components: { schemas } }) }
}
const each = (count: number, partAt: (i: number) => unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`S${i}`, partAt(i)]))
const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const site = (text: string) => ({ 'site.yaml': text })

// A parser that looks at everything before, for each part, takes 64 times as long for eight times as much.
test.each<[string, number, (n: number) => Record<string, string>]>([
  ['fields of site.yaml', 2000, (n) => site(repeated(n, (i) => `k${i}: 1\n`))],
  ['fields in a field', 2000, (n) => site(`links: {${repeated(n, (i) => `k${i}: 1, `)}}`)],
  ['aliases', 1000, (n) => site(`x: [${repeated(n, (i) => `&a${i} 1, *a${i}, `)}]`)],
  ['front matter', 2000, (n) => ({ 'a.md': `---\n${repeated(n, (i) => `k${i}: 1\n`)}---\na` })],
  ['front matter in TOML', 1000, (n) => ({ 'a.md': `+++\n${repeated(n, (i) => `k${i}=1\n`)}+++` })],
  ['footnotes', 1000, (n) => ({ 'a.md': repeated(n, (i) => `a[^${i}]\n\n[^${i}]: b\n\n`) })],
  [
    'end tags below open elements',
    4000,
    (n) => ({ 'a.md': `${'<div>'.repeat(n)}${'</p>'.repeat(n)}` }),
  ],
  [
    'a chain of $ref',
    500,
    (n) => schemasOf(each(n + 1, (i) => (i < n ? refTo(`S${i + 1}`) : { type: 'string' }))),
  ],
  [
    'many $ref to a large schema',
    400,
    (n) =>
      schemasOf({
        Large: { properties: each(n, () => ({})) },
        All: { properties: each(n, () => refTo('Large')) },
      }),
  ],
])('takes time in proportion to its size, or is refused: %s', async (_, count, filesOf) => {
  const timeOf = async (n: number): Promise<number> => {
    const before = process.cpuUsage()
    await render({ 'index.md': 'A', ...filesOf(n) }).catch((error) => {
      if (error.name !== 'DeployFailure') throw error
    })
    return process.cpuUsage(before).user / 1000
  }
  await timeOf(count)
  const small = Math.max(20, await timeOf(count))
  expect(await timeOf(8 * count)).toBeLessThan(24 * small)
})
