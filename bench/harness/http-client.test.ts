import { describe, expect, it } from 'vitest'
import { findNextPage } from './http-client.ts'

describe('findNextPage', () => {
  const first = '<http://localhost:1/v1/pets?limit=2>; rel="first"'
  const next = '<http://localhost:1/v1/pets?limit=2&cursor=ab>; rel="next"'

  it('finds the next link among other links, in any order', () => {
    expect(findNextPage(`${first}, ${next}`)).toBe('/v1/pets?limit=2&cursor=ab')
    expect(findNextPage(`${next}, ${first}`)).toBe('/v1/pets?limit=2&cursor=ab')
  })

  it('returns undefined on the last page', () => {
    expect(findNextPage(first)).toBeUndefined()
    expect(findNextPage(undefined)).toBeUndefined()
  })
})
