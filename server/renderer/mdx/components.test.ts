import { expect, test } from 'vitest'
import { dangers } from '../markdown/dangers-in-test.ts'
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
    ['<summary>More {x} &lt;y&gt;</summary>', '<span id="more-x-y">', '<p>Text</p>'],
  ],
  [
    '<ParamField path="id" type="string" required>The ID</ParamField>',
    ['<span id="param-id"></span><dl><dt><code>id</code>', 'required', '<dd>', 'The ID'],
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
])('MDX: %j', (text, has, hasNot = []) => {
  const { html } = mdx(text)
  for (const part of has) expect(html).toMatch(part)
  for (const part of ['TabItem', 'import ', ...hasNot]) expect(html).not.toContain(part)
})

test.each<[text: string, has: (string | RegExp)[], hasNot?: string[]]>([
  [
    'import Tabs from "@theme/Tabs"\n\n<Tabs>\n<TabItem value="a" label="A">\n\n  1 {x}\n\n</TabItem>\n</Tabs>\n\n    code',
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

test('imported Markdown is included, with the values that it is given', () => {
  const page =
    'import Part from "./parts/_part.mdx"\nimport Gone from "./gone.md"\n\n<Part name="Rex" />\n\n<Tab>\n    <Part/>\n</Tab>\n\n<Gone />\n'
  const part =
    '---\ntitle: x\n---\nimport Part from "../parts/_part.mdx"\n\nexport const version = "1.2"\n\n## About {props.name}\n\n<Note>In</Note>\n\n<Part />\n'
  const { html, problems } = render({
    'docs/parts/_part.mdx': part,
    'a.mdx': page.replaceAll('arts/', 'arts/'),
    'parts/_part.mdx': part,
  })
  expect(html).toContain('About Rex</h2>')
  expect(html.match(/callout-note/g)).toHaveLength(2)
  expect(html).not.toContain('title: x')
  expect(problems.filter((problem) => problem.includes('include')).sort()).toEqual([
    expect.stringMatching(/^10: .*gone\.md/),
    expect.stringMatching(/^4: .*include of a file in itself: \.\.\/parts\/_part\.mdx/),
  ])
})

test('what is outside of the folder is not included', () => {
  const outside = ['../../etc/passwd.md', '/../x.md', '@site/../../x.mdx', './a.mdx']
  for (const path of outside) {
    const { html, problems } = mdx(`import Part from ${JSON.stringify(path)}\n\n<Part />`)
    expect(html).toContain('<div class="prose">')
    expect(problems.filter((problem) => problem.includes('include'))).toHaveLength(1)
  }
})

test('a tag without its end holds nothing, and is reported with its line', () => {
  const { html, problems } = mdx(
    'One\n\n<Card title="A">\n\nTwo\n\n> <Note>\n\n</Tabs>\n\n- a\n  </Card>\n\nThree <b>four',
  )
  expect(html).toContain('Two')
  expect(html).toContain('<p>Three four</p>')
  expect(html).not.toContain('callout')
  expect(problems.map((problem) => problem.slice(0, 34))).toEqual([
    expect.stringContaining('7: The syntax <Note> without'),
    expect.stringContaining('9: The syntax </Tabs> without'),
    expect.stringContaining('14: The syntax <b> without'),
  ])
})

const attacks = [
  '<a href={"javascript:alert(1)"} onClick={alert(1)}>x</a>',
  '<Link to="JavaScript:alert(1)" onClick="alert(1)">x</Link>',
  '<Card title="<img src=x onerror=alert(1)>" href="javascript:alert(1)" icon={<script>alert(1)</script>} />',
  '<Card title={"\\u003cscript>alert(1)\\u003c/script>"} href="&#106;avascript:alert(1)" />',
  '<Image src={`javascript:alert(1)`} alt={"\\" onerror=alert(1) x=\\""} />',
  '<ThemedImage sources={{light: "x\\" onerror=\\"alert(1)", dark: "javascript:alert(1)"}} />',
  '<Tabs>\n<Tab title="</label><script>alert(1)</script>">\nx\n</Tab>\n</Tabs>',
  '<Tooltip tip={"\\"><script>alert(1)</script>"}>x</Tooltip>',
  '<Video src="javascript:alert(1)" title="<script>alert(1)</script>" />',
  '<ParamField path="`<script>alert(1)</script>" type="<img onerror=alert(1)>" />',
  '<File name="<script>alert(1)</script>" />\n<Icon icon="<script>" /><Badge text="<script>alert(1)</script>" />',
  '<CodeBlock title={"\\"><script>alert(1)</script>"} code="</code><script>alert(1)</script>" />',
  '{"<script>alert(1)</script>"}\n\n{`<img src=x onerror=alert(1)>`} x',
  'export const x = "<script>alert(1)</script>"\n\n{x}\n\n<div title={x} style={{a: 1}} onload={x}>y</div>',
  '<SCRIPT>alert(1)</SCRIPT>\n\n<style>{`*{}`}</style><script>{`alert(1)`}</script>\n\n<svg onload="alert(1)"><script>alert(1)</script></svg>',
  '<iframe src={"javascript:alert(1)"} srcDoc="<script>alert(1)</script>" />',
  '<div dangerouslySetInnerHTML={{__html: "<script>alert(1)</script>"}} {...{onclick: "alert(1)"}} />',
  '<a "href="javascript:alert(1)">x</a>\n<a href=javascript:alert(1)>x</a>\n<img src=x onerror=alert(1)>',
  '<h2 id="x&quot; onclick=alert(1)">a</h2>\n<Update label="<script>alert(1)</script>" />',
  '<constructor.x /><__proto__ a="b" /><toString /><Constructor.constructor />',
]

test.each(attacks)('nothing executable remains of %j', (attack) => {
  const line = attack.replaceAll('\n', ' ')
  const places = [
    attack,
    `Text ${attack} more`,
    `<Note>\n${attack}\n</Note>`,
    `- <div>${attack}`,
    `| a |\n|--|\n| ${line} |`,
  ]
  for (const text of places) {
    for (const file of ['a.mdx', 'a.md']) {
      const [, html = ''] =
        /<div class="prose">([\s\S]*)<\/article>/.exec(render({ [file]: text }).html) ?? []
      expect(dangers(html.replaceAll(/<input type="radio"[^>]*>/g, ''))).toEqual([])
    }
  }
})

/** Many times: unclosed, nested, unended strings and braces. */
const pieces =
  '<A a={_<A a="_<A>\n_</A>\n_<Note>\n_<Note>a_<A>\n\n_<A a=\'\\\'_{`${_export {\n\n_<A b={[[_`<A_{/*_<>_- <Note>\n_<div>\n_    <Note>\n_{"\\"_<h2>a\n'
const repeated = pieces.split('_').map((piece) => piece.repeat(100_000 / piece.length))

test.each(['<A '.repeat(350_000), '{'.repeat(1_000_000), ...repeated])(
  '%.20j… ends soon',
  (text) => {
    // Of the processor, which other processes need, too.
    const start = process.threadCpuUsage().user
    mdx(text)
    expect((process.threadCpuUsage().user - start) / 1e6).toBeLessThan(15)
  },
)
