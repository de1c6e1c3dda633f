// One question to servers that misbehave: what is accepted, what is ignored, and how long it takes.
import { expect, test } from 'vitest'
import type { ServerAddress } from '#dns/messages/exchange.ts'
import { ask } from '#dns/queries/ask.ts'
import { createDnsNetwork } from '#dns/queries/dns-network.ts'
import { type InquiryOptions, startInquiry } from '#dns/queries/inquiry.ts'
import { startTestServer, type TestScript } from './test-server.ts'

const question = { name: 'www.example.test', type: 'A' } as const
const answers = [{ name: 'www.example.test', type: 'A', ttl: 60, data: '192.0.2.7' }] as const
const good = { answers: [...answers] }
const lie = { answers: [{ ...answers[0], data: '192.0.2.66' }] }

const serve = (script: TestScript, address = '127.0.0.1') => startTestServer(address, script)

function inquiryFor(allowed: ServerAddress[], options: Partial<InquiryOptions> = {}) {
  const network = createDnsNetwork({
    roots: [],
    hasIpv6: true,
    allow: allowed.map(({ address, port }) =>
      address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`,
    ),
  })
  const timeoutsMs: [number, number] = [60, 80]
  return startInquiry({ network, clock: () => 1_700_000_000_000, timeoutsMs, ...options })
}

test('an answer over UDP, recorded', async () => {
  const server = await serve(() => good)
  const inquiry = inquiryFor([server])
  const exchange = await ask(inquiry, server, question)
  expect(exchange).toMatchObject({
    transport: 'udp',
    at: 1_700_000_000_000,
    response: {
      rcode: 'NOERROR',
      isAuthoritative: true,
      answers: [{ name: 'www.example.test', type: 'A', ttlSeconds: 60, address: '192.0.2.7' }],
    },
  })
  expect(inquiry.exchanges).toEqual([exchange])
  expect(inquiry.queries).toBe(1)
})

test('IPv6', async () => {
  const server = await serve(() => good, '::1')
  expect((await ask(inquiryFor([server]), server, question)).response?.rcode).toBe('NOERROR')
})

test.each([
  ['another id', { ...lie, id: 'wrong' as const }],
  ['another question', { ...lie, question: { name: 'www.example.org', type: 'A' } }],
  ['the question in another case', { ...lie, question: { name: 'WWW.example.test', type: 'A' } }],
  ['another source', { ...lie, source: 'other' as const }],
  ['the flag of a query', { ...lie, kind: 'query' as const }],
  ['junk', { bytes: Buffer.from('junk') }],
  ['no question and an answer', { ...lie, question: 'none' as const }],
])('a forged answer with %s is ignored', async (_, forged) => {
  const server = await serve(() => ({ ...good, before: [forged] }))
  const exchange = await ask(inquiryFor([server]), server, question)
  expect(exchange.response?.answers).toMatchObject([{ address: '192.0.2.7' }])
})

type Said = ReturnType<TestScript>
const tcpAfter = (udp: Said, tcp: Said): TestScript => {
  return ({ transport }) => (transport === 'udp' ? udp : tcp)
}
const noDnskey = { code: 9, text: 'no DNSKEY' }
test.each<[string, TestScript, object]>([
  ['only junk is malformed', () => ({ bytes: Buffer.alloc(12) }), { failure: 'malformed' }],
  [
    'an error without the question is an answer',
    () => ({ rcode: 5, question: 'none', isAuthoritative: false }),
    { response: { rcode: 'REFUSED' } },
  ],
  [
    'truncated, and TCP closed: unknown',
    tcpAfter({ isTruncated: true }, 'closed'),
    { transport: 'tcp', failure: 'malformed' },
  ],
  [
    'TCP is used when UDP does not respond',
    tcpAfter('silent', good),
    { transport: 'tcp', response: { rcode: 'NOERROR' } },
  ],
  [
    'extended DNS errors are read',
    () => ({ rcode: 2, extendedError: noDnskey }),
    { response: { rcode: 'SERVFAIL', extendedErrors: [noDnskey] } },
  ],
])('%s', async (_, script, expected) => {
  const server = await serve(script)
  expect(await ask(inquiryFor([server]), server, question)).toMatchObject(expected)
})

test('a truncated answer is repeated over TCP', async () => {
  const server = await serve(tcpAfter({ isTruncated: true }, good))
  const inquiry = inquiryFor([server])
  const exchange = await ask(inquiry, server, question)
  expect(exchange).toMatchObject({ transport: 'tcp', response: { answers: [{}] } })
  expect(inquiry.exchanges.map(({ transport }) => transport)).toEqual(['udp', 'tcp'])
  expect(inquiry.queries).toBe(1)
})

test('truncated, and TCP silent: short answers of the server count, and TCP is awaited once', async () => {
  const long = { name: 'long.test', type: 'TXT' } as const
  const server = await serve(({ name, transport }) => {
    if (transport === 'tcp') return 'silent'
    return name === long.name ? { isTruncated: true } : good
  })
  const inquiry = inquiryFor([server])
  expect(await ask(inquiry, server, long)).toMatchObject({ transport: 'tcp', failure: 'timeout' })
  expect((await ask(inquiry, server, question)).response?.answers).toHaveLength(1)
  const again = await ask(inquiry, server, { ...long, type: 'MX' })
  expect(again).toMatchObject({ transport: 'tcp', failure: 'timeout', ms: 0 })
})

test('a server that drops EDNS has no answer, and the exchanges show why', async () => {
  const server = await serve(({ hasEdns }) => (hasEdns ? 'silent' : good))
  const inquiry = inquiryFor([server], { timeoutsMs: [60, 400] })
  expect((await ask(inquiry, server, question)).failure).toBe('timeout')
  const answered = inquiry.exchanges.filter(({ response }) => response)
  expect(answered).toMatchObject([{ withoutEdns: true, transport: 'udp' }])
  expect(inquiry.queries).toBe(1)
})

test('a lost datagram is sent again', async () => {
  let count = 0
  const server = await serve(({ transport }) => {
    if (transport === 'tcp') return 'silent'
    count += 1
    return count === 1 ? 'silent' : good
  })
  const inquiry = inquiryFor([server], { timeoutsMs: [60, 2000] })
  expect(await ask(inquiry, server, question)).toMatchObject({ transport: 'udp', response: {} })
})

test('a server without a response is awaited only once', async () => {
  const server = await serve(() => 'silent')
  const inquiry = inquiryFor([server])
  expect((await ask(inquiry, server, question)).failure).toBe('timeout')
  const sent = server.queries.length
  const again = await ask(inquiry, server, { name: 'other.test', type: 'A' })
  expect(again).toMatchObject({ failure: 'timeout', ms: 0 })
  expect(server.queries.length).toBe(sent)
})

test('a server that drops one type is asked for others', async () => {
  const server = await serve(({ type }) => (type === 'AAAA' ? 'silent' : good))
  const inquiry = inquiryFor([server])
  await ask(inquiry, server, question)
  for (const name of ['good.test', 'other.test'])
    expect((await ask(inquiry, server, { name, type: 'AAAA' })).failure).toBe('timeout')
  const dropped = new Set(server.queries.flatMap((q) => (q.type === 'AAAA' ? [q.name] : [])))
  expect([...dropped]).toEqual(['good.test'])
  expect(await ask(inquiry, server, { name: 'other.test', type: 'A' })).toHaveProperty('response')
})

test('a closed port is detected at once', async () => {
  const server = await startTestServer('127.0.0.1', () => good)
  await server.close()
  const inquiry = inquiryFor([server], { timeoutsMs: [10_000, 10_000] })
  expect((await ask(inquiry, server, question)).failure).toBe('refused-connection')
})

test('a server without EDNS is asked without it', async () => {
  const server = await serve(({ hasEdns }) => (hasEdns ? { rcode: 1 } : good))
  const exchange = await ask(inquiryFor([server]), server, question)
  expect(exchange.response?.answers).toHaveLength(1)
  expect(server.queries.map(({ hasEdns }) => hasEdns)).toEqual([true, false])
})

test('the same question is sent only once', async () => {
  const server = await serve(() => good)
  const inquiry = inquiryFor([server])
  const both = await Promise.all([ask(inquiry, server, question), ask(inquiry, server, question)])
  expect(both[0]).toEqual(both[1])
  expect(server.queries).toHaveLength(1)
})

test('no query is sent above the maximum', async () => {
  const server = await serve(() => good)
  const inquiry = inquiryFor([server], { maxQueries: 2 })
  const names = ['a.test', 'b.test', 'c.test']
  const exchanges = await Promise.all(
    names.map((name) => ask(inquiry, server, { name, type: 'A' })),
  )
  expect(exchanges.map(({ failure }) => failure)).toEqual([undefined, undefined, 'not-asked'])
  expect(server.queries).toHaveLength(2)
  expect(inquiry).toMatchObject({ queries: 2, isCutShort: true })
})

test('an abort ends the question', async () => {
  const giveUp = new AbortController()
  const server = await serve(() => {
    giveUp.abort()
    return 'silent'
  })
  const timeoutsMs: [number, number] = [60_000, 60_000]
  const inquiry = inquiryFor([server], { signal: giveUp.signal, timeoutsMs })
  expect((await ask(inquiry, server, question)).failure).toBe('cancelled')
  expect(inquiry.isCutShort).toBe(true)
})

test('private addresses and other ports are asked only if they are allowed', async () => {
  const server = await serve(() => good)
  const inquiry = inquiryFor([])
  expect((await ask(inquiry, server, question)).failure).toBe('not-asked')
  const wrongPort = inquiryFor([{ ...server, port: server.port + 1 }])
  expect((await ask(wrongPort, server, question)).failure).toBe('not-asked')
  expect(server.queries).toEqual([])
  expect(inquiry.network.portOf('8.8.8.8')).toBe(53)
  expect(inquiry.network.portOf('169.254.169.254')).toBeUndefined()
  expect(inquiry.network.portOf('::ffff:8.8.8.8')).toBeUndefined()
})

test('ids and ports are random for each query', async () => {
  const server = await serve(() => good)
  const inquiry = inquiryFor([server])
  const names = Array.from({ length: 20 }, (_, index) => `n${index}.test`)
  await Promise.all(names.map((name) => ask(inquiry, server, { name, type: 'A' })))
  expect(new Set(server.queries.map(({ id }) => id)).size).toBeGreaterThan(15)
  // A query that is late on a busy machine is sent again.
  expect(new Set(server.queries.map(({ port }) => port)).size).toBeGreaterThanOrEqual(20)
})
