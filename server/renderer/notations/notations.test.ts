import { expect, test } from 'vitest'
import { renderSite } from '../render-site.ts'
import { sourcesOf } from '../sources/sources-in-test.ts'

/** What the author's text becomes, without icons and copied attributes. */
function render(text: string): string {
  const sources = sourcesOf({ 'index.md': `# T\n\n${text}` })
  for (const { path, bytes } of renderSite({ title: 'P', sources, assets: new Set() })) {
    const html = path === 'index.html' ? Buffer.from(bytes).toString() : ''
    const start = html.indexOf('<div class="prose">')
    if (start < 0) continue
    return html
      .slice(start, html.indexOf('</article>'))
      .replaceAll(/<svg.*?<\/svg>| role="\w+"|\n/g, '')
  }
  return ''
}

const callout = (tone: string, title: string, body: string) =>
  `<div class="callout callout-${tone}"><div class="callout-title"><span>${title}</span></div>${body}</div>`
const tab = (label: string, number: number, isFirst: boolean, body: string) =>
  `<label class="tab"><input type="radio" name="tabs:${number}" value="${label}"${isFirst ? ' checked' : ''}><span>${label}</span></label><div class="tab-panel">${body}</div>`

/** What is written, and what the page has; `!` begins what it must not have. */
const cases: [written: string, ...shown: string[]][] = [
  [':::note\nText\n:::\nAfter', `${callout('note', 'Note', '<p>Text</p>')}<p>After</p>`],
  [
    'Before\n::: danger Own title\n- a\n\n```\n:::\n```\n\n::::',
    `<p>Before</p>${callout('caution', 'Own title', '<ul><li>a</li></ul><div class="code-block"><pre class="code" tabindex="0"><code>:::</code></pre></div>')}`,
  ],
  [
    ':::note[a `b` **c** <img src=x onerror=x>]{#id}\nText\n:::',
    'a <code>b</code> <strong>c</strong>',
    '!onerror',
  ],
  [
    '::::info\n:::warning\nIn\n:::\nOut\n::::',
    callout('note', 'Info', `${callout('warning', 'Warning', '<p>In</p>')}<p>Out</p>`),
  ],
  ['- a\n\n  :::tip\n  x\n  :::\n- b', callout('tip', 'Tip', '<p>x</p>'), '<li><p>b</p></li>'],
  ['> :::tip\n> x\n> :::\n\ny', `${callout('tip', 'Tip', '<p>x</p>')}</blockquote><p>y</p>`],
  [
    ':::note\n> a\n> :::\n\nb',
    callout('note', 'Note', '<blockquote><p>a:::</p></blockquote><p>b</p>'),
  ],
  [':::note\nnever closed', callout('note', 'Note', '<p>never closed</p>')],
  ['::: mystery T\nKept\n:::', '<p>Kept</p>', '!:::'],
  ['<label class="tab"><input type="radio" name="tabs:1" checked>x</label>', '<label>x</label>'],
  [':::__proto__\nText', '!callout'],
  ['/// a comment\n\nx', '!callout'],
  [':::\n', ':::'],
  ['::: details T {open}\nx\n:::', '<details open><summary>T</summary><p>x</p></details>'],
  [
    '::: code-group\n```sh [npm]\na\n```\n```sh [pnpm]\nb\n```\n:::',
    '<div class="tabs"><label class="tab"><input type="radio" name="tabs:1" value="npm" checked>',
    '<label class="tab"><input type="radio" name="tabs:1" value="pnpm"><span>pnpm</span>',
    '![',
  ],
  [
    '::::{tab-set}\n:::{tab-item} A\n:sync: a\n1\n:::\n::::\n```{note} T\n**x**\n```',
    `${tab('A', 1, true, '<p>1</p>')}</div>${callout('note', 'T', '<p><strong>x</strong></p>')}`,
  ],
  [
    '/// tip | Dica\nx\n///\n\n//// tab | A\n/// nota | B\ny\n///\n////',
    callout('tip', 'Dica', '<p>x</p>'),
    tab('A', 1, true, callout('note', 'B', '<p>y</p>')),
  ],
  [
    '!!! note "A `b`"\n    x\n\n        code\n\n    === "A"\n        1\n    === "B"\n        2\nafter',
    '<span>A <code>b</code></span></div><p>x</p><div class="code-block">',
    `<div class="tabs">${tab('A', 1, true, '<p>1</p>')}${tab('B', 1, false, '<p>2</p>')}</div></div><p>after</p>`,
  ],
  [
    '- a\n\n    ??? tip inline end\n        x\n- b',
    '<li><p>a</p><details class="callout callout-tip">',
  ],
  ['???+ danger ""\n    x', '<details class="callout callout-caution" open>'],
  ['=== "A"\n    1\n===! "B"\n    2', tab('A', 1, true, '<p>1</p>'), tab('B', 2, true, '<p>2</p>')],
  ['Wait\n!!! stop', '!callout'],
  ['!> a\nb\n\n?> **c**', callout('important', 'Important', '<p>ab</p>'), '<strong>c</strong>'],
  ['{: .warning }\na\nb\n\nc', `${callout('warning', 'Warning', '<p>ab</p>')}<p>c</p>`],
  ['{: .note-title }\n> A *b*\n>\n> c', callout('note', 'A <em>b</em>', '<p>c</p>')],
  ['> [!NOTE] \n> x', callout('note', 'Note', '<p>x</p>')],
  [
    '> [!bug]- T\n> x',
    '<details class="callout callout-caution"><summary class="callout-title"><span>T',
  ],
  [
    '{% tabs %}\n{% tab title="A" %}\n<b>1</b>\n{% endtab %}\n\n{% tab title="B" %} 2 {% endtab %}\n{% endtabs %}\nx',
    `${tab('A', 1, true, '<p><b>1</b></p>')}${tab('B', 1, false, '<p>2</p>')}</div><p>x</p>`,
  ],
  [
    '{% hint style="danger" %}\n{% code title="a.js" lineNumbers="true" %}\n```js\nx\n```\n{% endcode %}\n{% endhint %}',
    '<span>Danger</span></div><figure class="code-block"><figcaption>a.js</figcaption>',
    '!{%',
  ],
  [
    '{% stepper %}\n{% step %}\n### A\n{% endstep %}\n{% endstepper %}',
    '<div class="steps"><div class="step"><div class="heading heading-h3"><h3 id="a">A</h3>',
  ],
  [
    '{% content-ref url="a-b.md" %}\n[a-b.md](a-b.md)\n{% endcontent-ref %}\n{% embed url="https://x.example/y" %}',
    '<a href="a-b.md">A b</a></div></div><div class="card"><div class="box-title"><a href="https://x.example/y"',
  ],
  ['{% hint %}\nnever closed\n\ny', '<p>never closed</p><p>y</p>', '!hint'],
  ['{% openapi src="a" %}\n*x*\n{% endopenapi %}', '<p><em>x</em></p>', '!openapi'],
  ['{% raw %}{{ x }} {% y %} `{% z %}`{% endraw %}', '{{ x }} {% y %} <code class="whole">{% z %}'],
  ['a [b]({{ site.baseurl }}{% link c.md %}) `{% d %}`', 'href="/c.md"', '>{% d %}</code>'],
  ['{% highlight js %}\n*x*\n{% endhighlight %}', '<pre class="code"', '<code>*x*</code>'],
  [
    '{{< tabs items="A,B" >}}\n  {{< tab >}}\n    1\n  {{< /tab >}}\n  {{< tab >}}2{{< /tab >}}\n{{< /tabs >}}',
    `${tab('A', 1, true, '<p>1</p>')}${tab('B', 1, false, '<p>2</p>')}`,
  ],
  [
    '{{< tabpane lang="sh" >}}\n{{< tab header="A" >}}\n*x*\n{{< /tab >}}\n{{< /tabpane >}}',
    '<div class="tab-panel"><div class="code-block"><pre class="code" tabindex="0"><code>*x*',
  ],
  [
    '{{% alert title="A `b`" color="warning" %}}\n*x*\n{{% /alert %}}',
    callout('warning', 'A <code>b</code>', '<p><em>x</em></p>'),
  ],
  ['{{< figure\n  src="a.png"\n  alt="b"\n>}}', '<figure><img src="a.png" alt="b"', '!&gt;}}'],
  ['a {{< x y="z" >}} [b]({{< relref "c.md#d" >}})', '<p>a  <a href="c.md#d">b</a></p>'],
  ['{{< x >}}\n*a*\n{{< /x >}}', '<p><em>a</em></p>', '!{{'],
  [
    '{{</* x */>}}\n\n```\n{{%/* y */%}} {{< z >}}\n```',
    '{{&lt; x &gt;}}',
    '{{% y %}} {{&lt; z &gt;}}',
  ],
  [
    '{{< cards >}}\n  {{< card link="javascript:alert(1)" title="A" subtitle="b" >}}\n{{< /cards >}}',
    '<div class="box-grid"><div class="card"><div class="box-title"><a>A</a></div><p>b</p></div></div>',
  ],
  [
    '<div class="grid cards" markdown>\n\n-   **A**\n\n    ---\n\n    b\n\n</div>\nx',
    '<div class="box-grid"><ul><li><p><strong>A</strong></p><hr /><p>b</p></li></ul></div><p>x</p>',
  ],
  [
    '<details open markdown="block" onclick="x()">\n  <summary>\n    *a*\n  </summary>\n  {: .b }\n- TOC\n{:toc}\n\n*c*\n</details>',
    '<details open><summary><em>a</em></summary><p><em>c</em></p></details>',
  ],
  [
    '<div>\n*a*\n</div>\n\n<figure markdown>\n*b*\n</figure>',
    '*a*',
    '<figure><p><em>b</em></p></figure>',
  ],
  [
    '```{figure} a.png\n:alt: b\n\n*c*\n```',
    '<figure><img src="a.png" alt="b"',
    '<p><em>c</em></p>',
  ],
  ['```{other} d, e\n```', '<figcaption>d, e</figcaption>'],
  ['```{code-block} js\nlet x\n```', 'c-keyword', '!figcaption'],
  ['<DetailedExplanation title="A">\n*b*\n</DetailedExplanation>', '<summary>A</summary>'],
  ['::: a.b\n    options:\n        c: d\n\ne', '<p><code>a.b</code></p><p>e</p>', '!options'],
  [
    '<table data-view="cards"><thead><tr><th></th><th></th><th data-hidden data-card-target></th></tr></thead><tbody><tr><td><h4><i class="fa-x">:x:</i> A</h4></td><td>b</td><td><a href="c.md">c.md</a></td></tr></tbody></table>\n\nd',
    '<div class="box-grid"><div class="card"><div class="box-title"><a href="c.md">A</a></div><p>b</p></div></div><p>d</p>',
  ],
  [
    '(my/label)=\n\n## P `q`\n\n{ref}`a *b* <my/label>` [](#my/label) {doc}`no` {sub}`2` {constructor}`z` `` {ref}`c` `` <project:#x> [s]{#t .u}',
    '<a id="my-label"></a><div class="heading heading-h2"><h2 id="p-q">',
    '<p><a href="/#my-label">a <em>b</em></a> <a href="#my-label">P <code>q</code></a> <a href="no">no</a> <sub>2</sub> {constructor}<code>z</code> <code>{ref}`c`</code> <a href="#x">#x</a> <span id="t">s</span></p>',
  ],
  ['````{py:class} a.B\nc\n````', '<a id="a.B"></a><figure class="code-block">'],
  [':::{figure-md} f\nb\n:::', '<a id="f"></a><figure>', '<p>b</p></figure>'],
  [':::note\n{#a}\nb\n:::', '<a id="a"></a><p>b</p>'],
  [
    '## <!-- md:setting a.b_c -->\n\n<!-- md:version 9 --> <!-- md:flag new --> <!-- md:option a.b:c -->',
    '<h2 id="a.b_c"><code>b_c</code></h2>',
    '<p><small>version 9</small> <small>new</small> <code id="+a.b:c">c</code></p>',
  ],
  [
    ':::tip[A]{#b}\nx\n:::\n\n::: tip C {#d}\n:::',
    '<a id="b"></a>A</span>',
    '<a id="d"></a>C</span>',
  ],
  [
    '=== ""><script>x</script>"\n    y\n\n/// <script>x</script> | <script>x</script>\n{{< card title="<script>x</script>" link="\'onclick=" >}}',
    'value="&quot;&gt;x"',
    '!<script',
    '! onclick',
  ],
]
test.each(cases)('%s', (written, ...shown) => {
  const html = render(written)
  for (const part of shown) {
    if (part.startsWith('!') && part.length > 1) expect(html).not.toContain(part.slice(1))
    else expect(html).toContain(part)
  }
})

/** Begun many times and never ended, in each other, with what makes a pass over the rest each time. */
test.each([
  ':::note\n',
  ':::::x\n> - :::y\n',
  '/// tip | a\n',
  '```{note}\n',
  '=== "a"\n    ',
  '!!! a\n\n',
  '> [!NOTE]\n> ',
  '!> a\n',
  '{: .note }\n',
  '{% hint %}\n',
  '{% a %}{% endb %}',
  '{% ',
  'a {{< kbd >}}',
  '{{< kbd >}}{{< /kbd >}}',
  '{ref}`a<',
  '(a)=\n:name: b\n',
  '`[](a)``',
  '{{<\n',
  '`{% a %}``',
  '{{</* ',
  '{% raw %}',
  '{{< tab "a" >}}b{{< /tab >}} ',
  '<div markdown>\n*a*\n</div>\n',
  '<div markdown>\n</p>',
  '</div>\n:::\n',
  '::: note\n> :::\n',
  '::: note\n!!! tip\n    :::\n',
  '</div>\n{% a %}\n',
  '</div>\n</h2>a\n',
  '</b>\nx </h2>',
  '{{< highlight >}}{{< tab >}}{% endcomment',
  '{% raw %}```\n{% endraw %}`',
])('%s, many times, ends soon', (piece) => {
  const start = process.threadCpuUsage().user
  render(piece.repeat(200_000 / piece.length))
  expect((process.threadCpuUsage().user - start) / 1e6).toBeLessThan(15)
})
