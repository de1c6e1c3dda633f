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
const check = 'server/domains/check.ts'
const doctor = 'server/doctor/judge.ts'
const oidc = 'server/optional/oidc/open.ts'
const visits = 'server/optional/visits/open.ts'
const commandLine = 'server/cli/command-line/a.ts'
const long = (header: string, more: number) => `${header}\n${'x()\n'.repeat(more)}`

/** Both ways to write an import, and what it leads to. */
const ways = (
  path: string,
  relative: string,
  target: string,
): [string, Record<string, string>][] => [
  ['relative', { [path]: `import { x } from '${relative}'` }],
  ['by name', { [path]: `import { x } from '#${target.slice(7)}'`, [target]: '' }],
]
const upward: [from: string, relative: string, target: string, why: string][] = [
  ['server/kit/log.ts', '../store/animals/read.ts', animals, 'kit is not above store'],
  ['server/kit/log.ts', '../accounts/a.ts', 'server/accounts/a.ts', 'kit is not above accounts'],
  [animals, '../../domains/check.ts', check, 'store is not above domains'],
  ['server/publishing/a.ts', '../store/animals/read.ts', animals, 'publishing is not above store'],
  ['server/publishing/a.ts', '../domains/check.ts', check, 'publishing is not above domains'],
  [doctor, '../domains/check.ts', check, 'doctor is not above domains'],
  [doctor, '../acme/a.ts', 'server/acme/a.ts', 'doctor is not above acme'],
  [doctor, '../kit/jobs/a.ts', 'server/kit/jobs/a.ts', 'doctor is not above kit'],
  [check, '../optional/oidc/open.ts', oidc, 'domains is not above optional/oidc'],
  [oidc, '../visits/open.ts', visits, 'optional/oidc is not above optional/visits'],
  ['server/store/a.ts', '../main.ts', 'server/main.ts', 'store is not above main.ts'],
  [oidc, '../../cli/a.ts', 'server/cli/a.ts', 'optional/oidc is not above cli'],
  [commandLine, '../../domains/check.ts', check, 'cli/command-line is not above domains'],
]
test.each(
  upward.flatMap(([from, relative, target, why]) =>
    ways(from, relative, target).map(([way, files]) => [from, target, way, files, why] as const),
  ),
)('%s does not import %s, %s', (from, target, _, files, why) => {
  expect(findViolations(new Map(Object.entries(files)))).toEqual([
    `${from} imports ${target}: ${why}`,
  ])
})

test('an optional room is imported by its entries', () => {
  const connect = '../optional/domain-connect'
  const entry = { 'server/main.ts': `import { x } from './optional/domain-connect/open.ts'` }
  const commands = { 'server/cli/a.ts': `import { x } from '${connect}/commands.ts'` }
  expect(findViolations(new Map(Object.entries({ ...entry, ...commands })))).toEqual([])
  const inner = 'optional/domain-connect/setup/check-setup.ts'
  const past = {
    'server/main.ts': `import './${inner}'`,
    'client/a.ts': `import type { X } from '../server/${inner}'`,
    'server/optional/domain-connect/open.ts': `import './setup/check-setup.ts'`,
    'server/optional/domain-connect/a.test.ts': `import './setup/check-setup.ts'`,
  }
  expect(findViolations(new Map(Object.entries(past)))).toEqual([
    `server/main.ts imports server/${inner}: others import only the entries of optional/domain-connect`,
    `client/a.ts imports server/${inner}: others import only the entries of optional/domain-connect`,
  ])
})

type Case = [rule: string, files: Record<string, string>, violation: string]
const violations: Case[] = [
  [
    'a name leads to a source',
    { 'server/cli/a.ts': `import '#kit/gone.ts'` },
    'server/cli/a.ts imports #kit/gone.ts: there is no such source',
  ],
  [
    'acme imports no database',
    { 'server/acme/order.ts': `import pg from 'pg'` },
    'server/acme/order.ts imports pg: this room imports no database',
  ],
  [
    'dns does not import a database through another file',
    {
      'server/dns/ask.ts': `import { log } from '#kit/log.ts'`,
      'server/kit/log.ts': `import { open } from './database/open.ts'`,
    },
    'server/dns/ask.ts imports server/kit/log.ts imports server/kit/database/open.ts: this room imports no database',
  ],
  [
    'the doctor does not import a database through another file',
    {
      'server/doctor/judge.ts': `import { x } from '#kit/network/a.ts'`,
      'server/kit/network/a.ts': `import { open } from '../database/open.ts'`,
    },
    'server/doctor/judge.ts imports server/kit/network/a.ts imports server/kit/database/open.ts: this room imports no database',
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
  ...['string-utils.ts', 'service.test.ts'].map(
    (name): Case => [
      `no file is called ${name}`,
      { [`server/store/${name}`]: '' },
      `server/store/${name}: a file is named for what it exports`,
    ],
  ),
  ...['export default build', 'export { build as default }'].map(
    (text): Case => [
      `no default exports: ${text}`,
      { 'server/main.ts': text },
      'server/main.ts: no default exports',
    ],
  ),
  [
    'no file over 600 lines without a reason',
    { 'server/main.ts': long('// Wires it. long:', 600) },
    'server/main.ts: 601 lines; at most 600',
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
    'no more than five floors of domains',
    Object.fromEntries(
      [...'abcdef'].map((folder, floor) => [
        `server/domains/${folder}/${floor}.ts`,
        floor === 0 ? '' : `import { x } from '#domains/${'abcdef'[floor - 1]}/${floor - 1}.ts'`,
      ]),
    ),
    `${[...'fedcba'].map((folder) => `server/domains/${folder}`).join(' imports ')}: at most 5 floors`,
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
    'domains imports the doctor, which imports dns and the network',
    {
      [check]: `import '../doctor/judge.ts'`,
      [doctor]: `import '#dns/a.ts'\nimport '#kit/network/b.ts'`,
      'server/dns/a.ts': '',
      'server/kit/network/b.ts': '',
    },
  ],
  [
    'main.ts imports both',
    { 'server/main.ts': `import './store/a.ts'\nimport './publishing/b.ts'` },
  ],
  [
    'an optional room imports what commands share',
    { [oidc]: `import '../../cli/command-line/command.ts'` },
  ],
  ['cli imports main.ts', { 'server/cli/serve.ts': `import { build } from '../main.ts'` }],
  ['a unit test imports test/', { 'server/store/a.test.ts': `import '../../test/database.ts'` }],
  ['a unit test builds it all', { 'server/store/a.test.ts': `import { build } from '../main.ts'` }],
  ['a comment names a room', { 'server/kit/a.ts': `// import '../store/a.ts'` }],
  ['a long file with a reason', { 'server/a.ts': long('// long: one table', 600) }],
  ['a file of 600 lines', { 'server/a.ts': 'x()\n'.repeat(600) }],
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
    import { l } from '#kit/l.ts'
    export { h } from './h.ts'
    const i = await import('./i.ts')
    const j: import('./j.ts').J = 'https://x/' /* import 'no' */
    // import 'never'
    const k = "import 'text'"`
  expect(importsOf('server/store/x.ts', text).sort()).toEqual(
    ['d', 'e', 'node:f', 'server/b.ts', 'server/kit/l.ts'].concat(
      ['a', 'g', 'h', 'i', 'j'].map((name) => `server/store/${name}.ts`),
    ),
  )
})
