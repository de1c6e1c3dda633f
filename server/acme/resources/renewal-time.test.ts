import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { chooseRenewalTime, pointInWindow } from './renewal-info.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const notBefore = Date.parse('2030-01-01T00:00:00Z')
const life = (ms: number) => ({ notBefore, notAfter: notBefore + ms })
const window = (start: number, end: number) => ({ start: notBefore + start, end: notBefore + end })

describe('without a window', () => {
  it.each([
    ['90 days', 90 * dayMs, 60 * dayMs],
    ['64 days', 64 * dayMs, (64 * dayMs * 2) / 3],
    ['45 days', 45 * dayMs, 30 * dayMs],
    ['ten days', 10 * dayMs, (10 * dayMs * 2) / 3],
    ['under ten days', 10 * dayMs - 2, 5 * dayMs - 1],
    ['160 hours', 160 * hourMs, 80 * hourMs],
    ['an hour', hourMs, hourMs / 2],
  ])('of %s, a third of the life is left, or half of a short one', (_, ms, after) => {
    expect(chooseRenewalTime(life(ms), undefined, 0.7)).toBe(notBefore + after)
  })
})

describe('with a window', () => {
  it.each([
    [0, 60],
    [0.25, 60.5],
    [1, 62],
  ])('at the position %s inside the window', (point, days) => {
    const suggested = window(60 * dayMs, 62 * dayMs)
    expect(chooseRenewalTime(life(90 * dayMs), suggested, point)).toBe(notBefore + days * dayMs)
  })

  it('in the past, renews immediately', () => {
    const at = chooseRenewalTime(life(90 * dayMs), window(-2 * dayMs, -dayMs), 0.5)
    expect(at).toBeLessThan(notBefore)
  })

  it.each([
    ['after the end', window(100 * dayMs, 101 * dayMs)],
    ['in the last 5 % of the lifetime', window(89 * dayMs, 89.5 * dayMs)],
  ])('%s, is ignored', (_, suggested) => {
    const at = chooseRenewalTime(life(90 * dayMs), suggested, 0.5)
    expect(at).toBe(notBefore + 85.5 * dayMs)
  })

  test('is always before the certificate expires', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 60_000, max: 400 * dayMs }),
        fc.option(
          fc.tuple(fc.integer({ min: 0, max: 500 * dayMs }), fc.integer({ min: 1, max: dayMs })),
        ),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (ms, suggested, point) => {
          const [start = 0, length = 0] = suggested ?? []
          const at = chooseRenewalTime(
            life(ms),
            suggested ? window(start, start + length) : undefined,
            point,
          )
          expect(at).toBeLessThan(notBefore + ms)
        },
      ),
    )
  })
})

test('the position for a text is constant, and positions for many texts are spread evenly', () => {
  expect(pointInWindow('a')).toBe(pointInWindow('a'))
  const points = Array.from({ length: 1000 }, (_, n) => pointInWindow(`certificate ${n}`))
  expect(points.every((point) => point >= 0 && point < 1)).toBe(true)
  const tenths = new Set(points.map((point) => Math.floor(point * 10)))
  expect(tenths.size).toBe(10)
})
