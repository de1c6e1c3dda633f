// Whole messages are parsed as dns-packet wrote them, and no bytes cause an exception, an endless loop or an
// invalid name.
import packet, { type Packet } from 'dns-packet'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../test/cases.ts'
import { writeName } from './dns-name.ts'
import { readMessage } from './read-message.ts'

const records = [
  { name: 'A.Example', type: 'A', ttl: 60, data: '192.0.2.1' },
  { name: 'a.example', type: 'AAAA', ttl: 60, data: '2001:db8::1:0:0:5' },
  { name: 'a.example', type: 'CNAME', ttl: 60, data: 'Target.example' },
  { name: 'a.example', type: 'MX', ttl: 60, data: { preference: 10, exchange: 'mx.example' } },
  { name: 'a.example', type: 'TXT', ttl: 60, data: [Buffer.from('one'), Buffer.of(0xff, 0x5c)] },
  { name: 'a.example', type: 'CAA', ttl: 60, data: { flags: 128, tag: 'issue', value: ';' } },
  { name: 'a.example', type: 'SRV', ttl: 60, data: { port: 5, target: 's.example' } },
  {
    name: 'example',
    type: 'SOA',
    ttl: 60,
    data: { mname: 'ns.example', rname: 'me.example', serial: 7, minimum: 300 },
  },
]

function message(more: Partial<Packet> = {}, answers: unknown[] = records): Buffer {
  return packet.encode({
    type: 'response',
    id: 7,
    flags: packet.AUTHORITATIVE_ANSWER,
    questions: [{ name: 'a.example', type: 'A' }],
    answers: answers as NonNullable<Packet['answers']>,
    ...more,
  })
}

/** A message with one record of the given bytes. */
function raw(
  type: number,
  name: Buffer,
  data: Buffer,
  more: { ttl?: number; class?: number } = {},
) {
  const header = Buffer.alloc(12)
  header.writeUInt16BE(0x8400, 2)
  header.writeUInt16BE(1, 6)
  const head = Buffer.alloc(10)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(more.class ?? 1, 2)
  head.writeUInt32BE(more.ttl ?? 60, 4)
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([header, name, head, data])
}

const name = (text: string) => writeName(text) ?? Buffer.alloc(0)

test('parses messages from dns-packet', () => {
  const base = { name: 'a.example', ttlSeconds: 60 }
  expect(readMessage(message())).toMatchObject({
    id: 7,
    isResponse: true,
    response: { rcode: 'NOERROR', isAuthoritative: true, isTruncated: false },
  })
  expect(readMessage(message())?.response.answers).toEqual([
    { ...base, type: 'A', address: '192.0.2.1' },
    { ...base, type: 'AAAA', address: '2001:db8::1:0:0:5' },
    { ...base, type: 'CNAME', target: 'target.example' },
    { ...base, type: 'MX', preference: 10, target: 'mx.example' },
    { ...base, type: 'TXT', strings: ['one', '\\255\\092'] },
    { ...base, type: 'CAA', flags: 128, tag: 'issue', value: ';' },
    { ...base, type: 'TYPE33', data: '0000000000050173076578616d706c6500' },
    {
      name: 'example',
      ttlSeconds: 60,
      type: 'SOA',
      primary: 'ns.example',
      mailbox: 'me.example',
      serial: 7,
      minimumSeconds: 300,
    },
  ])
})

test.each([
  ['::', '::'],
  ['::1', '::1'],
  ['1::', '1::'],
  ['1:0:0:2::3', '1:0:0:2::3'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['1:0:0:2:0:0:3:4', '1::2:0:0:3:4'],
])('the address %s in the form of RFC 5952', (data, address) => {
  const bytes = message({}, [{ name: 'a.example', type: 'AAAA', data }])
  expect(readMessage(bytes)?.response.answers).toMatchObject([{ address }])
})

test('parses extended response codes and extended errors', () => {
  const option = { code: 15, data: Buffer.from('\0\x09why\0') }
  const opt = { type: 'OPT', name: '.', extendedRcode: 1, options: [option] }
  const bytes = message({ additionals: [opt] as never })
  expect(readMessage(bytes)).toMatchObject({
    hasEdns: true,
    response: { rcode: 'RCODE16', extendedErrors: [{ code: 9, text: 'why' }], additionals: [] },
  })
})

test('escapes unusual bytes in names, so that dots only separate labels', () => {
  const odd = Buffer.from('\x05a.b\\\xff\x01c\0', 'latin1')
  const [record] = readMessage(raw(2, odd, odd))?.response.answers ?? []
  const text = 'a\\046b\\092\\255.c'
  expect(record).toMatchObject({ name: text, target: text })
  expect(writeName(text)).toEqual(odd)
})

test('treats a TTL with the highest bit as zero, and ignores other classes', () => {
  const data = Buffer.of(192, 0, 2, 1)
  const read = readMessage(raw(1, name('a'), data, { ttl: 0x8000_0000 }))
  expect(read?.response.answers).toMatchObject([{ ttlSeconds: 0 }])
  expect(readMessage(raw(1, name('a'), data, { class: 3 }))?.response.answers).toEqual([])
})

const long = Buffer.concat([...Array(4).fill(Buffer.from(`\x3f${'x'.repeat(63)}`)), Buffer.of(0)])
test.each([
  ['an address of five bytes', raw(1, name('a'), Buffer.alloc(5))],
  ['an IPv6 address of four', raw(28, name('a'), Buffer.alloc(4))],
  ['a name that ends before its data', raw(5, name('a'), Buffer.from('\x01b\0xx'))],
  ['a name that ends after its data', raw(5, name('a'), Buffer.from('\x05b'))],
  ['a name of 257 bytes', raw(1, long, Buffer.alloc(4))],
  ['a label of 64', raw(1, Buffer.from(`\x40${'x'.repeat(64)}\0`), Buffer.alloc(4))],
  ['a pointer to itself', raw(1, Buffer.of(0xc0, 12), Buffer.alloc(4))],
  ['a pointer forward', raw(1, Buffer.of(0xc0, 200), Buffer.alloc(4))],
  ['a string longer than its record', raw(16, name('a'), Buffer.from('\x09abc'))],
  ['CAA without a tag', raw(257, name('a'), Buffer.from('\0\0value'))],
  ['CAA with a tag longer than its data', raw(257, name('a'), Buffer.from('\0\x20issue'))],
  ['SOA without its numbers', raw(6, name('a'), Buffer.from('\0\0abc'))],
  ['a truncated record', raw(1, name('a'), Buffer.alloc(4)).subarray(0, -1)],
  ['a header without the declared records', Buffer.from('000084000000ffffffffffff', 'hex')],
  ['eleven bytes', Buffer.alloc(11)],
  ['64 KiB and more', Buffer.alloc(65_536)],
])('%s is no message', (_, bytes) => {
  expect(readMessage(bytes)).toBeUndefined()
})

test('returns the complete records of a truncated message', () => {
  const bytes = message({ flags: packet.TRUNCATED_RESPONSE }).subarray(0, 60)
  expect(readMessage(bytes)?.response).toMatchObject({
    isTruncated: true,
    answers: [{ type: 'A' }],
  })
})

test('reads at most 500 records', () => {
  const many = (count: number) => readMessage(message({}, Array(count).fill(records[0])))
  expect(many(500)?.response.answers).toHaveLength(500)
  expect(many(501)).toBeUndefined()
})

test('parses long chains of pointers quickly', () => {
  const chain = Buffer.alloc(60_000)
  chain.writeUInt16BE(0x8400, 2)
  chain.writeUInt16BE(400, 6)
  for (let at = 14; at + 2 < chain.length; at += 2) chain.writeUInt16BE(0xc000 | (at - 2), at)
  const start = performance.now()
  readMessage(chain)
  expect(performance.now() - start).toBeLessThan(100)
})

const numRuns = runs(3000)

test('random bytes never throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      expectSound(Buffer.from(bytes))
    }),
    { numRuns },
  )
})

test('mutated messages never throw, and parsed results are valid', () => {
  const whole = message()
  const change = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) })
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 1, maxLength: 8 }),
      fc.nat(whole.length),
      fc.boolean(),
      (changes, end, isCut) => {
        const bytes = Buffer.from(whole)
        for (const { at, byte } of changes) bytes[at] = byte
        expectSound(isCut ? bytes.subarray(0, end) : bytes)
      },
    ),
    { numRuns },
  )
})

test('encodes and decodes names', () => {
  const label = fc.uint8Array({ minLength: 1, maxLength: 63 })
  fc.assert(
    fc.property(fc.array(label, { maxLength: 6 }), (labels) => {
      const wire = Buffer.concat([
        ...labels.flatMap((bytes) => [Buffer.of(bytes.length), Buffer.from(bytes)]),
        Buffer.of(0),
      ])
      const [record] = readMessage(raw(2, wire, wire))?.response.answers ?? []
      if (wire.length > 255) expect(record).toBeUndefined()
      else expect(writeName(record?.name ?? '?')).toEqual(lowerCase(wire))
    }),
    { numRuns: Math.min(numRuns, 1000) },
  )
})

function expectSound(bytes: Buffer): void {
  const read = readMessage(bytes)
  if (!read) return
  const { answers, authorities, additionals } = read.response
  const all = [...answers, ...authorities, ...additionals]
  expect(all.length).toBeLessThanOrEqual(500)
  for (const record of all) expect(writeName(record.name)).toBeDefined()
}

function lowerCase(bytes: Buffer): Buffer {
  const lower = Buffer.from(bytes)
  let end = 0
  for (const [at, byte] of bytes.entries()) {
    if (at === end) end = at + byte + 1
    else if (byte >= 0x41 && byte <= 0x5a) lower[at] = byte + 0x20
  }
  return lower
}
