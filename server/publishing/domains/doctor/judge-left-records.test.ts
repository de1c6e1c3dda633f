import { describe, expect, it } from 'vitest'
import type { DnsRecord } from '../../dns/messages/exchange.ts'
import type { NameFacts } from '../../dns/name-servers/name-facts.ts'
import type { LeftRecordsFacts } from '../evidence/gather-left-records.ts'
import type { PlainRecord } from './diagnostic.ts'
import { judgeLeftRecords, stateOfAll, uncheckedRecord } from './judge-left-records.ts'

const host = 'docs.mossy.example'
const platform = 'docs.store.example'
const ttlSeconds = 300
const recordsOf = (facts: Partial<Record<'cname' | 'addresses' | 'others', DnsRecord[]>>) =>
  ({ kind: 'records', cname: [], addresses: [], others: [], ...facts }) satisfies NameFacts
const cname = (target: string) =>
  recordsOf({ cname: [{ name: host, type: 'CNAME', ttlSeconds, target }] })
const nothing: NameFacts = { kind: 'nothing', rcode: 'NXDOMAIN', negativeTtlSeconds: 60 }
const failure = (reason: (NameFacts & { kind: 'failure' })['reason']): NameFacts => ({
  kind: 'failure',
  reason,
})
const told = (value: string, type: PlainRecord['type'] = 'CNAME'): PlainRecord => ({
  ...{ name: host, type, value, ttlSeconds },
})

/** Facts of servers `ns1`, `ns2`…; two in a list are two addresses of one. */
function judge(
  records: PlainRecord[],
  servers: (NameFacts | NameFacts[])[],
  more: Partial<LeftRecordsFacts> & { isUnregistered?: boolean } = {},
) {
  const { isUnregistered = false, ...facts } = more
  const isPointer = records.some(({ type }) => type !== 'TXT')
  const seen = servers.flatMap((facts, i) =>
    [facts].flat().map((each, j) => ({
      server: { name: `ns${i + 1}`, address: `192.0.2.${10 * i + j}`, port: 53 },
      facts: each,
    })),
  )
  return judgeLeftRecords(
    records.map((record) => uncheckedRecord(record)),
    {
      at: 0,
      addresses: ['203.0.113.1'],
      targets: [{ target: platform, leadsTo: 'us' }],
      ...facts,
      names: [{ name: records[0]?.name ?? '', isPointer, isUnregistered, servers: seen }],
    },
  )
}

describe('a pointer that was told', () => {
  it('is deleted where every name server answers without it', () => {
    expect(judge([told(platform)], [nothing, cname('shop.elsewhere.example')])).toMatchObject([
      { state: 'deleted', detail: 'Not found at any of 2 name servers.' },
    ])
    expect(judge([told(platform)], [nothing])).toMatchObject([
      { detail: 'Not found at 1 name server.' },
    ])
  })

  it('is still there where one has it, and those that fail are named', () => {
    const [record] = judge([told(platform)], [cname(platform), failure('REFUSED'), nothing])
    expect(record).toMatchObject({
      state: 'present',
      detail: 'Still there at 1 of 3 name servers: ns1. ns2 refused the query.',
      servers: [
        { name: 'ns1', answer: 'present', state: 'ok' },
        { name: 'ns2', answer: 'unknown', state: 'refused' },
        { name: 'ns3', answer: 'deleted', state: 'ok' },
      ],
    })
  })

  it('is unknown where none has it, and some could not be asked', () => {
    expect(
      judge([told(platform)], [failure('timeout'), failure('timeout'), failure('lame')])[0],
    ).toMatchObject({
      state: 'unknown',
      detail: 'ns1 and ns2 did not respond. ns3 did not answer with authority for the zone.',
    })
    expect(judge([told(platform)], [])[0]).toMatchObject({
      state: 'unknown',
      detail: 'The name servers of its zone could not be found.',
    })
    expect(judge([told(platform)], [], { isUnregistered: true })[0]).toMatchObject({
      state: 'deleted',
    })
  })

  it('counts an address for which no queries were left only if its name server has no other', () => {
    const both = judge([told(platform)], [[nothing, failure('not-asked')]])
    expect(both).toMatchObject([{ state: 'deleted', servers: [{ name: 'ns1' }] }])
    expect(judge([told(platform)], [failure('not-asked'), nothing])).toMatchObject([
      { state: 'unknown', detail: expect.stringContaining('ns1 could not be asked in time.') },
    ])
  })

  it('stays when it is not known where its target leads, unlike another one', () => {
    const alias = 'edge.mossy.example'
    const targets = [{ target: alias, leadsTo: 'unknown' as const }]
    const seen = judge([told(alias)], [cname(alias)], { targets })
    expect(seen).toMatchObject([{ state: 'present' }])
    const other = judge([told(platform)], [cname(alias)], { targets })
    expect(other).toMatchObject([{ value: platform, state: 'deleted' }])
  })

  it('is listed with others that lead to us, bounded', () => {
    const address = (last: number): DnsRecord => ({
      ...{ name: host, type: 'A', ttlSeconds, address: `203.0.113.${last}` },
    })
    const addresses = Array.from({ length: 40 }, (_, i) => `203.0.113.${i}`)
    const many = recordsOf({ addresses: addresses.map((_, i) => address(i)) })
    const judged = judge([told(platform)], [many], { addresses })
    expect(judged).toHaveLength(12)
    expect(judged.map(({ state }) => state)).toEqual(['deleted', ...Array(11).fill('present')])
    expect(judge([told(platform)], [many])).toMatchObject([
      { state: 'deleted' },
      { type: 'A', value: '203.0.113.1', state: 'present' },
    ])
  })
})

it('takes the most urgent state for all', () => {
  const states = (...all: ('present' | 'unchecked' | 'unknown' | 'deleted')[]) =>
    stateOfAll(all.map((state) => ({ state })))
  expect(states('deleted', 'unknown', 'present')).toBe('present')
  expect(states('deleted', 'unknown', 'unchecked')).toBe('unchecked')
  expect(states('deleted', 'unknown')).toBe('unknown')
  expect(states('deleted', 'deleted')).toBe('deleted')
})
