import { expect, test } from 'vitest'
import { resolveLink } from './links.ts'

const pages = new Map([
  ['README.md', 'index.html'],
  ['api.md', 'api.html'],
  ['guides/index.md', 'guides/index.html'],
  ['guides/first.md', 'guides/first.html'],
  ['guides/two words.md', 'guides/two words.html'],
])
const targets = {
  pages,
  pagePaths: new Set([...pages.values(), 'reference/index.html', 'reference/list-pets.html']),
  fileAt: (path: string) => (['openapi.yaml', 'guides/cat.png'].includes(path) ? path : undefined),
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
