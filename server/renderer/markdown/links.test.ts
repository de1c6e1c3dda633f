import { expect, test } from 'vitest'
import { resolveLink } from './links.ts'

const pages = new Map([
  ['README.md', 'index.html'],
  ['api.md', 'api.html'],
  ['guides/index.md', 'guides/index.html'],
  ['guides/first.md', 'guides/first.html'],
  ['guides/two words.md', 'guides/two words.html'],
])
const filePaths = new Set(['openapi.yaml', 'guides/cat.png', 'old/cat.gif'])
const targets = {
  pages,
  pagePaths: new Set([...pages.values(), 'reference/index.html', 'reference/list-pets.html']),
  fileAt: (path: string) => (filePaths.has(path) ? path : undefined),
  filePaths,
  base: 'docs/',
  origin: 'https://docs.example.com',
  isDeployed: (path: string) => path === 'src/lib.rs',
}

test.each([
  ['../api.md#top', '/api#top'],
  ['../api.md?x=1#top', '/api?x=1#top'],
  ['../README.md', '/'],
  ['index.md', '/guides/'],
  ['.', '/guides/'],
  ['./', '/guides/'],
  ['..', '/'],
  ['../', '/'],
  ['/', '/'],
  ['/guides', '/guides/'],
  ['/api.md', '/api'],
  ['/api', '/api'],
  ['../api.html', '/api'],
  ['two%20words.md', '/guides/two%20words'],
  ['cat.png', '/guides/cat.png'],
  ['/openapi.yaml', '/openapi.yaml'],
  ['../reference/list-pets', '/reference/list-pets'],
  ['../reference/', '/reference/'],
  ['/api/', '/api'],
  ['../API.MD#top', '/api#top'],
  ['../Guides/Two%20Words.md', '/guides/two%20words'],
  ['Cat.PNG', '/guides/cat.png'],
  ['/manual/guides/first#x', '/guides/first#x'],
  ['/de/api', '/api'],
  ['/guides/api', '/guides/api'],
  ['@/api.md', '/api'],
  ['https://docs.example.com/docs/api#x', '/api#x'],
  ['https://docs.example.com/docs', '/'],
  ['https://docs.example.com/docs/other', 'https://docs.example.com/docs/other'],
  ['https://docs.example.com/api', 'https://docs.example.com/api'],
  [
    'https://docs.example.com.evil.example/docs/api',
    'https://docs.example.com.evil.example/docs/api',
  ],
  ['{{site.baseurl}}/api', '/api'],
  ['%7B%7B%20site.baseurl%20%7D%7D/api#x', '/api#x'],
  ['#part', '#part'],
  ['?x=1', '?x=1'],
  ['missing.md', 'missing.md'],
  ['../../outside.md', '../../outside.md'],
  ['%E0%A4%A', '%E0%A4%A'],
  ['https://example.com/api.md', 'https://example.com/api.md'],
  ['//example.com/api.md', '//example.com/api.md'],
  ['mailto:a@example.com', 'mailto:a@example.com'],
  ['javascript:api.md', 'javascript:api.md'],
])('%s in guides/first.md leads to %s', (href, expected) => {
  expect(resolveLink(href, 'guides/first.md', targets)).toBe(expected)
})

test.each([
  ['missing.md', undefined],
  ['%E0%A4%A', undefined],
  ['first-steps/list-pets.md', 'Did you mean /reference/list-pets?'],
  ['../img/cat.gif', 'Did you mean /old/cat.gif?'],
  ['../../x.md', 'It is outside of the deployed folder: link to where it is published.'],
  ['../src/lib.rs', 'The folder has it, but it is not published: link to it in your repository.'],
])('%s is missing: %s', (href, expected) => {
  const found: unknown[] = []
  const missing = (...args: unknown[]) => found.push(args)
  resolveLink(href, 'guides/first.md', targets, { linksTo: missing, missing })
  expect(found).toEqual([[href, 'guides/first.md', expected]])
})
