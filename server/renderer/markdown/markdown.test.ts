import { expect, test } from 'vitest'
import { createMarkdown } from './markdown.ts'

const highlight = (code: string, language: string) => `<pre class="code">${language}|${code}</pre>`
const { findTitle, renderPage, renderFragment } = createMarkdown(
  highlight,
  (address, source) => `${address}?from=${source}`,
)
const render = (text: string) => renderPage(text, 'a.md')

test.each([
  ['# One `two` *three*', 'One two three'],
  ['One\n===\n', 'One'],
  ['![logo](x.png)\n\n# Title {#top}\n\n# Other', 'Title'],
  ['## Two\n\n# One', undefined],
  ['Text', undefined],
  ['```\n# not a heading\n```', undefined],
  ['> # quoted', undefined],
])('the title of %s', (text, title) => {
  expect(findTitle(text)).toBe(title)
})

test('the title is not repeated, a second one is a heading of level 2', () => {
  const { html, headings } = render('# Title\n\nText\n\n# Second')
  expect(html).toBe(
    '<p>Text</p>\n<div class="heading heading-h2"><h2 id="second">Second</h2><a class="anchor" href="#second" aria-label="Link to “Second”">#</a></div>\n',
  )
  expect(headings).toEqual([{ level: 2, id: 'second', text: 'Second' }])
})

test('headings have GitHub’s ids', () => {
  const { headings } = render(
    '## Hello, World!\n## Hello World\n## Hello World\n### Größe & `code_x` – 日本語\n## !!!\n## Own {#my-id}\n#### Deep',
  )
  expect(headings.map(({ id, text }) => `${id}: ${text}`)).toEqual([
    'hello-world: Hello, World!',
    'hello-world-1: Hello World',
    'hello-world-2: Hello World',
    'größe--code_x--日本語: Größe & code_x – 日本語',
    'section: !!!',
    'my-id: Own',
  ])
})

test('GitHub’s alerts are callouts', () => {
  const { html } = render(
    '> [!WARNING]\n> Mind **this**.\n>\n> > [!tip] Own title\n\n> [!OTHER]\n> x',
  )
  expect(html.replaceAll(/<svg.*?<\/svg>/g, '<svg>')).toBe(
    '<div class="callout callout-warning" role="note"><div class="callout-title"><svg><span>Warning</span></div>\n<p>Mind <strong>this</strong>.</p>\n<div class="callout callout-tip" role="note"><div class="callout-title"><svg><span>Own title</span></div>\n</div>\n</div>\n<blockquote>\n<p>[!OTHER]\nx</p>\n</blockquote>\n',
  )
})

test.each([
  ['`--dry-run`', '<code class="whole">--dry-run</code>'],
  ['`GET /a`', '<code class="whole">GET /a</code>'],
  ['`<b>&`', '<code>&lt;b&gt;&amp;</code>'],
  ['`application/merge-patch+json`', '<code>application/merge-patch+json</code>'],
])('%s is broken only where it is long', (text, code) => {
  expect(render(text).html).toBe(`<p>${code}</p>\n`)
})

test('tasks have boxes that say their state', () => {
  expect(render('- [x] a\n- [ ] b\n- [y] c').html).toBe(
    '<ul>\n<li class="task-item"><span class="task task-done" role="img" aria-label="Done"></span>a</li>\n<li class="task-item"><span class="task" role="img" aria-label="To do"></span>b</li>\n<li>[y] c</li>\n</ul>\n',
  )
})

test('tables scroll, are aligned by class, and have no empty header', () => {
  expect(render('| | B |\n|---|--:|\n| 1 | 2 |').html).toBe(
    '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n<thead>\n<tr>\n<td></td>\n<th class="align-right">B</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td class="align-right">2</td>\n</tr>\n</tbody>\n</table></div>\n',
  )
})

test.each([
  ['```ts\nx\n```', '<div class="code-block"><pre class="code">ts|x</pre></div>\n'],
  [
    '```ts title="a & b.ts" {1}\nx\n```',
    '<figure class="code-block"><figcaption>a &amp; b.ts</figcaption><pre class="code">ts|x</pre></figure>\n',
  ],
  [
    '```{.python .numberLines}\nx\n```',
    '<div class="code-block"><pre class="code">python|x</pre></div>\n',
  ],
  [
    '```title=a.txt\nx\n```',
    '<figure class="code-block"><figcaption>a.txt</figcaption><pre class="code">|x</pre></figure>\n',
  ],
  ['    x', '<div class="code-block"><pre class="code">|x</pre></div>\n'],
])('the code block of %s', (text, html) => {
  expect(render(text).html).toBe(html)
})

test('addresses are resolved, in raw HTML, too', () => {
  const { html } = renderPage('[a](b.md) ![c](d.png)\n\n<a href="e.md">e</a>', 'x/y.md')
  const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address)
  expect(addresses).toEqual(['b.md?from=x/y.md', 'd.png?from=x/y.md', 'e.md?from=x/y.md'])
})

test('the first paragraph with words of its own, and the parts that search finds', () => {
  const { firstParagraph, parts } = render(
    '# Title\n\n[![badge](b.svg)](https://x)\n\nA *first*\nparagraph.\n\n## One\n\n- item `code`\n\n```\nblock\n```\n\n#### Deep\n\ntext\n\n### Two',
  )
  expect(firstParagraph).toBe('A first paragraph.')
  expect(parts).toEqual([
    { id: '', heading: '', text: 'badge A first paragraph.' },
    { id: 'one', heading: 'One', text: 'item code block' },
    { id: 'deep', heading: 'Deep', text: 'text' },
    { id: 'two', heading: 'Two', text: '' },
  ])
})

test('a fragment’s headings have no ids, and its blocks are its own', () => {
  expect(renderFragment('## A\n\n```sh\nx\n```', 'a.md')).toBe(
    '<h2>A</h2>\n<div class="code-block"><pre class="code">sh|x</pre></div>\n',
  )
})

test.each([
  ['[', 50_000],
  ['![', 20_000],
  ['*a **b ', 5_000],
  ['`', 50_000],
  ['<', 50_000],
  ['<div>', 240],
  ['> ', 5_000],
  ['- ', 3_000],
  ['> [!NOTE]\n\ntext\n\n', 2_000],
  ['## a\n', 3_000],
  [' ', 100_000],
  ['](', 20_000],
  ['<!--', 10_000],
  ['|a', 5_000],
  ['http://', 10_000],
  ['www.a.b)', 10_000],
  ['a@b.c ', 10_000],
  ['x^[a ', 10_000],
  ['[^a]: b[^a]\n\n', 3_000],
  ['~a', 20_000],
  ['~a ', 20_000],
  ['==a ', 10_000],
  ['*a*{.b #c}', 10_000],
  ['{.b ', 20_000],
  ['x\n: y\n', 3_000],
  ['$a', 20_000],
  ['$$\n', 10_000],
  ['$a$ ', 10_000],
  ['$`', 20_000],
  ['\\(', 20_000],
  ['\\[ a\n', 10_000],
])('%s, many times, ends soon', (piece, times) => {
  // Of the processor, which other processes need, too.
  const start = process.threadCpuUsage().user
  render(`## x${piece.repeat(times)}y\n\n${piece.repeat(times)}`)
  expect((process.threadCpuUsage().user - start) / 1e6).toBeLessThan(15)
})
