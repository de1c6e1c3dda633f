// The view of a scripted recursive resolver: chains that it follows and chains that it leaves to us, and DNSSEC by
// asking with and without checking.
import { expect, test } from 'vitest'
import { createDnsNetwork } from '#dns/queries/dns-network.ts'
import { startInquiry } from '#dns/queries/inquiry.ts'
import { findDnssec, resolve } from '#dns/resolution/look-up.ts'
import { startTestServer, type TestScript, type TestServer } from './test-server.ts'

let resolver: TestServer

async function serve(script: TestScript) {
  resolver = await startTestServer('127.0.0.1', (query) => {
    const said = script(query)
    if (typeof said === 'string') return said
    return { isAuthoritative: false, offersRecursion: true, ...said }
  })
  const network = createDnsNetwork({ roots: [], resolver })
  return startInquiry({ network, clock: () => 0, timeoutsMs: [50, 50] })
}

const question = { name: 'docs.test', type: 'A' } as const
const cname = (name: string, data: string) => ({ name, type: 'CNAME' as const, ttl: 600, data })
const address = { name: 'edge.host', type: 'A' as const, ttl: 30, data: '192.0.2.1' }

test('a whole chain in one answer, cached for the shortest TTL', async () => {
  const answers = [cname('docs.test', 'mid.test'), cname('mid.test', 'edge.host'), address]
  const inquiry = await serve(() => ({ answers }))
  expect(await resolve(inquiry, resolver, question)).toEqual({
    outcome: 'records',
    rcode: 'NOERROR',
    records: [{ name: 'edge.host', type: 'A', ttlSeconds: 30, address: '192.0.2.1' }],
    chain: [
      { from: 'docs.test', to: 'mid.test' },
      { from: 'mid.test', to: 'edge.host' },
    ],
    end: 'edge.host',
    fault: undefined,
    ttlSeconds: 30,
  })
  expect(resolver.queries).toMatchObject([{ wantsRecursion: true, isCheckingDisabled: false }])
})

test('an alias without its target is followed by us', async () => {
  const inquiry = await serve(({ name }) => ({
    answers: name === 'docs.test' ? [cname(name, 'edge.host')] : [address],
  }))
  expect(await resolve(inquiry, resolver, question)).toMatchObject({
    outcome: 'records',
    end: 'edge.host',
  })
})

test.each<[string, (name: string) => ReturnType<typeof cname>[]]>([
  ['one answer', () => [cname('docs.test', 'b.test'), cname('b.test', 'docs.test')]],
  ['several', (name) => [cname(name, name === 'docs.test' ? 'b.test' : 'docs.test')]],
  ['an alias to itself', () => [cname('docs.test', 'docs.test')]],
])('a loop over %s', async (_, answersTo) => {
  const inquiry = await serve(({ name }) => ({ answers: answersTo(name) }))
  expect(await resolve(inquiry, resolver, question)).toMatchObject({ fault: 'loop' })
})

test('records of other names in the answer are ignored', async () => {
  const inquiry = await serve(() => ({ answers: [address] }))
  expect(await resolve(inquiry, resolver, question)).toMatchObject({
    outcome: 'nothing',
    records: [],
  })
})

test.each([
  ['validated', () => ({ isAuthenticated: true }), 'fine'],
  ['not validated', () => ({}), 'unsigned'],
  ['SERVFAIL, but valid without checking', (cd: boolean) => ({ rcode: cd ? 0 : 2 }), 'broken'],
  ['SERVFAIL either way', () => ({ rcode: 2 }), 'unknown'],
  ['refused', () => ({ rcode: 5 }), 'unknown'],
  ['silent', () => 'silent' as const, 'unknown'],
] as const)('DNSSEC of what is %s', async (_, said, state) => {
  const inquiry = await serve(({ isCheckingDisabled }) => said(isCheckingDisabled))
  expect(await findDnssec(inquiry, resolver, question)).toBe(state)
})
