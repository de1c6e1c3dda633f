// How questions are distributed over many servers: each name server once before any twice; with few queries left,
// only two witnesses for further types, and every server with a different answer.
import type { Answer } from 'dns-packet'
import { beforeEach, expect, test } from 'vitest'
import type { ServerAddress } from '#dns/messages/exchange.ts'
import { askFactsAtServers } from '#dns/name-servers/name-facts.ts'
import { createDnsNetwork } from '#dns/queries/dns-network.ts'
import { startInquiry } from '#dns/queries/inquiry.ts'
import { resolveFromZone } from '#dns/resolution/look-up.ts'
import { startTestServer, type TestScript, type TestServer } from './test-server.ts'

const servers: TestServer[] = []
beforeEach(() => void servers.splice(0))

/** At 127.0.4.1, …; `names` has the server name of each address. */
async function serve(names: string[], scriptOf: (index: number) => TestScript) {
  for (const index of names.keys()) {
    servers.push(await startTestServer(`127.0.4.${index + 1}`, scriptOf(index)))
  }
  return servers.map(({ address, port }, index): ServerAddress => {
    return { name: names[index] as string, address, port }
  })
}

function inquire(maxQueries: number) {
  const allow = servers.map(({ address, port }) => `${address}:${port}`)
  const network = createDnsNetwork({ roots: servers.slice(0, 1), allow, hasIpv6: false })
  return startInquiry({ network, clock: () => 0, maxQueries })
}

const name = 'www.example.test'
const address = (data: string): Answer =>
  data.includes(':') ? { name, type: 'AAAA', ttl: 60, data } : { name, type: 'A', ttl: 60, data }
const typesAt = () => servers.map(({ queries }) => queries.map(({ type }) => type).join(' '))

test('a second address of a name server waits until each name server was asked', async () => {
  const addresses = await serve(['a', 'a', 'a', 'b', 'c'], () => () => ({
    answers: [address('192.0.2.1')],
  }))
  const inquiry = inquire(6)
  const facts = await askFactsAtServers(inquiry, addresses, name, { types: ['A'], reserve: 2 })
  expect(typesAt()).toEqual(['A', 'A', '', 'A', 'A'])
  const others = facts.filter((_, index) => index !== 2)
  expect(others.map(({ facts }) => facts.kind)).toEqual(Array(4).fill('records'))
  expect(facts[2]?.facts).toEqual({ kind: 'failure', reason: 'not-asked' })
  expect(inquiry.isCutShort).toBe(true)
})

test('with enough queries, all servers are asked everything', async () => {
  const addresses = await serve(['a', 'b', 'c'], () => () => ({ answers: [address('192.0.2.1')] }))
  const inquiry = inquire(6)
  await askFactsAtServers(inquiry, addresses, name)
  expect(typesAt()).toEqual(['A AAAA', 'A AAAA', 'A AAAA'])
  expect(inquiry.isCutShort).toBe(false)
})

test('otherwise two witnesses stand for those with the same answers in any order', async () => {
  const turned = [address('192.0.2.1'), address('192.0.2.2')]
  const addresses = await serve(['a', 'b', 'c', 'd', 'e'], (index) => ({ type }) => {
    if (index === 4) return { answers: [address(type === 'A' ? '192.0.2.9' : '2001:db8::9')] }
    if (type === 'AAAA') return { answers: [address('2001:db8::1')] }
    return { answers: index % 2 === 0 ? turned : turned.toReversed() }
  })
  const facts = await askFactsAtServers(inquire(20), addresses, name, { reserve: 13 })
  expect(typesAt().filter((types) => types === 'A AAAA')).toHaveLength(3)
  // A server with a different answer is asked separately.
  expect(typesAt()[4]).toBe('A AAAA')
  const found = facts.map(({ facts }) =>
    facts.kind === 'records'
      ? facts.addresses.map((each) => 'address' in each && each.address)
      : [],
  )
  for (const each of found.slice(0, 4)) {
    expect(each.toSorted()).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1'])
  }
  expect(found[4]).toEqual(['192.0.2.9', '2001:db8::9'])
})

test('an omitted question differs from a failed one', async () => {
  await serve(['a'], () => () => ({ rcode: 2, isAuthoritative: false }))
  for (const [queries, rcode] of [
    [0, 'not-asked'],
    [9, 'failure'],
  ] as const)
    expect(await resolveFromZone(inquire(queries), { name, type: 'CAA' })).toMatchObject({ rcode })
})
