import { expect, it } from 'vitest'
import { matchText, ranks } from './match-text.ts'

/** The text with its marks in brackets. */
function marked(typed: string, text: string, context?: string): string | undefined {
  const match = matchText(typed, text, context)
  if (!match) return undefined
  let shown = ''
  let end = 0
  for (const [from, to] of match.marks) {
    shown += `${text.slice(end, from)}[${text.slice(from, to)}]`
    end = to
  }
  return shown + text.slice(end)
}

it.each([
  ['audit log', 'Audit log', '[Audit log]', ranks.exact],
  ['AUD', 'Audit log', '[Aud]it log', ranks.prefix],
  ['log', 'Audit log', 'Audit [log]', ranks.words],
  ['log aud', 'Audit log', '[Aud]it [log]', ranks.words],
  ['nimal', 'Animals', 'A[nimal]s', ranks.part],
  ['zurich', 'Zürich', '[Zürich]', ranks.exact],
  ['zürich', 'Zurich', '[Zurich]', ranks.exact],
  ['strasse', 'Große Straße', 'Große [Straße]', ranks.words],
  ['smørrebrod', 'Smörrebrød', '[Smörrebrød]', ranks.exact],
  ['cafe', 'Cafe\u0301 menu', '[Cafe\u0301] menu', ranks.prefix],
  ['ｆｕｌｌ', 'Full width', '[Full] width', ranks.prefix],
  ['docs ex', 'docs.example.com', '[docs].[ex]ample.com', ranks.words],
])('finds %j in %j', (typed, text, shown, rank) => {
  expect(marked(typed, text)).toBe(shown)
  expect(matchText(typed, text)?.rank).toBe(rank)
})

it.each([
  ['apk', 'Create API key', 'Create [AP]I [k]ey'],
  ['apk', 'API keys', '[AP]I [k]eys'],
  ['hbk', 'Handbook', '[H]and[b]oo[k]'],
  ['cdt', 'Create deploy token', '[C]reate [d]eploy [t]oken'],
  ['crtok', 'Create access token', '[Cr]eate access [tok]en'],
  ['sysms', 'Systems', '[Sys]te[ms]'],
  ['kbdh', 'Handbook', undefined],
  ['aa', 'a', undefined],
  ['x', 'Members', undefined],
  [' ', 'Members', undefined],
])('finds the letters of %j in %j', (typed, text, shown) => {
  expect(marked(typed, text)).toBe(shown)
})

it('finds words of the context, without marking them', () => {
  expect(marked('handb tok', 'Tokens', 'settings of handbook')).toBe('[Tok]ens')
  expect(matchText('settings', 'Tokens', 'settings of handbook')).toEqual({
    rank: ranks.context,
    marks: [],
  })
  expect(matchText('ettings', 'Tokens', 'settings of handbook')).toBe(undefined)
})

it('ranks the whole text first, then its beginning, words, parts and letters, compact ones first', () => {
  const texts = [
    'Store members',
    'Members',
    'Members of a project',
    'Nonmembers',
    'My embers',
    'Most emails be remembered so',
  ]
  const ranked = texts
    .flatMap((text) => {
      const match = matchText('members', text)
      return match ? [{ text, rank: match.rank }] : []
    })
    .sort((a, b) => a.rank - b.rank)
  expect(ranked.map(({ text }) => text)).toEqual([
    'Members',
    'Members of a project',
    'Store members',
    'Nonmembers',
    'My embers',
    'Most emails be remembered so',
  ])
})

it('takes long texts without delay', () => {
  const text = 'ab '.repeat(5000)
  expect(matchText(`${'ab'.repeat(95)}c`, text)).toBe(undefined)
  expect(matchText('a'.repeat(200), text)?.marks).toHaveLength(200)
})
