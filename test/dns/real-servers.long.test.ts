// The walk and the queries after it against real name servers of other authors, on a signed tree.
// In npm test: test/dns/walk.test.ts.
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findCaa } from '#dns/caa/find-caa.ts'
import { askFactsAtServers, stateOf } from '#dns/name-servers/name-facts.ts'
import { createDnsNetwork } from '#dns/queries/dns-network.ts'
import { type Inquiry, startInquiry } from '#dns/queries/inquiry.ts'
import { findDnssec, resolve, resolveFromZone } from '#dns/resolution/look-up.ts'
import { delegationOf, walk } from '#dns/walk/walk.ts'
import { type RealTree, startRealTree } from './real-tree.ts'

let tree: RealTree
beforeAll(async () => {
  tree = await startRealTree()
})
afterAll(() => tree?.stop())

const at53 = (address: string) => ({ address, port: 53 })

function inquire(options: { withResolver?: boolean } = {}): Inquiry {
  const network = createDnsNetwork({
    roots: [at53(tree.root)],
    allow: ['127.0.0.0/8'],
    hasIpv6: false,
    ...(options.withResolver && { resolver: at53(tree.resolver) }),
  })
  return startInquiry({ network, clock: Date.now })
}

describe.each([
  ['from the root', {}],
  ['from the root, with a resolver', { withResolver: true }],
])('the walk %s', (_, options) => {
  test.each([
    ['docs.plain.test', 'plain.test', ['nsd', 'secondNsd']],
    ['deep.below.plain.test', 'plain.test', ['nsd', 'secondNsd']],
    ['docs.signed.test', 'signed.test', ['knot']],
    ['www.broken.test', 'broken.test', ['knot']],
    ['www.glueless.test', 'glueless.test', ['nsd']],
    ['www.cut.plain.test', 'cut.plain.test', ['nsd']],
    ['apex.test', 'apex.test', ['powerDns']],
    ['not-there.plain.test', 'plain.test', ['nsd', 'secondNsd']],
  ] as const)('finds the zone of %s', async (name, apex, servers) => {
    const found = await walk(inquire(options), name)
    expect(found).toMatchObject({ outcome: 'found', apex })
    expect(found.servers.map(({ address }) => address)).toEqual(servers.map((each) => tree[each]))
  })

  test('an unregistered domain', async () => {
    const found = await walk(inquire(options), 'www.unknown.test')
    expect(found).toMatchObject({ outcome: 'found', apex: 'test' })
    expect(delegationOf(found, 'unknown.test')).toBe('not there')
    expect(delegationOf(found, 'test')).toBe('there')
  })
})

test('the walk finds what dig finds', async () => {
  const dig = (...words: string[]) =>
    execFileSync('dig', ['+short', ...words], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .sort()
  const names = dig(`@${tree.resolver}`, 'plain.test', 'NS')
  const found = await walk(inquire(), 'docs.plain.test')
  expect(found.parentNames.map((name) => `${name}.`).sort()).toEqual(names)
  expect(found.ownNames.toSorted()).toEqual(found.parentNames.toSorted())
  expect(found.zones).toEqual(['', 'test', 'plain.test'])
  expect(found.servers.map(({ address }) => address)).toEqual(
    names.flatMap((name) => dig(`@${tree.resolver}`, name, 'A')),
  )
})

test('a walk and the questions to each server need few queries', async () => {
  const inquiry = inquire()
  const found = await walk(inquiry, 'docs.plain.test')
  const facts = await askFactsAtServers(inquiry, found.servers, 'docs.plain.test')
  expect(facts.map(({ facts }) => facts)).toEqual(
    Array(2).fill({
      kind: 'records',
      cname: [
        { name: 'docs.plain.test', type: 'CNAME', ttlSeconds: 600, target: 'edge.plain.test' },
      ],
      addresses: [],
      others: [],
    }),
  )
  expect(inquiry.queries).toBeLessThanOrEqual(6)
})

test('a missing name, with the time for which it is cached', async () => {
  const inquiry = inquire()
  const { servers } = await walk(inquiry, 'not-there.plain.test')
  const [nsd] = await askFactsAtServers(inquiry, servers, 'not-there.plain.test')
  expect(nsd?.facts).toEqual({ kind: 'nothing', rcode: 'NXDOMAIN', negativeTtlSeconds: 300 })
  const [empty] = await askFactsAtServers(inquiry, servers, 'below.plain.test')
  expect(empty?.facts).toEqual({ kind: 'nothing', rcode: 'NOERROR', negativeTtlSeconds: 300 })
})

test('ALIAS at an apex has addresses, and MX in addition', async () => {
  const inquiry = inquire()
  const { servers } = await walk(inquiry, 'apex.test')
  const [facts] = await askFactsAtServers(inquiry, servers, 'apex.test', {
    types: ['A', 'AAAA', 'MX'],
  })
  expect(facts?.facts).toMatchObject({
    cname: [],
    addresses: [
      { type: 'A', address: '192.0.2.1' },
      { type: 'AAAA', address: '2001:db8::1' },
    ],
    others: [{ type: 'MX', preference: 10, target: 'mail.apex.test' }],
  })
})

test('unusual strings and labels', async () => {
  const inquiry = inquire()
  const { servers } = await walk(inquiry, 'text.plain.test')
  const [text] = await askFactsAtServers(inquiry, servers, 'text.plain.test', { types: ['TXT'] })
  expect(text?.facts).toMatchObject({
    others: [{ strings: ['one', 'two "three"', 'caf\\195\\169'] }],
  })
  const [odd] = await askFactsAtServers(inquiry, servers, 'odd\\046label.plain.test')
  expect(odd?.facts).toMatchObject({ addresses: [{ address: '192.0.2.6' }] })
})

test('a server without the zone', async () => {
  const inquiry = inquire()
  const { servers, outcome } = await walk(inquiry, 'www.lame.test')
  expect(outcome).toBe('found')
  const facts = await askFactsAtServers(inquiry, servers, 'www.lame.test')
  const states = facts.map(({ server, facts }) => [server.address, stateOf(facts)])
  expect(Object.fromEntries(states)).toEqual({ [tree.nsd]: 'ok', [tree.powerDns]: 'refused' })
})

test('a zone whose only server refuses it: the name is unknown', async () => {
  const found = await walk(inquire(), 'www.far.plain.test')
  expect(found).toMatchObject({ outcome: 'unknown', apex: 'far.plain.test', missing: undefined })
  expect(delegationOf(found, 'plain.test')).toBe('there')
})

test('name servers that depend on each other, or do not exist, end in time', async () => {
  for (const name of ['www.circle-a.test', 'www.gone.test']) {
    const inquiry = inquire()
    const found = await walk(inquiry, name)
    expect(found).toMatchObject({ outcome: 'unknown', servers: [] })
    expect(inquiry.queries).toBeLessThan(20)
  }
})

describe('the resolver', () => {
  test.each([
    ['signed.test', 'fine'],
    // The alias is signed, its target is not.
    ['docs.signed.test', 'unsigned'],
    ['docs.plain.test', 'unsigned'],
    ['www.broken.test', 'broken'],
    ['www.circle-a.test', 'unknown'],
  ] as const)('%s: DNSSEC is %s', async (name, state) => {
    const inquiry = inquire()
    const resolver = at53(tree.resolver)
    const network = createDnsNetwork({ resolver })
    const found = await findDnssec({ ...inquiry, network }, resolver, { name, type: 'SOA' })
    expect(found).toBe(state)
  })

  test('and our own lookup agree', async () => {
    for (const name of ['alias.plain.test', 'docs.signed.test', 'x.wild.plain.test', 'no.test']) {
      const question = { name, type: 'A' } as const
      const inquiry = inquire({ withResolver: true })
      const theirs = await resolve(inquiry, at53(tree.resolver), question)
      const ours = await resolveFromZone(inquire(), question)
      const compared = ({ outcome, rcode, chain, end }: typeof ours) => ({
        outcome,
        rcode,
        chain,
        end,
      })
      expect(compared(ours)).toEqual(compared(theirs))
    }
  })

  test('a loop of aliases is detected', async () => {
    const question = { name: 'loop-a.plain.test', type: 'A' } as const
    const inquiry = inquire({ withResolver: true })
    expect((await resolveFromZone(inquire(), question)).fault).toBe('loop')
    const theirs = await resolve(inquiry, at53(tree.resolver), question)
    expect(theirs.outcome).toBe('failure')
  })
})

describe('CAA', () => {
  test('of an alias into another zone, climbing from the alias', async () => {
    const inquiry = inquire()
    const steps = await findCaa(
      (question) => resolveFromZone(inquiry, question),
      'docs.signed.test',
    )
    expect(steps.map(({ name }) => name)).toEqual([
      'docs.signed.test',
      'edge.plain.test',
      'signed.test',
      'test',
    ])
    expect(steps.flatMap(({ records }) => records)).toEqual([])
  })

  test('of the closest name above', async () => {
    const inquiry = inquire()
    const steps = await findCaa((question) => resolveFromZone(inquiry, question), 'docs.plain.test')
    expect(steps.at(-1)).toMatchObject({
      name: 'plain.test',
      records: [{ tag: 'issue', value: 'ca.example; accounturi=https://ca.example/acct/1' }],
    })
  })

  test('a failure differs from an absent record', async () => {
    const inquiry = inquire()
    const steps = await findCaa(
      (question) => resolveFromZone(inquiry, question),
      'www.far.plain.test',
    )
    expect(steps).toEqual([
      { name: 'www.far.plain.test', isOurTarget: false, rcode: 'failure', records: [] },
    ])
  })
})
