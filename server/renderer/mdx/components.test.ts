import { expect, test } from 'vitest'
import { renderSite } from '../render-site.ts'
import { sourcesOf } from '../sources/sources-in-test.ts'

/** The content of the page of `a.mdx` or `a.md`, and what the report says of it. */
function render(files: Record<string, string>): { html: string; problems: string[] } {
  const site = renderSite({ title: 'T', sources: sourcesOf(files), assets: new Set() })
  for (let html = ''; ; ) {
    const { value, done } = site.next()
    if (!done && value.path === 'a.html') html = new TextDecoder().decode(value.bytes)
    if (done) {
      const content = /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? ''
      const problems = value.items.map(({ line, message }) => `${line}: ${message}`)
      const shown = content.replaceAll(
        /<svg[\s\S]*?<\/svg>|<span class="c-\w+">|(?<=<code>.*)<\/span>/g,
        '',
      )
      return { html: shown, problems }
    }
  }
}

const mdx = (text: string) => render({ 'a.mdx': text })

test.each<[text: string, has: (string | RegExp)[], hasNot?: string[]]>([
  [
    'import A from "./a"\n\nexport const b = {\n  c: [1,\n\n2],\n}\n\nText',
    ['<p>Text</p>'],
    ['import', 'export', 'c:'],
  ],
  [
    '{/* note */}\n\nA {/* b\nc */}D {"e"} {`f`} {1} {g.map(() => "}")} \\{h}',
    [/<p>A D e f 1\s+\{h\}<\/p>/],
    ['note', 'map'],
  ],
  ['export const v = "1.2"\n\nVersion {v}, {unknown}', ['Version 1.2, {unknown}']],
  ['a < 3 and <5', ['a &lt; 3 and &lt;5']],
  [
    '<Note>\n    Indented *text*\n\n    - a\n    - b\n</Note>',
    ['callout-note', '<em>text</em>', '<li>a</li>'],
    ['code-block'],
  ],
  ['<Warning>One **line**.</Warning>', ['callout-warning', '<p>One <strong>line</strong>.</p>']],
  [
    'Before <Tip>in\nthe middle</Tip> after',
    ['<p>Before</p>', 'callout-tip', '<p>in\nthe middle</p>', '<p>after</p>'],
  ],
  ['<Callout type="danger" title="Mind">x</Callout>', ['callout-caution', 'Mind']],
  [
    '<Tabs defaultValue="b" values={[{label: "First", value: "a"}, {label: \'Second\', value: "b"}]}>\n<TabItem value="a">1</TabItem>\n<TabItem value="b">2</TabItem>\n</Tabs>',
    ['First', /checked[^>]*>\s*<span>Second/, '<p>2</p>'],
  ],
  [
    '<Tabs items={["x", "y"]}>\n<Tabs.Tab>1</Tabs.Tab>\n<Tabs.Tab>2</Tabs.Tab>\n</Tabs>',
    ['<span>x', '<span>y'],
  ],
  [
    '<CodeGroup>\n  ```sh npm\n  npm i\n  ```\n  ```sh title="pnpm"\n  pnpm i\n  ```\n</CodeGroup>',
    ['<span>npm', '<span>pnpm', 'tabs'],
  ],
  [
    '<Steps>\n  <Step title="One">\n    Do\n    <Frame caption="F">\n      <img src="/x.png" className="a" style={{width: 1}} />\n    </Frame>\n  </Step>\n</Steps>',
    ['class="steps"', 'One', '<figcaption>F</figcaption>', '<img src="/x.png" alt=""'],
    ['className', 'style='],
  ],
  [
    '<Card title="Start" href="b">Do it</Card>\n\n<Own title="Other" href="b" />',
    ['<a href="b">Start</a>', 'Do it', '<a href="b">Other</a>'],
  ],
  [
    '<Accordion title="More {x} <y>">\nText\n</Accordion>',
    ['<summary>More {x} &lt;y&gt;</summary>', '<p>Text</p>'],
  ],
  [
    '<ParamField path="id" type="string" required>The ID</ParamField>',
    ['<dl><dt><strong><code>id</code></strong>', 'required', '<dd>', 'The ID'],
  ],
  [
    'A <Tooltip tip="B">word</Tooltip>, <Icon icon="x" /> <Link to="b">link</Link> <a href={\'/c\'}>d</a>',
    ['<abbr title="B">word</abbr>', '<a href="b">link</a>', '<a href="/c">d</a>'],
  ],
  ['<Mermaid chart={`\ngraph TD\n`} />', ['graph TD']],
  ['## One\n\n<div id="anchor">\n  ## Title\n</div>', ['<div id="anchor">', 'Title</h2>']],
  ['# T\n\n<h2 id="own">A *b*</h2>', ['id="own"', 'href="#own"', 'A <em>b</em>']],
  [
    '<p>One\n\ntwo</p>\n\n<details><summary>S</summary>\n\nT\n\n</details>',
    ['<p>One</p>', '<p>two</p>', '<summary>S</summary>', '<p>T</p>'],
  ],
  ['<>\nA <>b</>\n</>', ['<p>A b</p>']],
  ['<PackageManagers pkg="x" dev />', ['npm install -D x', 'pnpm add -D x']],
])('MDX: %j', (text, has, hasNot = []) => {
  const { html } = mdx(text)
  for (const part of has) expect(html).toMatch(part)
  for (const part of ['TabItem', 'import ', ...hasNot]) expect(html).not.toContain(part)
})

test.each<[text: string, has: (string | RegExp)[], hasNot?: string[]]>([
  [
    'import Tabs from "@theme/Tabs"\n\n<Tabs>\n<TabItem value="a" label="A">\n\n    1 {x}\n\n</TabItem>\n</Tabs>\n\n    code',
    ['<span>A', '<p>1 {x}</p>', 'code-block'],
    ['import', 'TabItem'],
  ],
  ['<div class="x">\n<Card title="A">\ntext\n</Card>\n</div>', ['class="card"', 'text']],
  [
    'Promise<T> and <Name>, <Badge text="new" /> <BR>',
    ['Promise&lt;T&gt; and &lt;Name&gt;, new <br />'],
  ],
  [
    '# T\n\n<div align="center">\n<h2 id="me">A_b_ <i>c</i></h2>\n<h3>D</h3>\n</div>',
    ['id="me">A_b_ <i>c</i></h2>', 'href="#d"'],
  ],
  ['<steps>\n\n1. a\n\n</steps>', ['class="steps"']],
])('Markdown: %j', (text, has, hasNot = []) => {
  const { html } = render({ 'a.md': text })
  for (const part of has) expect(html).toMatch(part)
  for (const part of hasNot) expect(html).not.toContain(part)
})
