// Which servers have the new record, and when the old one expires from caches.
import { expect, test } from 'vitest'
import { type NameFacts, propagationOf } from './name-facts.ts'

const server = (last: number) => ({ address: `192.0.2.${last}`, port: 53 })
const pointing = (target: string, ttlSeconds: number): NameFacts => ({
  kind: 'records',
  cname: [{ name: 'docs.example', type: 'CNAME', ttlSeconds, target }],
  addresses: [],
  others: [],
})
const isNew = (facts: NameFacts) =>
  facts.kind === 'records' &&
  facts.cname.some((each) => each.type === 'CNAME' && each.target === 'new')

test('counts servers, and returns the last cache expiry', () => {
  const facts: NameFacts[] = [
    pointing('new', 9000),
    pointing('old', 60),
    { kind: 'nothing', rcode: 'NXDOMAIN', negativeTtlSeconds: 300 },
    { kind: 'nothing', rcode: 'NOERROR', negativeTtlSeconds: undefined },
    { kind: 'failure', reason: 'timeout' },
  ]
  const views = facts.map((each, index) => ({ server: server(index), facts: each, at: 1000 }))
  expect(propagationOf(views, isNew)).toEqual({
    servers: [
      { server: server(0), answer: 'correct', cachedSeconds: 9000 },
      { server: server(1), answer: 'wrong', cachedSeconds: 60 },
      { server: server(2), answer: 'missing', cachedSeconds: 300 },
      { server: server(3), answer: 'missing', cachedSeconds: undefined },
      { server: server(4), answer: 'unknown', cachedSeconds: undefined },
    ],
    responding: 4,
    updated: 1,
    cachedUntil: 301_000,
  })
})

test('has nothing to wait for when all servers have it', () => {
  const views = [{ server: server(1), facts: pointing('new', 60), at: 0 }]
  expect(propagationOf(views, isNew)).toMatchObject({ updated: 1, cachedUntil: undefined })
})
