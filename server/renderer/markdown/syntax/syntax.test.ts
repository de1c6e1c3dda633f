import { expect, test } from 'vitest'
import { createMarkdown } from '../markdown.ts'

const { renderFragment, renderPage } = createMarkdown(
  (code, language) => `<pre class="code"><code>${language}|${code}</code></pre>`,
  (address) => address,
)

test.each([
  // Footnotes
  [
    'A[^n] and[^n].\n\n[^n]: One\n\n    Two',
    [
      'href="#fn:n" id="fnref:n">1<',
      'id="fnref2:n"',
      '<li id="fn:n"><p>One</p>',
      '<p>Two <a class="note-back" href="#fnref:n"',
    ],
  ],
  ['A[^x].\n\n[^x]: https://a.example/b', ['<li id="fn:x"><p><a href="https://a.example/b">']],
  ['A^[two words] ^[a-z]+ [^none]', ['#fn:note:1', 'two words', '^[a-z]+ [^none]']],
  ['A[^"><script>].\n\n[^"><script>]: x', ['<li id="fn:note:1">'], '<script'],
  // Addresses and inline marks
  [
    'www.a.example/b?c=(d)). me@a.example pkg@1.2.3 a.example',
    [
      '<a href="http://www.a.example/b?c=(d)">',
      '<a href="mailto:me@a.example">',
      ' pkg@1.2.3 a.example',
    ],
  ],
  [
    '~one~ ~~two~~ H~2~O ~/a and ~/b ~5 a~',
    ['<s>one</s> <s>two</s> H<sub>2</sub>O ~/a and ~/b <s>5 a</s>'],
  ],
  ['==m== a==b and c==d x^2^ ^ 3', ['<mark>m</mark> a==b and c==d x<sup>2</sup> ^ 3']],
  [
    ':rocket: 10:100:45 std::cool::x :material-check:{ .a }done `:rocket:` :no-name: `#!py a` `#!/bin/sh`',
    ['🚀 10:100:45 std::cool::x done <code>:rocket:</code> :no-name: <code>a</code>'],
  ],
  ['Term\n: Body', ['<dt id="term">Term</dt>\n<dd>Body</dd>']],
  // Attribute lists
  [
    '[a](b){.x target=_blank} ![i](i.png){ width="300" onerror=x } *a*{: .b } `c`{ #d } [a](b){name} {.x}',
    [
      '<a href="b">a</a> <img src="i.png" alt="i" width="300"',
      '<em>a</em> <code id="d">c</code> <a href="b">a</a>{name} {.x}',
    ],
    'onerror',
  ],
  [
    '## A {#A.__call__}\n\n## B { #b }\n\n## C {/* #c */}\n\n## D\n{: #d .e }\n\n## E { data-x="y" data-z }\n\n## F {name}\n\n## G {"a": 1}',
    [
      'id="A.__call__">A<',
      'id="b">B<',
      'id="c">C<',
      'id="d">D<',
      'id="e">E<',
      '>F {name}<',
      '>G {"a": 1}<',
    ],
    '<p>',
  ],
  [
    'Text\n{ .annotate }\n\nText\n{: #p }\n\n{not a list}',
    ['<p>Text</p>\n<p id="p">Text</p>\n<p>{not a list}</p>'],
  ],

  ['| a |\n|---|\n| b |\n{.table}', ['<td>b</td>\n</tr>\n</tbody>'], '.table'],
  ['Looks good :writing\\_hand:', ['good ✍️']],
  // Formulas
  [
    '$a_b*c$ *x* $`d_e`$ \\(f^2\\) \\\\(g^2\\\\) x$$h$$',
    [
      '<math><mrow><msub><mi>a</mi><mi>b</mi></msub><mo>∗</mo>',
      '<em>x</em> <math>',
      '<span class="formula"><math display="block"><mi>h</mi>',
    ],
  ],
  [
    '$5 and $10, $5-$10 $HOME:$PATH $(a)/$(b) US$5 `$x$` \\$a\\$ \\(not\\) \\[not\\] $`a',
    ['<p>$5 and $10, $5-$10 $HOME:$PATH $(a)/$(b) US$5 <code>$x$</code> $a$ (not) [not] $`a</p>'],
  ],
  [
    '$$\na_1 *b* \\\\ c\n$$\n\n- x\n\n  $$ y $$\n\n- $$ w $$\n\n```math\nz\n```\n\n\\[ \\sum_{i} \\]',
    [
      '<div class="formula"><math display="block"><mrow><msub>',
      '<mi>y</mi>',
      '<li>\n<div class="formula"><math display="block"><mi>w</mi>',
      '<mi>z</mi>',
      '<mo movablelimits="false">∑',
    ],
    '$$',
  ],
  [
    '$$\\bad{<b>}$$\n\n$\\color{red}{x}\\href{javascript:a}{b}$\n\n$\\color{red} x$',
    [
      '<code>\\bad{&lt;b&gt;}</code>',
      '<code>\\color{red}{x}\\href{javascript:a}{b}</code>',
      '<mi mathcolor="#ff0000">x',
    ],
    'style=',
  ],
])('%j', (text, expected, unexpected = '{:') => {
  const { html } = renderPage(text, 'a.md')
  for (const part of expected) expect(html).toContain(part)
  expect(html).not.toContain(unexpected)
})

test('the notes of fragments have IDs of their own', () => {
  const [one, two] = ['A[^1].\n\n[^1]: B', 'B[^1].\n\n[^1]: B'].map((text) =>
    renderFragment(text, '').match(/ id="[^"]*"/g),
  )
  expect(one).toHaveLength(2)
  expect(one).not.toEqual(two)
})
