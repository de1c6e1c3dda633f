// Which servers have the new record, and when the old one expires from caches.
import { expect, test } from 'vitest'
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import { at, cname, evidence, facts, failure, server, target } from './evidence-in-test.ts'
import { readPropagation } from './propagation-clock.ts'
import { readEvidence } from './reading.ts'

const pointing = (to: string, ttlSeconds: number): NameFacts =>
  facts({ ...cname('docs.example.com', to), ttlSeconds })

function propagationOf(hosts: NameFacts[]) {
  const servers = hosts.map((host, index) => server(index, { host }))
  return readPropagation(readEvidence(evidence().with({ servers, resolver: undefined }).evidence))
}

test('counts servers, and returns the last cache expiry', () => {
  const found = propagationOf([
    pointing(target, 9000),
    pointing('old.example', 60),
    { kind: 'nothing', rcode: 'NXDOMAIN', negativeTtlSeconds: 300 },
    { kind: 'nothing', rcode: 'NOERROR', negativeTtlSeconds: undefined },
    failure,
  ])
  expect(found).toMatchObject({
    servers: [
      { answer: 'correct', cachedUntil: at + 9_000_000, records: [`CNAME ${target}`] },
      { answer: 'wrong', cachedUntil: at + 60_000, records: ['CNAME old.example'] },
      { answer: 'missing', cachedUntil: at + 300_000 },
      { answer: 'missing', cachedUntil: undefined },
      { answer: 'unknown', cachedUntil: undefined },
    ],
    responding: 4,
    updated: 1,
    cachedUntil: at + 300_000,
  })
})

test('has nothing to wait for when all servers have it', () => {
  expect(propagationOf([pointing(target, 60)])).toMatchObject({
    updated: 1,
    cachedUntil: undefined,
  })
})
