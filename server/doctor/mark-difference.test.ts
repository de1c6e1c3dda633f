import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { markDifference, mayEqual, type Span } from './mark-difference.ts'

const target = 'docs.animals.example'

/** The value with the marked part in brackets. */
function marked(text: string, spans: readonly Span[]): string {
  const chars = Array.from(text)
  return chars
    .map((char, i) => {
      const open = spans.some(({ start }) => start === i) ? '[' : ''
      const close = spans.some(({ end }) => end === i + 1) ? ']' : ''
      return `${open}${char}${close}`
    })
    .join('')
}

describe('markDifference', () => {
  it.each([
    ['docs.animal.example', 'docs.animal.example', 'docs.animal[s].example', undefined],
    ['docs.animals.example.', 'docs.animals.example[.]', target, /a dot at the end/],
    ['dosc.animals.example', 'do[s]c.animals.example', 'doc[s].animals.example', undefined],
    [' docs.animals.example', '[ ]docs.animals.example', target, /space at its beginning/],
    ['"docs.animals.example"', '["]docs.animals.example["]', target, /quotes that are part/],
    [
      'docs.аnimals.example',
      'docs.[а]nimals.example',
      'docs.[a]nimals.example',
      /"а" \(U\+0430\) looks like "a"/,
    ],
    ['docs\u200b.animals.example', 'docs[\u200b].animals.example', target, /an invisible U\+200B/],
    ['docs.\u2066animals.example', 'docs.[\u2066]animals.example', target, /an invisible U\+2066/],
    [
      'Docs.animals.example',
      '[D]ocs.animals.example',
      '[d]ocs.animals.example',
      /upper and lower case/,
    ],
    ['', '', target, undefined],
    [target, target, target, undefined],
  ])('of %j', (found, foundMarked, expectedMarked, note) => {
    const difference = markDifference(found, target)
    expect(marked(found, difference.found)).toBe(foundMarked)
    expect(marked(target, difference.expected)).toBe(expectedMarked)
    if (note) expect(difference.notes.join(' ')).toMatch(note)
    else expect(difference.notes).toEqual([])
  })

  it('leaves the same text on both sides outside the marks', () => {
    const outside = (text: string, spans: readonly Span[]) =>
      Array.from(text)
        .filter((_, i) => !spans.some(({ start, end }) => i >= start && i < end))
        .join('')
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '😀', 'é'), maxLength: 30 })
    fc.assert(
      fc.property(text, text, (a, b) => {
        const { found, expected } = markDifference(a, b)
        // None where most differs.
        const isMarked = found.length + expected.length > 0
        if (isMarked || a === b) expect(outside(a, found)).toBe(outside(b, expected))
      }),
    )
  })

  it('is fast with long values', () => {
    const { found } = markDifference(`${'a'.repeat(60_000)}b`, 'a'.repeat(60_000))
    expect(found).toEqual([])
  })
})

describe('mayEqual', () => {
  it.each([
    'docs.animal.example',
    'docs.animals.example.',
    '"docs.animals.example"',
    'docs.аnіmаls.ехаmрlе',
  ])('accepts %j as the target', (text) => expect(mayEqual(text, target)).toBe(true))
  it.each([target, 'sites.elsewhere.example', ''])('does not accept %j as the target', (text) =>
    expect(mayEqual(text, target)).toBe(false),
  )
})
