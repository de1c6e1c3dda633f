// The tree climbing of RFC 8659 over given answers.
import { expect, test } from 'vitest'
import type { DnsRecord } from '../messages/exchange.ts'
import type { Resolution } from '../resolution/look-up.ts'
import { findCaa } from './find-caa.ts'

const record = (name: string): DnsRecord & { type: 'CAA' } => {
  return { name, ttlSeconds: 60, type: 'CAA', flags: 0, tag: 'issue', value: 'ca.example' }
}
const nothing: Resolution = {
  outcome: 'nothing',
  rcode: 'NOERROR',
  records: [],
  chain: [],
  end: '',
  fault: undefined,
  ttlSeconds: undefined,
}

/** Looks up this table; missing names have no records. */
function lookUpIn(table: Record<string, Partial<Resolution>>, asked: string[] = []) {
  return async ({ name }: { name: string }): Promise<Resolution> => {
    asked.push(name)
    return { ...nothing, end: name, ...table[name] }
  }
}

test('climbs up to the top-level domain, not to the root', async () => {
  const asked: string[] = []
  const steps = await findCaa(lookUpIn({}, asked), 'a.b.example')
  expect(asked).toEqual(['a.b.example', 'b.example', 'example'])
  expect(steps.map(({ rcode }) => rcode)).toEqual(['NOERROR', 'NOERROR', 'NOERROR'])
})

test('stops at the closest records', async () => {
  const found: Partial<Resolution> = { outcome: 'records', records: [record('b.example')] }
  const steps = await findCaa(lookUpIn({ 'b.example': found }), 'a.b.example')
  expect(steps.at(-1)).toMatchObject({ name: 'b.example', records: [record('b.example')] })
})

test('follows an alias to its target, but does not climb from the target', async () => {
  const asked: string[] = []
  const table = { 'a.example': { end: 'edge.platform.host' } }
  const steps = await findCaa(lookUpIn(table, asked), 'a.example')
  expect(asked).toEqual(['a.example', 'example'])
  expect(steps.map(({ name }) => name)).toEqual(['a.example', 'edge.platform.host', 'example'])
})

test('marks records at the platform host for the operator to fix', async () => {
  const records = [record('edge.host')]
  const table = { 'a.example': { outcome: 'records', end: 'edge.host', records } as const }
  const steps = await findCaa(lookUpIn(table), 'a.example', (name) => name === 'edge.host')
  expect(steps.at(-1)).toMatchObject({ name: 'edge.host', isOurTarget: true, records })
})

test.each([
  ['SERVFAIL', { outcome: 'failure', rcode: 'SERVFAIL' }, 'SERVFAIL'],
  ['no response', { outcome: 'failure', rcode: 'failure' }, 'failure'],
  ['a loop', { outcome: 'failure', rcode: 'NOERROR', fault: 'loop' }, 'failure'],
] as const)('%s ends the climb, and does not count as no records', async (_, found, rcode) => {
  const steps = await findCaa(lookUpIn({ 'b.example': found }), 'a.b.example')
  expect(steps).toHaveLength(2)
  expect(steps.at(-1)).toMatchObject({ name: 'b.example', rcode, records: [] })
})
