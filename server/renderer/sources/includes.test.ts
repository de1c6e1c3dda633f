import { expect, test } from 'vitest'
import { renderSite } from '../render-site.ts'
import { createIncludes } from './includes.ts'
import { sourcesOf } from './sources-in-test.ts'

const files = {
  'src/a.rs': '// ANCHOR: x\nfn a() {\n    b();\n}\n// ANCHOR_END: x\nend\n',
  'src/r.ts': '1\n  // #region one\n  2\n  // #endregion one\n4\n',
  'src/s.md':
    '---\ntitle: S\n---\n# --8<-- [start:p]\nPart {{#include s.txt}}\n<!-- --8<-- [end:p] -->\nrest\n',
  'src/s.txt': 'text\n',
  'src/loop.md': 'again\n{{#include loop.md}}\n',
  'top.py': '1\n2\n3\n4\n',
  'src/docs/_p.md': 'Partial ```` ',
}
const place = 'src/docs/page.md'
const code = (info: string, text: string) => `\`\`\`${info}\n${text}\n\`\`\``

test.each([
  ['```rust\n{{#include ../a.rs:2:3}}\n```', '```rust\nfn a() {\n    b();\n```'],
  ['{{#rustdoc_include ../a.rs:x}}', 'fn a() {\n    b();\n}'],
  ['\\{{#include ../a.rs}}', '{{#include ../a.rs}}'],
  ['{{#playground ../a.rs:6}}', code('rust', 'end')],
  ['<<< @/r.ts#one{1 js:line-numbers} [One]', code('js:line-numbers title="One" {1}', '2')],
  ['  <<< ../s.txt', '  ```txt\n  text\n  ```'],
  ['```\n<<< ../s.txt\n```', '```\n<<< ../s.txt\n```'],
  ['<!--@include: ../s.md{3,}-->', 'rest'],
  ['--8<-- "s.md:p"', 'Part text'],
  [';--8<-- "s.md"', '--8<-- "s.md"'],
  ['- x\n\n    --8<-- "top.py:3"', '- x\n\n    3\n    4'],
  ['{!> ../../top.py!}', '1\n2\n3\n4'],
  ['{* ../../top.py ln[1:2,4] hl[4] title["T"] *}', code('py title="T" {3}', '1\n2\n4')],
  ['```{literalinclude} ../../top.py\n:lines: 2-3\n:caption: C\n```', code('py title="C"', '2\n3')],
  ['{{% include "/s.txt" %}}\n{% include "../s.txt" %}', 'text\ntext'],
  ['{{< readfile file="../../top.py" code="true" >}}', code('py', '1\n2\n3\n4')],
  ['<<< _p.md', '```md\nPartial ```` \n```'],
])('%j', (text, expected) => {
  const { expand } = createIncludes(sourcesOf(files))
  expect(expand(text, place, () => expect.unreachable()).text).toBe(expected)
})

test('what cannot be included is left out, and is reported with its line', () => {
  const { expand } = createIncludes(sourcesOf(files))
  const notes: unknown[] = []
  const text = '--8<-- "s.txt"\n\n<<< ../../../out.ts\n{{#include ../loop.md}}\n<<< ../r.ts#none'
  const result = expand(text, place, (...note) => notes.push(note))
  expect(result.text).toBe('text\n\nagain')
  expect(result.lines).toEqual([0, 1, 3])
  expect(notes).toEqual([
    ['missing_include', '../../../out.ts', 2],
    ['unknown_syntax', 'include of a file in itself: loop.md', 3],
    ['missing_include', '../r.ts', 4],
  ])
})

test('files that double each other end soon', () => {
  const doubled = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`${at}.md`, `{{#include ${at + 1}.md}}\n`.repeat(500)]),
  )
  const { expand } = createIncludes(sourcesOf(doubled))
  expect(expand('{{#include 0.md}}', 'page.md', () => {}).text.length).toBeLessThan(4_000_000)
})

test('a partial that a page includes is no page', () => {
  const sources = sourcesOf({
    'a.md': '--8<-- "_b.md"\n\n--8<-- "c.md"',
    '_b.md': 'B',
    'c.md': 'C',
  })
  const site = [...renderSite({ title: 'T', sources, assets: new Set() })].map(({ path }) => path)
  expect(site).toContain('c.html')
  expect(site).not.toContain('_b.html')
})
