import { expect, test } from 'vitest'
import { renderSite } from '../render-site.ts'
import { sourcesOf } from '../sources/sources-in-test.ts'
import { codeBlock, readFenceInfo } from './code-fence.ts'

const highlight = (code: string, language: string) =>
  `<pre class="code" title="${language}"><code>${code}</code></pre>`

test.each([
  ['js title="a & b.js" {1,3-4}', 'js', 'a & b.js', [1, 3, 4], undefined],
  ["js title='a'", 'js', 'a', [], undefined],
  ['title=a.txt', '', 'a.txt', [], undefined],
  ['js:src/a.js', 'js', 'src/a.js', [], undefined],
  ['sh [npm] {2}', 'sh', 'npm', [2], undefined],
  ['go {filename="x.go",hl_lines=[2,"3-4"],linenos=table}', 'go', 'x.go', [2, 3, 4], 1],
  ['go {name="x"}', 'go', 'x', [], undefined],
  ['{ .python title="m.py" linenums="3" hl_lines="1 2" }', 'python', 'm.py', [1, 2], 3],
  ['bash Terminal icon="x"', 'bash', 'Terminal', [], undefined],
  ['js src/file.js', 'js', 'src/file.js', [], undefined],
  ['rust,ignore,edition2021', 'rust', undefined, [], undefined],
  ['{.yaml .no-copy}', 'yaml', undefined, [], undefined],
  ['jsx {1} /word/ "x" live noInline', 'jsx', undefined, [1], undefined],
  ['ts:line-numbers=2 {1}', 'ts', undefined, [1], 2],
  ['vue{1}', 'vue', undefined, [1], undefined],
  ['js showLineNumbers', 'js', undefined, [], 1],
  ['', '', undefined, [], undefined],
])('``` %s', (info, language, title, marked, firstNumber) => {
  const { marks, ...found } = readFenceInfo(info)
  expect({ ...found, marked: [...marks.keys()] }).toEqual({ language, title, marked, firstNumber })
})

test.each([
  [
    'a // [!code ++]\nb # [!code --]',
    'js',
    '<span class="line line-add">a</span>\n<span class="line line-del">b</span>',
  ],
  [
    '// [!code focus:2]\na\nb',
    'js',
    '<code class="has-focus"><span class="line line-focus">a</span>\n<span class="line line-focus">b</span>',
  ],
  [
    '<p> <!-- [!code error] -->\n{/* [!code word:a] */}',
    'html',
    '<code><span class="line line-error"><p></span></code>',
  ],
  [
    '// highlight-next-line\na\n# highlight-start\nb\n# highlight-end\nc',
    'js',
    '<span class="line line-mark">a</span>\n<span class="line line-mark">b</span>\nc<',
  ],
  ['a // [!code nothing]', 'js', '<code>a // [!code nothing]</code>'],
  [
    '# use a;\n#[b]\n## c\n#\nd',
    'rust',
    '<code><span class="line-hidden">use a;\n</span>#[b]\n# c\n<span class="line-hidden">\n</span>d</code></pre><label class="code-more">',
  ],
  ['# a', 'sh', '<code># a</code>'],
  [
    'a\nb',
    'js linenums=9',
    '<span class="line" data-line="9">a</span>\n<span class="line" data-line="10">b</span>',
  ],
  ['<font color="#1">$ a</font> <u style="x">&lt;b&gt;</u>', 'console', '<code>$ a <b></code>'],
  ['$ a', 'console', '<div class="code-block code-console">'],
  ['a', 'js title="<script>" {1-999999999}', '<figcaption>&lt;script&gt;</figcaption>'],
])('%s as %s', (code, info, part) => {
  expect(codeBlock(`${code}\n`, info, { highlight })).toContain(part)
})

test('only pages with a diagram have the script that draws it, which is of the site', () => {
  const files = { 'a.md': '```mermaid\ngraph TD\n```', 'b.md': '```js\n<div class="diagram">\n```' }
  const site = [...renderSite({ title: 'T', sources: sourcesOf(files), assets: new Set() })]
  const names = site.map(({ path }) => path)
  const script = names.find((path) => path.startsWith('_site/diagrams')) ?? ''
  const textOf = (path: string) =>
    String(Buffer.from(site.find((file) => file.path === path)?.bytes ?? ''))
  expect(textOf('a.html')).toContain(`<script type="module" src="/${script}">`)
  expect(textOf('b.html')).not.toContain('_site/diagrams')
  const library = names.find((path) => path.startsWith('_site/mermaid'))
  expect(textOf(script)).toContain(`import('/${library}')`)
  const without = renderSite({ title: 'T', sources: sourcesOf({ 'b.md': 'B' }), assets: new Set() })
  expect([...without].map(({ path }) => path).join()).not.toMatch(/mermaid|diagrams/)
})
