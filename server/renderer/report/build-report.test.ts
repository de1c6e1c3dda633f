import { expect, test } from 'vitest'
import { renderSite } from '../render-site.ts'
import { sourcesOf } from '../sources/sources-in-test.ts'
import { rawSyntaxIn } from './raw-syntax.ts'

function build(files: Record<string, string>, assets: string[] = []) {
  const html = new Map<string, string>()
  const rendered = renderSite({
    title: 'T',
    sources: sourcesOf(files),
    assets: new Set([...assets, ...Object.keys(files).filter((path) => !path.endsWith('.md'))]),
  })
  for (;;) {
    const { done, value } = rendered.next()
    if (done) return { html, report: value }
    html.set(value.path, new TextDecoder().decode(value.bytes))
  }
}

/** The problems of a page as `kind:line:what is wrong`. */
function problemsOf(markdown: string, files: Record<string, string> = {}): string[] {
  const { items } = build({ 'index.md': markdown, ...files }).report
  return items.map(({ kind, line, message }) => `${kind}:${line}: ${message}`)
}

const raw = `::: strange
!!! not-this "T"
=== "Tab"
{% raw %} {{% param %}} {{#title x}} {{ site.url }} {!f.md!} [^such] :no_such: $$x
--8<-- "a.md"
<<< @/a.ts
[a](b){: .c } # A {#b} [a](b){ .c } ![a](b){ width="3" } <Foo bar={[a b]}>
import A from './a'
*[HTML]: Hyper Text
== Tab
Press ++ctrl+alt++ and ++"Own"++
at 10:20:30, urn:a:b:c, "key": {"a": 1}, f({x}), a!!! b, [x]{y}, import a from b, i++ and j++, C++`

test('raw syntax is named by its kind', () => {
  expect([...rawSyntaxIn(raw)].map(({ what }) => what).join(' | ')).toBe(
    '::: strange | !!! not-this | === "…" | {% raw %} | {{< param >}} | {{#title}} | {{ … }} | {!…!} | [^…] | :no_such: | $$…$$ | --8<-- | <<< … | {: …} | {#…} | {.…} | {width=…} | <Foo> | import … (JavaScript) | *[…]: … | == … | ++…++ | ++…++',
  )
})

test.each([
  [':no_such:', 5],
  ['<div>\n:no_such:\n</div>', 6],
  ['| a |\n| - |\n| :no_such: |', 7],
  ['- x\n\n  > a *b*\n  > :no_such:', 8],
])('%s has raw syntax in line %i', (markdown, line) => {
  expect(problemsOf(`---\ntitle: T\n---\n\n${markdown}\n`)).toEqual([
    `unknown_syntax:${line}: The syntax :no_such: is not supported, and is shown as text. Write it as Markdown.`,
  ])
})

test('code, comments and escaped characters are text', () => {
  const text =
    '`{% raw %}` &lt;Foo a=1&gt; <!-- :no_such: -->\n\n    {% raw %}\n\n<pre>:no_such:</pre>'
  expect(problemsOf(`${text}\n\n\`\`\`\n{{ a }}\n\`\`\`\n`)).toEqual([])
})

test('elements and components that are not published are named with their line', () => {
  expect(problemsOf('# A\n\ntext <my-tag>x</my-tag>\n\n<object data="x">\n</object>\n')).toEqual([
    expect.stringContaining('removed_element:5: The element <object>'),
    expect.stringContaining('unknown_component:3: The component <my-tag>'),
  ])
})

test('equal problems are one, the worst first, and memory is bounded', () => {
  const { report } = build({
    'index.md': '{% x %}\n\n[a](no.md) ![b](no.png) [a](no.md)',
    'b.md': `[a](no.md)\n${Array.from({ length: 20_000 }, (_, i) => `[a](${i}.md)\n`).join('')}`,
  })
  expect(report.total).toBe(20_003)
  expect(report.items).toHaveLength(100)
  const place = { file: 'index.md', line: 3, text: '[a](no.md) ![b](no.png) [a](no.md)' }
  const [first] = report.items
  expect(first).toMatchObject({ ...place, kind: 'missing_image', severity: 'error', count: 1 })
  const links = { kind: 'broken_link', severity: 'warning', count: 3, file: 'b.md', line: 1 }
  expect(report.items).toContainEqual(expect.objectContaining(links))
})

test('formats that are not rendered are counted by extension, and files of hosts are named', () => {
  const files = {
    'a.rst': '',
    'b/c.RST': '',
    'd.ipynb': '{}',
    '.x/e.rst': '',
    _headers: '/*\n  A: b',
  }
  expect(build({ 'index.md': '# A', ...files }).report.items).toMatchObject([
    { kind: 'not_rendered', severity: 'error', file: 'a.rst', count: 2, line: null, text: null },
    { kind: 'not_rendered', file: 'd.ipynb', count: 1 },
    { kind: 'setting_not_used', severity: 'note', file: '_headers' },
  ])
})

test('links have their own line', () => {
  const lines = [
    '---\nimage: /no.png\n---\n',
    '[r] and [r],\n[a](no.md "t")\n<a href="no.md">b</a>\n',
    '| a |\n| - |\n| [a](no.md) |\n\n<div>\n<img alt="g"\n src="g.png"></div>\n\n- x\n\n  [g](g)',
    '\n[r]: r.md\n',
  ]
  const { items } = build({ 'index.md': lines.join('\n') }).report
  expect(
    items.map(({ count, line, message }) => [
      line,
      count,
      /(\S+)\. (?:Add|Correct)/.exec(message)?.[1],
    ]),
  ).toEqual([
    [15, 1, 'g.png'],
    [5, 2, 'r.md'],
    [6, 3, 'no.md'],
    [19, 1, 'g'],
  ])
})

test.each([
  ['# The title', '#the-title', '#the-title'],
  ['## build.outDir', '#build-outdir', '#buildoutdir'],
  ['## A & B', '#a-b', '#a--b'],
  ['## Same\n\n## Same', '#same_1', '#same-1'],
  ['## Same', '#same-2', '#same'],
  ['## 1. Start', '#_1-start', '#1-start'],
  ['## Über uns', '#uber-uns', '#%C3%BCber-uns'],
  ['<a name="old"></a>', '#old', '#old'],
  ['## A', '#user-content-a', '#a'],
  ['## A &lt;B&gt;', '#altbgt', '#a-b'],
  ['``` { .js #c }\n```', '#c', '#c'],
  ['## A :tada:', '#a-tada', '#a-tada'],
  ['## A {#a-–-b}', '#a-–-b', '#a-%E2%80%93-b'],
  ['## 1. A', '#id-1.-a', '#1-a'],
  ['## icons', '#param-icons', '#icons'],
  ['## `a` [#b]', '#b', '#b'],
  ['## 9.7 <small>x</small> { id="9.7" }', '#9.7', '#9.7'],
  ['maxAge\n: text', '#maxage', '#maxage'],
])('%s is found by %s', (markdown, anchor, found) => {
  // To a page that is rendered before, itself, and one that is rendered later.
  const link = `[x](b.md${anchor}) [x](./b.md${anchor})`
  const { html, report } = build({
    'a.md': link,
    'b.md': `${markdown}\n\n[x](${anchor})`,
    'c.md': link,
  })
  expect(report.items).toEqual([])
  expect(html.get('b.html')).toContain(`href="${found}"`)
  expect(html.get('a.html')?.match(/href="\/b#[^"]*"/g)).toEqual([
    `href="/b${found}"`,
    `href="/b${found}"`,
  ])
  expect(html.get('c.html')).toContain(`href="/b${found}"`)
})

test('labels lead to their page from all pages, after the anchors of a page itself', () => {
  const { html, report } = build({
    'docs/a.md': '(one)=\n# Page\n\n(b/two)=\n## Part',
    'b.md': '## One\n\n[x](#one) [](#b/two) [x](b/two) {doc}`docs/a` {ref}`one`',
  })
  expect(report.items).toEqual([])
  const links = html.get('b.html')?.matchAll(/<a href="([^"]*)">([^<]*)/g) ?? []
  expect([...links].map(([, href, text]) => `${href} ${text}`).slice(0, 7)).toEqual([
    ...[
      '/ ',
      '/docs/a ',
      '#one x',
      '/docs/a#b-two Part',
      '/docs/a#b-two x',
      '/docs/a Page',
      '/docs/a#one Page',
    ],
  ])
})

test('a dead anchor says what is near', () => {
  expect(problemsOf('# A\n\n## Installation guide\n\n[x](#installation) [y](#-)')).toEqual([
    'dead_anchor:5: The page / has no anchor #installation. Did you mean #installation-guide?',
    'dead_anchor:5: The page / has no anchor #-. Correct the link, or add the heading.',
  ])
})

test.each(['{{#', '{% ', '$$', '[^a', '<Foo ', '<a "', ':a', '{a=', '<!--', '[x](#y)\n', '[x](y)'])(
  'many %s are linear',
  (part) => {
    const { report } = build({ 'index.md': part.repeat(200_000 / part.length) })
    expect(report.items.length).toBeLessThan(3)
  },
)

test('many anchors of many headings take no more than their sum', () => {
  const many = (text: (i: number) => string) =>
    Array.from({ length: 8000 }, (_, i) => text(i)).join('')
  const { report } = build({
    'index.md': many((i) => `# a-${i}\n\n`) + many((i) => `[x](#no${i}x) `),
  })
  expect(report.total).toBe(8000)
})
