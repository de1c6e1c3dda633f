import { describe, expect, it } from 'vitest'
import { sessionCookie } from './sessions.ts'

const token = 'aB3'.repeat(14).concat('x')
const other = 'x'.repeat(43)
const plain = sessionCookie(new URL('http://localhost:8080/'))
const secure = sessionCookie(new URL('https://store.example.com/'))

it('is HttpOnly, SameSite=Strict, and Secure with https', () => {
  expect(plain.write(token)).toBe(
    `animal-store=${token}; Max-Age=7776000; Path=/; HttpOnly; SameSite=Strict`,
  )
  expect(secure.write(token)).toBe(
    `__Host-animal-store=${token}; Max-Age=7776000; Path=/; HttpOnly; SameSite=Strict; Secure`,
  )
  expect(plain.clear()).toBe('animal-store=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict')
})

describe('is read', () => {
  it.each([
    ['alone', `animal-store=${token}`, [token]],
    ['among others', `a=1; animal-store=${token}; b=2`, [token]],
    ['beside a cookie with another name', `animal-store2=x; animal-store=${token}`, [token]],
    ['once when it occurs twice', `animal-store=${token}; animal-store=${token}`, [token]],
    ['with others of its name', `animal-store=${other}; animal-store=${token}`, [other, token]],
    ['beside an empty cookie with the same name', `animal-store=; animal-store=${token}`, [token]],
    ['not with another name', `Animal-Store=${token}`, []],
    ['not when it is longer', `animal-store=${token}x`, []],
    ['not in quotes', `animal-store="${token}"`, []],
    ['not when it is empty', 'animal-store=', []],
    ['not without a Cookie header', undefined, []],
  ])('%s', (_, field, found) => {
    expect(plain.read(field)).toEqual(found)
  })

  it('only with its __Host- name when the dashboard uses https', () => {
    expect(secure.read(`animal-store=${token}`)).toEqual([])
    expect(secure.read(`__Host-animal-store=${token}; animal-store=x`)).toEqual([token])
  })
})
