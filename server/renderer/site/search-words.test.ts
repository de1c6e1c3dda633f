import { expect, it, test } from 'vitest'
import { namesOf, placedWords, wordsOf } from './search-words.js'

it.each([
  ['Deploy a site, twice', 'deploy a site twice'],
  ['setErrorHandler()', 'seterrorhandler set error handler'],
  ['build.outDir', 'build outdir out dir buildoutdir'],
  ['--frozen-lockfile', 'frozen lockfile frozenlockfile'],
  ['Box<T>', 'box t boxt'],
  ['GET /stations/{id}', 'get stations id'],
  ['HTTPServer v2 sha256', 'httpserver http server v2 sha256'],
  ['max_connections', 'max connections maxconnections'],
  ['针对文档的 Vite配置', '针对 对文 文档 档的 的 vite 配置 置'],
  ['ドキュメント', 'ドキ キュ ュメ メン ント ト'],
  ['문서를', '문서 서를 를'],
  ['ภาษา', 'ภา าษ ษา า'],
  ['=> {} …', ''],
])('reads the words of %s', (text, words) => {
  expect(wordsOf(text).join(' ')).toBe(words)
})

test('what is typed is a whole and its parts', () => {
  expect(namesOf('build.outDir 针对文 a')).toEqual([
    { whole: 'buildoutdir', parts: ['build', 'out', 'dir'] },
    { parts: ['针对', '对文'] },
    { whole: 'a', parts: ['a'] },
  ])
})

test('each word has its place', () => {
  const text = '(setError) 𠀀文档 a_b'
  const places = placedWords(text).map(({ end, start }) => text.slice(start, end))
  expect(places).toEqual(['setError', 'set', 'Error', '𠀀文', '文档', '档', 'a', 'b', 'a_b'])
})

test('hostile text has bounded words', () => {
  const texts = [
    'a.'.repeat(200_000),
    'aB'.repeat(200_000),
    `${'文'.repeat(200_000)}a`,
    '<'.repeat(400_000),
  ]
  for (const text of texts) {
    const words = wordsOf(text)
    expect(words.length).toBeLessThanOrEqual(text.length + 1)
    expect(Math.max(0, ...words.slice(0, 1000).map(({ length }) => length))).toBeLessThan(50)
  }
})
