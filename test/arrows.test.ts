import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findViolations, importsOf, ruledFolders } from './arrows.ts'

const repository = join(import.meta.dirname, '..')

function readSources(): Map<string, string> {
  const patterns = ruledFolders.map((folder) => `${folder}/**/*.{ts,tsx,css,js}`)
  const exclude = (path: string) => path.includes('node_modules') || path.includes('/dist')
  const paths = globSync(patterns, { cwd: repository, exclude })
  return new Map(paths.map((path) => [path, readFileSync(join(repository, path), 'utf8')]))
}

test('the sources follow the rules for imports, names and lengths', () => {
  const sources = readSources()
  expect(sources.size).toBeGreaterThan(500)
  expect(findViolations(sources)).toEqual([])
})

const animals = 'server/store/animals/read.ts'
const orders = 'server/domains/check.ts'
const long = (header: string, more: number) => `${header}\n${'x()\n'.repeat(more)}`

const violations: [rule: string, files: Record<string, string>, violation: string][] = [
  [
    'platform does not import a room',
    { 'server/kit/log.ts': `import type { A } from '../store/animals/read.ts'` },
    `server/kit/log.ts imports ${animals}: platform imports no room`,
  ],
  [
    'store does not import publishing',
    { [animals]: `import { check } from '../../publishing/domains/check.ts'` },
    `${animals} imports ${orders}: the rooms do not import each other`,
  ],
  [
    'publishing does not import store, nor do its tests',
    { 'server/publishing/a.test.ts': `const x = await import('../store/animals/read.ts')` },
    `server/publishing/a.test.ts imports ${animals}: the rooms do not import each other`,
  ],
  [
    'no other file imports both rooms',
    { 'server/glue.ts': `import './store/a.ts'\nimport './publishing/b.ts'` },
    'server/glue.ts imports both rooms: only main.ts and cli/ do',
  ],
  [
    'no room imports main.ts',
    { 'server/store/a.ts': `export { build } from '../main.ts'` },
    'server/store/a.ts imports server/main.ts: only tests import main.ts and cli/',
  ],
  [
    'acme imports no database',
    { 'server/acme/order.ts': `import pg from 'pg'` },
    'server/acme/order.ts imports pg: a protocol does not import a database',
  ],
  [
    'dns does not import a database through another file',
    {
      'server/dns/ask.ts': `import { log } from '../../platform/log.ts'`,
      'server/kit/log.ts': `import { open } from './database/open.ts'`,
    },
    'server/dns/ask.ts imports server/kit/log.ts imports server/kit/database/open.ts: a protocol does not import a database',
  ],
  [
    'the program does not import the lab',
    { 'server/cli/serve/lab.ts': `import { lab } from '../../../lab/lab.ts'` },
    'server/cli/serve/lab.ts imports lab/lab.ts: the program does not import lab, bench or test',
  ],
  [
    'the program does not import the tests',
    { 'server/main.ts': `import '../test/database.ts'` },
    'server/main.ts imports test/database.ts: the program does not import lab, bench or test',
  ],
  [
    'no file is called utils',
    { 'server/store/string-utils.ts': '' },
    'server/store/string-utils.ts: a file is named for what it exports',
  ],
  [
    'no file is called service',
    { 'server/store/service.test.ts': '' },
    'server/store/service.test.ts: a file is named for what it exports',
  ],
  [
    'no default exports',
    { 'server/main.ts': 'export default build' },
    'server/main.ts: no default exports',
  ],
  [
    'no default exports with another name',
    { 'server/main.ts': 'export { build as default }' },
    'server/main.ts: no default exports',
  ],
  [
    'no source over 400 lines',
    { 'server/main.ts': long('// long: isEntry everything.', 400) },
    'server/main.ts: 401 lines; at most 400',
  ],
  [
    'no test over 500 lines without a reason',
    { 'server/a.test.ts': long('// Tests. long:', 500) },
    'server/a.test.ts: 501 lines; at most 500',
  ],
  [
    'no two folders import each other',
    {
      'server/store/a/one.ts': `import type { A } from '../b/two.ts'`,
      'server/store/a/other.ts': '',
      'server/store/b/two.ts': '',
      'server/store/b/three.ts': `import { b } from '../a/other.ts'`,
    },
    'server/store/a/one.ts imports server/store/b/two.ts, and server/store/b/three.ts imports server/store/a/other.ts: folders import one way',
  ],
  [
    'a folder and its parent do not import each other',
    {
      'lab/a.ts': `import './dns/b.ts'`,
      'lab/c.ts': '',
      'lab/dns/b.ts': `import '../c.ts'`,
    },
    'lab/a.ts imports lab/dns/b.ts, and lab/dns/b.ts imports lab/c.ts: folders import one way',
  ],
  [
    'no import cycle in a folder',
    {
      'dashboard/a.tsx': `import './b.tsx'`,
      'dashboard/b.tsx': `import './c.ts'`,
      'dashboard/c.ts': `import type { A } from './a.tsx'`,
    },
    'dashboard/a.tsx imports dashboard/b.tsx imports dashboard/c.ts imports dashboard/a.tsx: no import cycles',
  ],
]

describe('a violation is found', () => {
  test.each(violations)('%s', (_, files, violation) => {
    expect(findViolations(new Map(Object.entries(files)))).toEqual([violation])
  })
})

test.each([
  [
    'main.ts imports both',
    { 'server/main.ts': `import './store/a.ts'\nimport './publishing/b.ts'` },
  ],
  ['cli imports main.ts', { 'server/cli/serve.ts': `import { build } from '../main.ts'` }],
  ['a unit test imports test/', { 'server/store/a.test.ts': `import '../../test/database.ts'` }],
  ['a unit test builds it all', { 'server/store/a.test.ts': `import { build } from '../main.ts'` }],
  ['a comment names a room', { 'server/kit/a.ts': `// import '../store/a.ts'` }],
  ['a long test with a reason', { 'server/a.test.ts': long('// long: one table', 500) }],
  ['a file of 400 lines', { 'server/a.ts': 'x()\n'.repeat(400) }],
  [
    'a test imports what imports its folder',
    {
      'server/a/b.test.ts': `import '../b/c.ts'`,
      'server/b/c.ts': `import '../a/d.ts'`,
      'server/a/d.ts': '',
    },
  ],
  ['a name that only contains a word', { 'server/store/serviceable.ts': '' }],
])('allowed: %s', (_, files) => {
  expect(findViolations(new Map(Object.entries(files)))).toEqual([])
})

test('every form of import is parsed', () => {
  const text = `
    import a from './a.ts'
    import {
      type B, // a comment with ' a quote
      c,
    } from "../b.ts"
    import type { D } from 'd'
    import 'e'; import * as f from 'node:f'
    export * from './g.ts'
    export { h } from './h.ts'
    const i = await import('./i.ts')
    const j: import('./j.ts').J = 'https://x/' /* import 'no' */
    // import 'never'
    const k = "import 'text'"`
  expect(importsOf('server/store/x.ts', text).sort()).toEqual(
    ['d', 'e', 'node:f', 'server/b.ts'].concat(
      ['a', 'g', 'h', 'i', 'j'].map((name) => `server/store/${name}.ts`),
    ),
  )
})
