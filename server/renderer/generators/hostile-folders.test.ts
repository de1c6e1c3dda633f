// Folders that are written to make the renderer work without end, to fill its memory, or to take the place of the theme. Each
// of them took more than 20 seconds, or more memory than there is.
import { expect, test } from 'vitest'
import { renderSite } from '../render-site.ts'
import { sourcesOf } from '../sources/sources-in-test.ts'

const times = (text: string, count: number) => text.repeat(count)
const program = (text: string) => ({ 'docusaurus.config.js': text, 'docs/a.md': '# A' })
const chain = (count: number, textAt: (at: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}.md`, textAt(at)]))

test.each<[string, Record<string, string>]>([
  ['spaces in settings', { 'a.md': `---\na: [\n]\n${times(' ', 200_000)}x\n---\n` }],
  ['an address that is no text', { 'a.md': '---\nslug: "\\ud800"\n---\n# A' }],
  ['comments without an end', program(`export default ${times('/* ', 70_000)}`)],
  ['an import without an end', program(`export default {a:x}\nimport {${times('x ', 100_000)}`)],
  ['imports without an end', program(`${times('import {x\n', 20_000)}export default {a:x}`)],
  ['functions without an end', program(`${times('function x(\n', 20_000)}export default {a:x()}`)],
  [
    'a text in objects',
    program(`const s='${times('x', 99_999)}'\nexport default {${times('...s,', 9999)}}`),
  ],
  [
    'a large file imported often',
    {
      ...program(`import b from './b.json'\nexport default {a:[${times('b,', 2000)}]}`),
      'b.json': `[${times('{},', 160_000)}0]`,
    },
  ],
  [
    'many plugins with one sidebar',
    {
      ...program(`export default {plugins:[${times("['content-docs',{}],", 12_000)}]}`),
      'sidebars.js': `export default {a:[${times("'a',", 10_000)}]}`,
    },
  ],
  [
    'files that name themselves',
    {
      'docs.json': '{"navigation":{"$ref":"a.json"}}',
      'a.json': `[${times('{"$ref":"a.json"},', 60)}0]`,
      'a.md': 'A',
    },
  ],
  [
    'tables of contents without an end',
    { 'conf.py': 'myst_parser', 'index.md': times('```{toctree}\na\n', 20_000) },
  ],
  ['number signs', { 'SUMMARY.md': `- ${times('#', 200_000)}a`, 'a.md': 'A' }],
  ['pages below pages', chain(1000, (at) => `---\ntitle: T${at}\nparent: T${at + 1}\n---\nA`)],
  [
    'the same lines again and again',
    {
      'a.md': `\`\`\`{literalinclude} b.py\n:lines: ${times('1-99999,', 50_000)}\n\`\`\``,
      'b.py': times('a\n', 9999),
    },
  ],
  [
    'included lines far to the right',
    { 'a.md': `${times(' ', 4900)}{{#include b.md}}`, 'b.md': times('a\n', 100_000) },
  ],
  [
    'a constant shown often',
    { 'a.mdx': `export const a = "${times('x', 40_000)}"\n\n${times('{a} ', 10_000)}` },
  ],
  [
    'constants of constants',
    {
      'a.mdx': `export const a0 = [1]\n${Array.from({ length: 24 }, (_, at) => `export const a${at + 1} = [a${at}, a${at}, a${at}]\n`).join('')}`,
    },
  ],
])('is rendered: %s', (_, files) => {
  const sources = sourcesOf(files)
  const length = [...sources.values()].reduce((sum, bytes) => sum + bytes.length, 0)
  let written = 0
  for (const { bytes } of renderSite({ title: 'T', sources, assets: new Set() }))
    written += bytes.length
  expect(written).toBeLessThan(50_000_000 + 10 * length)
})

test('no generator puts files into the folder of the theme', () => {
  const assets = new Set(['static/_site/search.json', 'static/_site/x.js', 'static/a.js'])
  const config = "export default { presets: [['x', { docs: { routeBasePath: '_site' } }]] }"
  const sources = sourcesOf({ 'docusaurus.config.js': config, 'docs/a.md': 'A', 'README.md': 'B' })
  const files = [...renderSite({ title: 'T', sources, assets })].map(({ path }) => path)
  expect(files.filter((path) => path === '_site/search.json')).toHaveLength(1)
  expect(files).toContain('a.js')
  expect(files).not.toContain('_site/x.js')
  expect(files).not.toContain('_site/a.html')
})
