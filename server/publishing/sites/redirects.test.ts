import { expect, it } from 'vitest'
import { maxRedirectsBytes, readRedirects } from './redirects.ts'

const read = (text: string) => readRedirects(new TextEncoder().encode(text))

it.each([
  ['/a', 'The target is missing.'],
  ['a /b', 'must be a path that starts with /'],
  ['https://docs.example/a /b', 'must be a path that starts with /'],
  ['/a?x=1 /b', 'without ? and #'],
  ['/a/../b /c', 'No page can have the address'],
  ['/%zz /c', 'No page can have the address'],
  ['/*/a /b', 'must be the last segment'],
  ['/a* /b', 'must be the last segment'],
  ['/:x/:x /b', 'have the same name'],
  ['/a b', 'must be a path that starts with one /'],
  ['/a //evil.example', 'must be a path that starts with one /'],
  ['/a /\\evil.example', 'must be a path that starts with one /'],
  ['/a javascript:alert(1)', 'must be a path that starts with one /'],
  ['/a ftp://files.example/', 'must be a path that starts with one /'],
  ['/:x https://:x.example/', 'The host of the target'],
  ['/:x https://example.com:x/', 'The host of the target'],
  ['/* https://:splat', 'The host of the target'],
  ['/a https://user@example.com/', 'The host of the target'],
  ['/a https:///b', 'The host of the target'],
  ['/a https://other.example/ 200', 'cannot be shown at an address of this one'],
  ['/a /b/:splat', 'The source has nothing for :splat'],
  ['/a/:x /b/:y', 'The source has nothing for :y'],
  ['/a /b 404', 'The nearest 404.html is shown'],
  ['/a /b 500', 'Use one of 301, 302'],
  ['/a /b 3O1', 'Use one of 301, 302'],
  ['/a id=:id /b 301', 'conditions such as id=:id are not supported'],
  ['/a /b 302 Country=de', 'conditions such as Country=de are not supported'],
  ['/a /b 302 more', 'more than from, to and status'],
  [`/a /${'b'.repeat(1000)}`, 'longer than 1000 characters'],
])('%s is reported and left out', (line, message) => {
  const { problems, rules } = read(`/x /y\n\n${line}\n/z /y\n`)
  expect(rules.map(({ from }) => from.join('/'))).toEqual(['x', 'z'])
  expect(problems).toEqual([
    {
      kind: 'bad_redirect',
      severity: 'warning',
      count: 1,
      file: '_redirects',
      line: 3,
      text: line.slice(0, 200),
      message: expect.stringContaining(message),
    },
  ])
})

it('has limits', () => {
  const fixed = Array.from({ length: 2001 }, (_, i) => `/a${i} /`)
  const dynamic = Array.from({ length: 101 }, (_, i) => `/d${i}/* /`)
  const { problems, rules } = read([...fixed, ...dynamic].join('\n'))
  expect(rules).toHaveLength(2100)
  expect(problems.map(({ line }) => line)).toEqual([2001, 2102])
  expect(read('#'.repeat(maxRedirectsBytes + 1))).toMatchObject({
    rules: [],
    problems: [{ line: null, message: expect.stringContaining('larger than 256 KB') }],
  })
})
