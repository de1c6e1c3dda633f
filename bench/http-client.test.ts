import { describe, expect, it } from 'vitest'
import { nextPage } from './http-client.ts'

describe('nextPage', () => {
  const first = '<http://localhost:1/v1/pets?limit=2>; rel="first"'
  const next = '<http://localhost:1/v1/pets?limit=2&cursor=ab>; rel="next"'

  it('finds next beside other relations, in any order', () => {
    expect(nextPage(`${first}, ${next}`)).toBe('/v1/pets?limit=2&cursor=ab')
    expect(nextPage(`${next}, ${first}`)).toBe('/v1/pets?limit=2&cursor=ab')
  })

  it('finds none on the last page', () => {
    expect(nextPage(first)).toBeUndefined()
    expect(nextPage(undefined)).toBeUndefined()
  })
})
