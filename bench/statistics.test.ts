import { describe, expect, it } from 'vitest'
import { ratioOf, spreadOf } from './statistics.ts'

describe('spreadOf', () => {
  it('takes the middle of an odd count and the mean of the two middles of an even one', () => {
    expect(spreadOf([30, 10, 20])).toEqual({ median: 20, min: 10, max: 30 })
    expect(spreadOf([40, 10, 20, 30]).median).toBe(25)
  })

  it('orders by number, not by text', () => {
    expect(spreadOf([9, 10, 100]).median).toBe(10)
  })

  it('refuses an empty list', () => {
    expect(() => spreadOf([])).toThrow(RangeError)
  })
})

describe('ratioOf', () => {
  it('compares within a round, so that a slow round falls on both', () => {
    expect(ratioOf([100, 10, 100], [50, 5, 50])).toEqual({ median: 2, min: 2, max: 2 })
  })

  it('refuses rounds that do not match', () => {
    expect(() => ratioOf([1], [1, 2])).toThrow(RangeError)
  })
})
