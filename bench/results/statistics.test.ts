import { describe, expect, it } from 'vitest'
import { ratioOf, spreadOf } from './statistics.ts'

describe('spreadOf', () => {
  it('takes the middle value of an odd count and the mean of the two middle values of an even count', () => {
    expect(spreadOf([30, 10, 20])).toEqual({ median: 20, min: 10, max: 30 })
    expect(spreadOf([40, 10, 20, 30]).median).toBe(25)
  })

  it('sorts numerically, not alphabetically', () => {
    expect(spreadOf([9, 10, 100]).median).toBe(10)
  })

  it('throws on an empty list', () => {
    expect(() => spreadOf([])).toThrow(RangeError)
  })
})

describe('ratioOf', () => {
  it('compares within a round, so that a slow round affects both sides', () => {
    expect(ratioOf([100, 10, 100], [50, 5, 50])).toEqual({ median: 2, min: 2, max: 2 })
  })

  it('throws if the numbers of rounds differ', () => {
    expect(() => ratioOf([1], [1, 2])).toThrow(RangeError)
  })
})
