// The lab's name server compared with dig: a table of questions, each over UDP and TCP.
import { createSocket } from 'node:dgram'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Fault, type NameServer, startNameServer } from '../../lab/dns/name-server.ts'
import { createZone, type RecordData, type ZoneRecord } from '../../lab/dns/zone.ts'
import { cases } from '../cases.ts'
import { dig } from './dig.ts'

const soa: RecordData = {
  type: 'SOA',
  primary: 'ns1.zoo.test',
  mailbox: 'hostmaster.zoo.test',
  serial: 7,
  minimumSeconds: 60,
}
const at = (name: string, data: RecordData, ttlSeconds = 300): ZoneRecord => ({
  name: name === '@' ? 'zoo.test' : `${name}.zoo.test`,
  ttlSeconds,
  ...data,
})
const a = (address: string): RecordData => ({ type: 'A', address })
const cname = (target: string): RecordData => ({ type: 'CNAME', target })
const ns = (target: string): RecordData => ({ type: 'NS', target })
const txt = (...strings: string[]): RecordData => ({ type: 'TXT', strings })

const zoo = createZone('zoo.test', [
  at('@', soa, 3600),
  at('@', ns('ns1.zoo.test')),
  at('@', ns('ns2.elsewhere.example')),
  at('@', { type: 'MX', preference: 10, target: 'mail.zoo.test' }),
  at('@', { type: 'CAA', flags: 0, tag: 'issue', value: 'ca.example' }),
  at('@', { type: 'CAA', flags: 128, tag: 'tbs', value: 'unknown' }),
  at('@', { type: 'ALIAS', target: 'host.example' }, 500),
  at('ns1', a('127.0.0.1')),
  at('service', {
    ...{ type: 'HTTPS', priority: 1, target: '' },
    parameters: 'ipv6hint=2001:db8::1 alpn=h2,h3 port=8443 ipv4hint=192.0.2.1,192.0.2.2',
  }),
  at('elsewhere', { type: 'HTTPS', priority: 0, target: 'host.example', parameters: '' }),
  at('www', a('192.0.2.1')),
  at('www', a('192.0.2.2')),
  at('www', { type: 'AAAA', address: '2001:db8::1' }),
  at('docs', cname('www.zoo.test')),
  at('far', cname('host.example')),
  at('gone', cname('nothing.zoo.test')),
  at('one', cname('two.zoo.test')),
  at('two', cname('docs.zoo.test')),
  at('loop', cname('pool.zoo.test')),
  at('pool', cname('loop.zoo.test')),
  at('into', cname('deep.child.zoo.test')),
  at('toalias', cname('aliased.zoo.test')),
  at('aliased', { type: 'ALIAS', target: 'host.example' }, 30),
  at('empty-alias', { type: 'ALIAS', target: 'nothing.example' }),
  at('broken-alias', { type: 'ALIAS', target: 'broken.example' }),
  at('a.b.c', txt('below an empty name')),
  at('text', txt('one', 'two "quoted"')),
  at('*.wild', a('192.0.2.9')),
  at('*.wild', txt('from the wildcard')),
  at('taken.wild', txt('not from the wildcard')),
  at('below.empty.wild', txt('makes empty.wild exist')),
  at('*.star', cname('www.zoo.test')),
  at('child', ns('ns1.child.zoo.test')),
  at('child', ns('ns2.elsewhere.example')),
  at('child', { type: 'DS', data: `00010d02${'ab'.repeat(32)}` }),
  at('ns1.child', a('127.0.0.9')),
  ...Array.from({ length: 40 }, (_, i) => at('big', txt(`${i} `.padEnd(60, 'x')))),
])
const negative = 'zoo.test 60 SOA ns1.zoo.test. hostmaster.zoo.test. 7 3600 600 1209600 60'
const www = ['www.zoo.test 300 A 192.0.2.1', 'www.zoo.test 300 A 192.0.2.2']
const childNs = [
  'child.zoo.test 300 NS ns1.child.zoo.test.',
  'child.zoo.test 300 NS ns2.elsewhere.example.',
]
const ds = `child.zoo.test 300 DS 1 13 2 ${'AB'.repeat(28)} ${'AB'.repeat(4)}`

interface Expected {
  head?: string
  answer?: string[]
  authority?: string[]
  additional?: string[]
}
const nothing: Expected = { authority: [negative] }
const noSuch: Expected = { head: 'NXDOMAIN aa', authority: [negative] }
const referral: Expected = {
  head: 'NOERROR',
  authority: childNs,
  additional: ['ns1.child.zoo.test 300 A 127.0.0.9'],
}

/** By the question: the answer, or what else is not `NOERROR aa` with empty sections. */
const table: Record<string, string[] | Expected> = {
  'www.zoo.test A': www,
  'WwW.zOO.tEst A': www.map((line) => line.replace('www.zoo.test', 'WwW.zOO.tEst')),
  'www.zoo.test AAAA': ['www.zoo.test 300 AAAA 2001:db8::1'],
  'www.zoo.test MX': nothing,
  'www.zoo.test HTTPS': nothing,
  'service.zoo.test HTTPS': [
    'service.zoo.test 300 HTTPS 1 . alpn="h2,h3" port=8443 ipv4hint=192.0.2.1,192.0.2.2 ipv6hint=2001:db8::1',
  ],
  'elsewhere.zoo.test TYPE65': ['elsewhere.zoo.test 300 HTTPS 0 host.example.'],
  'www.zoo.test TYPE4242': nothing,
  'zoo.test SOA': [negative.replace(' 60 SOA', ' 3600 SOA')],
  'zoo.test NS': {
    answer: ['zoo.test 300 NS ns1.zoo.test.', 'zoo.test 300 NS ns2.elsewhere.example.'],
    additional: ['ns1.zoo.test 300 A 127.0.0.1'],
  },
  'zoo.test MX': ['zoo.test 300 MX 10 mail.zoo.test.'],
  'zoo.test CAA': ['zoo.test 300 CAA 0 issue "ca.example"', 'zoo.test 300 CAA 128 tbs "unknown"'],
  'zoo.test DNSKEY': nothing,
  'zoo.test DS': nothing,
  'zoo.test CNAME': nothing,
  // ALIAS: the target's addresses, with the smaller TTL.
  'zoo.test A': ['zoo.test 200 A 192.0.2.77'],
  'zoo.test AAAA': nothing,
  'aliased.zoo.test A': ['aliased.zoo.test 30 A 192.0.2.77'],
  'aliased.zoo.test TXT': nothing,
  'empty-alias.zoo.test A': nothing,
  'broken-alias.zoo.test A': { head: 'SERVFAIL' },
  'toalias.zoo.test A': [
    'aliased.zoo.test 30 A 192.0.2.77',
    'toalias.zoo.test 300 CNAME aliased.zoo.test.',
  ],
  // CNAME
  'docs.zoo.test A': ['docs.zoo.test 300 CNAME www.zoo.test.', ...www],
  'docs.zoo.test CNAME': ['docs.zoo.test 300 CNAME www.zoo.test.'],
  'docs.zoo.test CAA': { answer: ['docs.zoo.test 300 CNAME www.zoo.test.'], authority: [negative] },
  'docs.zoo.test ANY': ['docs.zoo.test 300 CNAME www.zoo.test.'],
  'far.zoo.test A': ['far.zoo.test 300 CNAME host.example.'],
  'gone.zoo.test A': { ...noSuch, answer: ['gone.zoo.test 300 CNAME nothing.zoo.test.'] },
  'one.zoo.test A': [
    'docs.zoo.test 300 CNAME www.zoo.test.',
    'one.zoo.test 300 CNAME two.zoo.test.',
    'two.zoo.test 300 CNAME docs.zoo.test.',
    ...www,
  ],
  'loop.zoo.test A': [
    'loop.zoo.test 300 CNAME pool.zoo.test.',
    'pool.zoo.test 300 CNAME loop.zoo.test.',
  ],
  'into.zoo.test A': {
    ...referral,
    head: 'NOERROR aa',
    answer: ['into.zoo.test 300 CNAME deep.child.zoo.test.'],
  },
  // Missing names and empty non-terminals
  'nothing.zoo.test A': noSuch,
  'deeper.nothing.zoo.test TXT': noSuch,
  'x.www.zoo.test A': noSuch,
  'b.c.zoo.test TXT': nothing,
  'c.zoo.test A': nothing,
  'x.b.c.zoo.test A': noSuch,
  'a.b.c.zoo.test TXT': ['a.b.c.zoo.test 300 TXT "below an empty name"'],
  'text.zoo.test TXT': ['text.zoo.test 300 TXT "one" "two \\"quoted\\""'],
  // Wildcards (RFC 4592)
  'any.wild.zoo.test A': ['any.wild.zoo.test 300 A 192.0.2.9'],
  'a.deep.one.wild.zoo.test A': ['a.deep.one.wild.zoo.test 300 A 192.0.2.9'],
  'any.wild.zoo.test AAAA': nothing,
  'wild.zoo.test A': nothing,
  'taken.wild.zoo.test A': nothing,
  'below.taken.wild.zoo.test A': noSuch,
  'empty.wild.zoo.test A': nothing,
  'x.empty.wild.zoo.test A': noSuch,
  '*.wild.zoo.test A': ['*.wild.zoo.test 300 A 192.0.2.9'],
  'any.star.zoo.test A': ['any.star.zoo.test 300 CNAME www.zoo.test.', ...www],
  // Delegations
  'child.zoo.test A': referral,
  'child.zoo.test NS': referral,
  'x.y.child.zoo.test A': referral,
  'ns1.child.zoo.test A': referral,
  'child.zoo.test DS': [ds],
  'x.child.zoo.test A +dnssec': { ...referral, authority: [ds, ...childNs].sort() },
  // Names outside this server's zones
  'host.example A': { head: 'REFUSED' },
  'test NS': { head: 'REFUSED' },
  'www.zoo.test A CH': { head: 'REFUSED' },
  'www.zoo.test A +edns=1 +noednsnegotiation': { head: 'BADVERS' },
  'www.zoo.test A +opcode=UPDATE': { head: 'NOTIMP' },
  'www.zoo.test A +noedns': www,
  'www.zoo.test A +recurse': www,
}

let server: NameServer
beforeAll(async () => {
  server = await startNameServer(
    'ns1.zoo.test',
    { address: '127.0.0.1', port: 0 },
    async (target, type) =>
      target === 'broken.example'
        ? { rcode: 'SERVFAIL', addresses: [], ttlSeconds: 0 }
        : {
            rcode: 'NOERROR',
            addresses: target === 'host.example' && type === 'A' ? ['192.0.2.77'] : [],
            ttlSeconds: 200,
          },
  )
  server.zones.set('zoo.test', { read: () => zoo, fault: 'none' })
})
afterAll(() => server.close())

const ask = (words: string) => dig(server.address, server.port, words)

describe.each(['udp', 'tcp'])('over %s', (transport) => {
  // The messages are the same over TCP.
  const questions = Object.entries(table)
  test.each(transport === 'udp' ? questions : cases(questions, (_, index) => index % 8 === 0))(
    '%s',
    async (question, given) => {
      const expected: Expected = Array.isArray(given) ? { answer: given } : given
      const words = transport === 'tcp' ? `${question} +tcp` : `${question} +notcp`
      const { additional, answer, authority, head } = await ask(words)
      expect({ head, answer, authority, additional }).toEqual({
        head: 'NOERROR aa',
        answer: [],
        authority: [],
        additional: [],
        ...expected,
        ...(expected.answer && { answer: [...expected.answer].sort() }),
      })
    },
  )
})

test('an answer that is too long for UDP is truncated, and complete over TCP', async () => {
  expect(await ask('big.zoo.test TXT')).toMatchObject({ head: 'NOERROR aa tc', answer: [] })
  expect(await ask('big.zoo.test TXT +bufsize=4096')).toMatchObject({ head: 'NOERROR aa tc' })
  expect((await ask('big.zoo.test TXT +tcp')).answer).toHaveLength(40)
})

test('each fault is visible, only for its zone', async () => {
  const hosted = { read: () => zoo, fault: 'none' as Fault }
  server.zones.set('zoo.test', hosted)
  const head = async (words = 'www.zoo.test A'): Promise<string> =>
    (await ask(`${words} +time=1`).catch(() => ({ head: 'no answer' }))).head
  const heads: Record<string, string> = {}
  for (const fault of ['lame', 'refusing', 'servfail', 'tcp_only', 'slow', 'silent'] as const) {
    hosted.fault = fault
    heads[fault] = await head()
  }
  expect(heads).toEqual({
    lame: 'NOERROR',
    refusing: 'REFUSED',
    servfail: 'SERVFAIL',
    tcp_only: 'NOERROR aa tc',
    slow: 'NOERROR aa',
    silent: 'no answer',
  })
  hosted.fault = 'failing_caa'
  expect([await head('zoo.test CAA'), await head('zoo.test MX')]).toEqual([
    'SERVFAIL',
    'NOERROR aa',
  ])
  hosted.fault = 'tcp_only'
  expect(await head('www.zoo.test A +tcp')).toBe('NOERROR aa')
  hosted.fault = 'udp_only'
  expect([await head(), await head('www.zoo.test A +tcp')]).toEqual(['NOERROR aa tc', 'no answer'])
  hosted.fault = 'drops_edns'
  expect([await head(), await head('www.zoo.test A +noedns')]).toEqual(['no answer', 'NOERROR aa'])
  hosted.fault = 'none'
})

test('junk is refused or ignored, and the server keeps running', async () => {
  const socket = createSocket('udp4')
  onTestFinished(() => {
    socket.close()
  })
  const junk = fc.sample(fc.uint8Array({ maxLength: 300 }), { numRuns: 400, seed: 5 })
  // Cut off within the question: an incomplete name.
  const cutOff = Buffer.from('beef0100000100000000000003777777037a6f6f', 'hex')
  while (junk.length > 0) {
    // In small groups, because a full socket buffer drops datagrams.
    for (const bytes of junk.splice(0, 20)) socket.send(bytes, server.port, '127.0.0.1')
    const reply = await new Promise<Buffer>((resolve) => {
      socket.on('message', (bytes) => {
        if (bytes.readUInt16BE(0) === 0xbeef) resolve(bytes)
      })
      socket.send(cutOff, server.port, '127.0.0.1')
    })
    socket.removeAllListeners('message')
    expect(reply.readUInt16BE(2) & 15).toBe(1)
  }
  expect((await ask('www.zoo.test A')).head).toBe('NOERROR aa')
})
