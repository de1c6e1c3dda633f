import MiniSearch from 'minisearch'
import { expect, test } from 'vitest'
import { createSearchIndex } from './search-index.ts'

function load(json: string) {
  const { options, index } = JSON.parse(json)
  return MiniSearch.loadJS(index, options)
}

const part = (id: string, heading: string, text: string) => ({ id, heading, text })

test('what is found leads to the part of the page', () => {
  const index = createSearchIndex()
  index.add({
    path: 'guides/first.html',
    title: 'First',
    parts: [part('', '', 'Beginning'), part('setting-up', 'Setting up', 'A secret word')],
  })
  index.add({ path: 'index.html', title: 'Home', parts: [] })
  const search = load(index.toJson())
  expect(search.search('secret')[0]).toMatchObject({
    id: '/guides/first#setting-up',
    title: 'First',
    heading: 'Setting up',
    text: 'A secret word',
  })
  expect(search.search('home')[0]).toMatchObject({ id: '/', title: 'Home' })
  expect(search.search('begin', { prefix: true })[0]?.id).toBe('/guides/first')
})

test('equal ids on one page do no harm', () => {
  const index = createSearchIndex()
  index.add({ path: 'a.html', title: 'A', parts: [part('x', 'X', 'one'), part('x', 'X', 'two')] })
  expect(load(index.toJson()).search('one')).toHaveLength(1)
})

test('large sites show beginnings only, but find all', () => {
  const index = createSearchIndex()
  for (let page = 0; page < 120; page += 1) {
    const text = `${'word '.repeat(2_000)}needle${page}`
    index.add({ path: `p${page}.html`, title: 'P', parts: [part('', '', text)] })
  }
  const json = index.toJson()
  expect(json.length).toBeLessThan(100_000)
  expect(load(json).search('needle7')[0]?.id).toBe('/p7')
})
