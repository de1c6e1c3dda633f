import { expect, test } from 'vitest'
import {
  buildNavigation,
  createNavigationHtml,
  type NavigationItem,
  readingOrder,
  sectionTitles,
} from './navigation.ts'

const page = (
  path: string,
  more: { order?: number; label?: string; nav?: boolean; title?: string } = {},
) => ({
  path,
  title: `Title of ${path}`,
  nav: true,
  ...more,
})

const section = (title: string | undefined, ...keys: string[]) => ({
  title,
  entries: keys.map((key) => ({ key, path: key })),
})

function outline(items: readonly NavigationItem[]): unknown[] {
  return items.map(({ title, children }) => (children ? { [title]: outline(children) } : title))
}

test('by order, then pages before groups, then by name; a group’s own page comes first', () => {
  const pages = [
    page('index.html', { title: 'Site' }),
    page('b.html', { title: 'B' }),
    page('a.html', { title: 'A' }),
    page('z.html', { title: 'Z', order: 1 }),
    page('guides/index.html', { title: 'Guides', order: 2 }),
    page('guides/10-ten.html', { title: 'Ten' }),
    page('guides/2-two.html', { title: 'Two', label: 'Number two' }),
    page('guides/deep/x.html', { title: 'X' }),
    page('other/y.html', { title: 'Y' }),
    page('hidden.html', { nav: false }),
    page('single/index.html', { title: 'Single' }),
  ]
  expect(outline(buildNavigation(pages, 'Site'))).toEqual([
    'Overview',
    'Z',
    { Guides: ['Overview', 'Number two', 'Ten', { Deep: ['X'] }] },
    'A',
    'B',
    'Single',
    { Other: ['Y'] },
  ])
})

test('guides.md beside guides/ is the page of the group', () => {
  const pages = [page('guides.html', { title: 'Guides' }), page('guides/a.html', { title: 'A' })]
  const items = buildNavigation(pages, 'Site')
  expect(outline(items)).toEqual([{ Guides: ['Overview', 'A'] }])
  expect(readingOrder(items).map(({ path }) => path)).toEqual(['guides.html', 'guides/a.html'])
})

test('the current page is marked, its groups are open', () => {
  const items = buildNavigation(
    [page('a.html', { title: 'A & B' }), page('g/b.html', { title: 'B' })],
    'Site',
  )
  const { text } = createNavigationHtml(items)('g/b.html')
  expect(text).toContain('<a href="/a"><span>A &amp; B</span></a>')
  expect(text).toContain('<a href="/g/b" aria-current="page"><span>B</span></a>')
  expect(text).toMatch(/<details open><summary>G<svg/)
})

test('a badge stands beside its title', () => {
  const { text } = createNavigationHtml([{ title: 'List', path: 'r/l.html', badge: 'GET' }])('')
  expect(text).toContain('<span class="nav-badge nav-badge-get">GET</span>')
})

test('on large sites each page names the pages around it, not all', () => {
  const pages = Array.from({ length: 2000 }, (_, index) =>
    page(`g${index % 2}/p${index}.html`, { title: `P${index}` }),
  )
  const inside = createNavigationHtml(buildNavigation(pages, 'Site'))
  const { text } = inside('g1/p1001.html')
  expect(text).toContain('<a href="/g1/p1001" aria-current="page">')
  expect(text).toContain('<a class="nav-closed" href="/g0/p0">')
  expect(text.match(/<a /g)?.length).toBeLessThan(100)
  for (const path of ['g1/p1.html', 'g1/p1999.html']) {
    expect(inside(path).text).toContain('aria-current="page"')
  }
})

test('what is listed comes first, in each folder, whatever its order', () => {
  const pages = [
    page('index.html', { title: 'Site' }),
    page('a.html', { title: 'A', order: 1 }),
    page('b.html', { title: 'B' }),
    page('guides/index.html', { title: 'Guides' }),
    page('guides/x.html', { title: 'X' }),
    page('guides/y.html', { title: 'Y' }),
  ]
  const sections = [section(undefined, 'guides', 'b', 'guides/y', 'missing')]
  expect(outline(buildNavigation(pages, 'Site', sections))).toEqual([
    'Overview',
    { Guides: ['Overview', 'Y', 'X'] },
    'B',
    'A',
  ])
})

const grouped = [
  page('index.html', { title: 'Site' }),
  page('a.html', { title: 'A' }),
  page('b.html', { title: 'B' }),
  page('guides/index.html', { title: 'Guides' }),
  page('guides/x.html', { title: 'X' }),
  page('guides/y.html', { title: 'Y' }),
  page('more/z.html', { title: 'Z' }),
  page('hidden.html', { nav: false }),
]
const reference = {
  item: { title: 'API reference', children: [{ title: 'List', path: 'reference/list.html' }] },
  keys: ['reference', 'openapi.yaml'],
}

test('groups take their pages out of the folders; what is not listed follows', () => {
  const sections = [
    section('Start', '', 'guides/y', 'hidden', 'missing'),
    section(undefined, 'b'),
    section('Guides of ours', 'guides'),
    section('Empty', 'missing'),
  ]
  const items = buildNavigation(grouped, 'Site', sections, [reference])
  expect(outline(items)).toEqual([
    { Start: ['Overview', 'Y'] },
    'B',
    { 'Guides of ours': ['Overview', 'X'] },
    'A',
    { More: ['Z'] },
    { 'API reference': ['List'] },
  ])
  expect([...sectionTitles(items)]).toEqual([
    ['index.html', 'Start'],
    ['guides/y.html', 'Start'],
    ['guides/index.html', 'Guides of ours'],
    ['guides/x.html', 'Guides of ours'],
  ])
})

test('the API reference has the place at which its document or its folder is listed', () => {
  const at = (...sections: ReturnType<typeof section>[]) =>
    outline(buildNavigation(grouped.slice(0, 3), 'Site', sections, [reference]))
  const api = { 'API reference': ['List'] }
  expect(at(section(undefined, 'openapi.yaml'))).toEqual(['Overview', api, 'A', 'B'])
  expect(at(section(undefined, 'b', 'reference'))).toEqual(['Overview', 'B', api, 'A'])
  expect(at(section('API', 'b', 'openapi.yaml'))).toEqual(['Overview', { API: ['B', api] }, 'A'])
  expect(at(section('All of it', 'reference'))).toEqual([
    'Overview',
    { 'All of it': ['List'] },
    'A',
    'B',
  ])
})

test('beside a large API reference, groups with few pages stay open', () => {
  const operations = Array.from({ length: 300 }, (_, index) => ({
    title: `Operation ${index}`,
    path: `reference/o${index}.html`,
  }))
  const sections = [section('Start', 'a', 'b')]
  const large = { ...reference, item: { title: 'API reference', children: operations } }
  const items = buildNavigation(grouped.slice(0, 3), 'Site', sections, [large])
  const { text } = createNavigationHtml(items)('index.html')
  expect(text).toMatch(/<details open><summary>Start<[\s\S]*href="\/a"/)
  expect(text).toContain('<a class="nav-closed" href="/reference/o0">')
})
