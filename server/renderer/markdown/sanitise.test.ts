import { expect, test } from 'vitest'
import { dangers } from './dangers-in-test.ts'
import { createMarkdown } from './markdown.ts'

const plain = (code: string) => `<pre class="code">${code.replaceAll('<', '&lt;')}</pre>`
const { renderPage, renderFragment } = createMarkdown(plain, (address) => address)

const vectors = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=https://evil.example/x.js></SCRIPT>',
  '<script/src=data:,alert(1)>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<<script>alert(1);//<</script>',
  '<script\n>alert(1)</script\n>',
  '<img src=x onerror=alert(1)>',
  '<img src="x" onerror="alert(1)" / >',
  '<IMG """><SCRIPT>alert(1)</SCRIPT>"\\>',
  '<img/src=x/onerror=alert(1)>',
  '<img src=x onerror\n=alert(1)>',
  '<img src=javascript:alert(1)>',
  '<img src="jav&#x09;ascript:alert(1)">',
  '<img src="data:text/html;base64,PHNjcmlwdD4=">',
  '<img src="data:image/svg+xml,<svg onload=alert(1)>">',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href=" &#14; javascript:alert(1)">x</a>',
  '<a href="java\nscript:alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href="&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)">x</a>',
  '<a href="&#0000106&#0000097&#0000118&#0000097&#0000115&#0000099&#0000114&#0000105&#0000112&#0000116&#0000058alert(1)">x</a>',
  '<a href="&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A;alert(1)">x</a>',
  '<a href="javascript&colon;alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="blob:https://x/1">x</a>',
  '<a href="file:///etc/passwd">x</a>',
  '<a href="filesystem:https://x/1">x</a>',
  '<a href="view-source:javascript:alert(1)">x</a>',
  '<a href="\u0000javascript:alert(1)">x</a>',
  '<a href="\u00a0javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](JAVASCRIPT&colon;alert(1))',
  '[x](<javascript:alert(1)>)',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '![x](javascript:alert(1))',
  '![x](data:image/svg+xml;base64,PHN2Zz4=)',
  '![x"onerror="alert(1)](x)',
  '[x](https://x" onclick="alert(1))',
  '<javascript:alert(1)>',
  '[a]: javascript:alert(1)\n\n[a]',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text y=1>x</text></a></svg>',
  '<svg><animate attributeName=href values=javascript:alert(1) /></svg>',
  '<math><mi xlink:href="javascript:alert(1)">x</mi></math>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<template><img src=x onerror=alert(1)></template>',
  '<style>@import "javascript:alert(1)";</style>',
  '<style><img src="</style><img src=x onerror=alert(1)//">',
  '<div style="background:url(javascript:alert(1))">x</div>',
  '<p style="position:fixed;inset:0">x</p>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object>',
  '<embed src="javascript:alert(1)">',
  '<applet code="x"></applet>',
  '<form action="javascript:alert(1)"><button>x</button></form>',
  '<button formaction="javascript:alert(1)">x</button>',
  '<input onfocus=alert(1) autofocus>',
  '<select onfocus=alert(1) autofocus><option>x</option></select>',
  '<textarea onfocus=alert(1) autofocus>x</textarea>',
  '<textarea><img title="</textarea><img src=x onerror=alert(1)>"></textarea>',
  '<xmp><p title="</xmp><svg/onload=alert(1)>"></xmp>',
  '<title><img title="</title><img src=x onerror=alert(1)>"></title>',
  '<plaintext><img src=x onerror=alert(1)>',
  '<body onload=alert(1)>',
  '<html><head><base href="https://evil.example/"></head></html>',
  '<base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  '<link rel="stylesheet" href="https://evil.example/x.css">',
  '<details open ontoggle=alert(1)><summary>x</summary></details>',
  '<video><source onerror="alert(1)"></video>',
  '<video poster="javascript:alert(1)" src="data:video/mp4,x"></video>',
  '<audio src=x onerror=alert(1)>',
  '<marquee onstart=alert(1)>x</marquee>',
  '<table background="javascript:alert(1)"><tr><td background="javascript:alert(1)">x</td></tr></table>',
  '<blockquote cite="javascript:alert(1)">x</blockquote>',
  '<x onclick=alert(1)>x</x>',
  '<x-y is="z" onfocus=alert(1) tabindex=1>x</x-y>',
  '<p/onmouseover=alert(1)>x</p>',
  '<p onpointerenter="alert(1)" ONCLICK="alert(2)">x</p>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<!-- --!><img src=x onerror=alert(1)> -->',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '<?xml version="1.0"?><img src=x onerror=alert(1)>',
  '<!DOCTYPE x [<!ENTITY y "z">]>',
  '<img alt="\n\n<script>alert(1)</script>\n\n">',
  '<a title="\n\n```\n<script>alert(1)</script>\n```\n\n">x</a>',
  '```js" onclick="alert(1)\nx\n```',
  '```js title="<img src=x onerror=alert(1)>"\nx\n```',
  '```\n</code></pre><script>alert(1)</script>\n```',
  '`</code><script>alert(1)</script>`',
  '# <img src=x onerror=alert(1)>\n\n## <script>alert(1)</script> {#x" onclick="alert(1)}',
  '> [!NOTE] <img src=x onerror=alert(1)>\n> x',
  '| <img src=x onerror=alert(1)> |\n|---|\n| <script>alert(1)</script> |',
  '- [x] <img src=x onerror=alert(1)>',
  '<div id="site:menu" popover></div><button popovertarget="site:menu">x</button>',
  '<a name="site:content" target="_top">x</a>',
  '# x {#site:content}\n\n## x {#site:toc}\n\n## x [#site:helpful]',
  '<img name="cookie" id="createElement" src=x>',
  '<form name="cookie"></form><a id=x name=y></a>',
  '<div block="0"></div>\n\n```\nx\n```',
  '<img src=x srcset="javascript:alert(1) 1x, data:text/html,x 2x">',
  '<picture><source srcset="JaVaScRiPt:alert(1)" onerror=alert(1)></picture>',
  '<iframe src=" javascript:alert(1)" onload=alert(1) title="<script>alert(1)</script>">x</iframe>',
  '<div class="search" role="dialog" tabindex="0" data-site-search="//evil.example">x</div>',
]

test.each(vectors)('nothing executable remains of %j', (vector) => {
  expect(dangers(renderPage(vector, 'page.md').html)).toEqual([])
  expect(dangers(renderFragment(vector, 'page.md'))).toEqual([])
  expect(dangers(renderPage(`Text ${vector} more`, 'page.md').html)).toEqual([])
  expect(dangers(renderPage(`<div>\n\n${vector}\n\n</div>`, 'page.md').html)).toEqual([])
})

test('the check itself sees dangers', () => {
  const seen = vectors.filter((vector) => dangers(vector).length > 0)
  expect(seen.length).toBeGreaterThan(60)
})

test('an author takes none of the theme’s classes, roles and ids', () => {
  const { html } = renderPage(
    '<div class="search" role="dialog" tabindex="0" id="site:menu">a</div>\n\n<p id="mine">b</p>',
    'page.md',
  )
  expect(html).toBe('<div>a</div>\n<p id="mine">b</p>')
})

test('a block of the page cannot be shown twice by its number', () => {
  const { html } = renderPage('<div block="0"></div>\n\n```\nsecret\n```', 'page.md')
  expect(html.match(/secret/g)).toHaveLength(1)
})

test.each([
  [
    '<picture><source media="(prefers-color-scheme: dark)" srcset="d.png, javascript:x 2x"><img src="l.png" srcset="javascript:alert(1)"></picture>',
    ['<source media="(prefers-color-scheme: dark)" srcset="d.png" />', '<img src="l.png" alt=""'],
  ],
  [
    '<img src="a.png" srcset="/b.png 2x, https://c.example/d,e.png 640w" sizes="100vw">',
    ['srcset="/b.png 2x, https://c.example/d%2Ce.png 640w" sizes="100vw"'],
  ],
  ['![x](a.png#gh-dark-mode-only)', ['class="only-dark"']],
  [
    '<iframe src="https://www.youtube.com/embed/a-b_1?rel=0" title="How"></iframe>',
    ['<a href="https://www.youtube.com/watch?v=a-b_1">Video: How</a>'],
  ],
  [
    '<iframe src="//x.example/<y>"></iframe>',
    ['<a href="https://x.example/&lt;y&gt;">https://x.example/&lt;y&gt;</a>'],
  ],
])('%j is safe', (text, has) => {
  const { html } = renderPage(text, 'page.md')
  for (const part of has) expect(html).toContain(part)
})

test('what is left open is closed, and what is closed without having been opened goes', () => {
  const { html } = renderPage('</div></main></article>\n\n<div><b>bold <i>both\n\nText', 'page.md')
  expect(html).toBe('\n<div><b>bold <i>both\n<p>Text</p>\n</i></b></div>')
})

test('harmless HTML stays', () => {
  const source =
    '<details open><summary>More</summary>\n\nPress <kbd>Ctrl</kbd>, H<sub>2</sub>O, <abbr title="a">b</abbr>\n\n</details>'
  expect(renderPage(source, 'page.md').html).toBe(
    '<details open><summary id="more">More</summary>\n<p>Press <kbd>Ctrl</kbd>, H<sub>2</sub>O, <abbr title="a">b</abbr></p>\n</details>',
  )
})

test('pictures get a text, load late, and only one h1 is on a page', () => {
  const { html } = renderPage('# T\n\n<h1>A</h1>\n<img src="a.png" width="10">', 'page.md')
  expect(html).toBe(
    '<h2>A</h2>\n<img src="a.png" width="10" alt="" loading="lazy" decoding="async" />',
  )
})
