import { describe, expect, it } from 'vitest'
import { a, cname, evidence, facts, nothing, ourAddress, target } from './evidence-in-test.ts'
import { applyPlannedRecords, readPlan } from './plan-records.ts'
import { judge } from './rules/judge.ts'

const zone = 'example.com'
const host = `docs.${zone}`
const empty = evidence().holding(nothing)
const apexEmpty = evidence({ host: 'example.com' }).holding(nothing)
const occupied = evidence().holding(facts(a(host, '192.0.2.1')))

describe('readPlan', () => {
  const record = (name: string, type: string, data: object, ttlSeconds = 3600) => ({
    ...{ name, ttlSeconds, type },
    ...data,
  })
  const records = (text: string) => readPlan(text, zone).records
  it.each([
    ['docs 300 IN CNAME docs.animals.example.', record(host, 'CNAME', { target }, 300)],
    ['docs IN 1h cname x', record(host, 'CNAME', { target: 'x.example.com' })],
    ['docs.example.com. A 192.0.2.1 ; old', record(host, 'A', { address: '192.0.2.1' })],
    ['@ ANAME docs.animals.example.', record(zone, 'ALIAS', { target })],
    ['@ TXT "a;b" "c\\"d"', record(zone, 'TXT', { strings: ['a;b', 'c"d'] })],
    ['@ MX 10 mail', record(zone, 'MX', { preference: 10, target: 'mail.example.com' })],
    [
      '@ CAA 0 issue "a.example; x=1"',
      record(zone, 'CAA', { flags: 0, tag: 'issue', value: 'a.example; x=1' }),
    ],
    ['$TTL 60\ndocs AAAA 2001:DB8::1', record(host, 'AAAA', { address: '2001:db8::1' }, 60)],
    [
      '[{"name":"docs","type":"CNAME","value":"docs.animals.example.","ttl":60}]',
      record(host, 'CNAME', { target }, 60),
    ],
    [
      '{"name":"docs","type":"TXT","value":"a \\"b\\""}',
      record(host, 'TXT', { strings: ['a "b"'] }),
    ],
  ])('reads %s', (text, expected) => {
    expect(readPlan(text, zone).problems).toEqual([])
    expect(records(text)).toEqual([expected])
  })

  it('uses the name of the previous line, and another origin', () => {
    const text = '$ORIGIN sub.example.com.\nx A 192.0.2.1\n  A 192.0.2.2\n; a comment\n\n'
    expect(records(text).map(({ name }) => name)).toEqual([
      'x.sub.example.com',
      'x.sub.example.com',
    ])
  })

  it.each([
    ['docs A 1.2.3', /Line 1: "1\.2\.3" is not an IPv4 address/],
    ['docs SRV 1 2 3 x', /Line 1: "SRV" is not a type that can be planned/],
    ['docs', /Line 1: "" is not a type/],
    ['\ndo!cs A 192.0.2.1', /Line 2: "do!cs\.example\.com" is not a name/],
    ['docs CNAME a b', /Line 1: CNAME takes one value/],
    ['@ TXT "a', /Line 1: A quote has no end/],
    ['@ CAA 0 issue', /Line 1: CAA takes flags/],
    ['[{"name":"docs"}]', /Record 1: name, type and value are required/],
    ['[{', /not valid JSON/],
    ['x A 192.0.2.1\n'.repeat(300), /at most 200 lines/],
  ])('does not pass over %s', (text, problem) => {
    expect(readPlan(text, zone).problems[0]).toMatch(problem)
  })
})

describe('applyPlannedRecords', () => {
  const judged = (given: typeof empty, text: string) => {
    const { evidence, problems } = applyPlannedRecords(given.evidence, readPlan(text, zone))
    const { diagnostics, result } = judge(evidence)
    return { codes: diagnostics.map(({ code }) => code), result, problems }
  }

  const us = 'CNAME docs.animals.example.'
  it.each([
    ['the right record', empty, `docs ${us}`, [], 'ok'],
    [
      'a value without its trailing dot',
      empty,
      'docs CNAME docs.animals.example',
      ['D06'],
      'wrong_target',
    ],
    ['a wrong value', empty, 'docs CNAME docs.animal.example.', ['D12'], 'wrong_target'],
    ['a conflicting existing record', occupied, `docs ${us}`, ['D11'], 'conflict'],
    ['the conflicting record deleted', occupied, `- docs A\ndocs ${us}`, [], 'ok'],
    ['all records deleted', occupied, '- docs A', ['D07'], 'missing'],
    ['ALIAS at the top', apexEmpty, '@ ALIAS docs.animals.example.', ['D16'], 'ok'],
    ['a CNAME at the top', apexEmpty, '@ CNAME docs.animals.example.', ['D15'], 'conflict'],
    ['an unrelated name', empty, 'other A 192.0.2.1', ['D07'], 'missing'],
    ['a circle', empty, 'docs CNAME x\nx CNAME docs', ['D14'], 'wrong_target'],
    ['a chain', empty, 'docs CNAME x\nx CNAME docs.animals.example.', ['D13'], 'ok'],
  ] as const)('judges %s', (_, given, text, codes, result) => {
    expect(judged(given, text)).toEqual({ codes, result, problems: [] })
  })

  it('replaces addresses by ALIAS, and reports an ALIAS that points elsewhere', () => {
    const old = evidence({ host: 'example.com' })
      .holding(facts(a('example.com', '192.0.2.1'), a('example.com', '2001:db8::99')))
      .platform({ addresses: [ourAddress] })
    expect(judged(old, '@ ALIAS docs.animals.example.').codes).toEqual(['D16'])
    expect(judged(apexEmpty, '@ ALIAS x.example.').problems).toEqual([
      'The ALIAS of example.com points to x.example; it must point to exactly docs.animals.example.',
    ])
  })

  it('judges planned CAA', () => {
    const given = evidence().with({
      caa: [{ name: 'example.com', isOurTarget: false, rcode: 'NOERROR', records: [] }],
    })
    expect(judged(given, '@ CAA 0 issue ";"').codes).toEqual(['C02'])
  })

  it('does not change the given evidence', () => {
    const before = structuredClone(occupied.evidence)
    const { evidence: laid } = applyPlannedRecords(occupied.evidence, readPlan('- docs A', zone))
    expect(occupied.evidence).toEqual(before)
    expect(laid.resolver).toBeUndefined()
  })

  it('adds no facts for a server that failed', () => {
    const { evidence: given } = evidence()
      .holding({ kind: 'failure', reason: 'timeout' })
      .with({ resolver: undefined })
    const plan = { records: [cname(host, target)], removed: [], problems: [] }
    expect(judge(applyPlannedRecords(given, plan).evidence).result).toBe('unknown')
  })
})
