// The handshake: which certificate is shown, which clients are refused and with what, and bytes that are not a
// handshake.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Duplex } from 'node:stream'
import { getCiphers } from 'node:tls'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Handler } from '#kit/http/listener/intake.ts'
import { eventually } from '../eventually.ts'
import { listenOnFreePort } from '../listen.ts'
import { ask, closed, handshakeFault, openTcp, openTls, readAll } from './clients.ts'
import { certificatesFor, type Edge, edgeForTest } from './started-edge.ts'

const pems = certificatesFor('a.test', 'b.test', 'new.test')
const [a, b] = [pems['a.test'], pems['b.test']] as [Pem, Pem]
type Pem = { chain: string; key: string }

const hello: Handler = ({ head }, response) => {
  response.writeHead(200, ['Content-Length', '5'])
  response.end(head.host?.slice(0, 5))
}
const unrecognized = 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME'

/** Until the end of the test, the clock of time-outs is ahead. */
function passMs(ms: number): void {
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + ms)
  onTestFinished(() => clock.mockRestore())
}

let edge: Edge
beforeEach(async () => {
  edge = await edgeForTest(hello, { 'a.test': a, 'b.test': b })
})

describe('certificates', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)('each host has its own on %s', async (version) => {
    for (const [host, pem] of [
      ['a.test', a],
      ['b.test', b],
    ] as const) {
      const options = { minVersion: version, maxVersion: version } as const
      const socket = await openTls(edge.port, host, pem.chain, options)
      expect(socket.getPeerCertificate().subject.CN).toBe(host)
      expect(socket.getProtocol()).toBe(version)
    }
  })

  it('TLS 1.2 has ciphers with ECDHE and authenticated encryption only', async () => {
    const accepted: string[] = []
    const names = getCiphers().filter((name) => !name.startsWith('tls_'))
    for (const cipher of names.map((name) => name.toUpperCase())) {
      const options = { maxVersion: 'TLSv1.2', ciphers: `${cipher}:@SECLEVEL=0` } as const
      const fault = await handshakeFault(edge.port, 'a.test', options)
      if (fault === 'none') accepted.push(cipher)
    }
    // For the key of this certificate.
    expect(accepted.sort()).toEqual([
      'ECDHE-ECDSA-AES128-GCM-SHA256',
      'ECDHE-ECDSA-AES256-GCM-SHA384',
      'ECDHE-ECDSA-CHACHA20-POLY1305',
    ])
  })

  it('the name is accepted in any case and with a trailing dot', async () => {
    const socket = await openTls(edge.port, 'A.Test', a.chain, {
      checkServerIdentity: () => undefined,
    })
    expect(socket.getPeerCertificate().subject.CN).toBe('a.test')
  })

  it('are loaded once for concurrent handshakes, and then cached', async () => {
    await Promise.all(Array.from({ length: 20 }, () => openTls(edge.port, 'a.test', a.chain)))
    await ask(edge.port, 'a.test', a.chain)
    expect(edge.directory.loaded).toBe(1)
  })

  it('a new one is shown from the next handshake on, and open connections stay open', async () => {
    const before = await openTls(edge.port, 'a.test', a.chain)
    edge.directory.show('a.test', 'a2', pems['new.test'] as Pem)
    const options = { checkServerIdentity: () => undefined }
    const after = await openTls(edge.port, 'a.test', pems['new.test']?.chain ?? '', options)
    expect(after.getPeerCertificate().subject.CN).toBe('new.test')
    before.write('GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n')
    expect(await readAll(before)).toMatch(/^HTTP\/1.1 200/)
  })

  it('the least recently used ones are evicted, and loaded again when needed', async () => {
    const small = await edgeForTest(hello, pems, { limits: { certificates: 2 } })
    const loadedAfter = async (host: string) => {
      await ask(small.port, host, pems[host]?.chain ?? '')
      return small.directory.loaded
    }
    expect(await loadedAfter('a.test')).toBe(1)
    expect(await loadedAfter('b.test')).toBe(2)
    expect(await loadedAfter('a.test')).toBe(2)
    expect(await loadedAfter('new.test')).toBe(3)
    expect(await loadedAfter('a.test')).toBe(3)
    expect(await loadedAfter('b.test')).toBe(4)
  })

  it('may be evicted by each other in the middle of their handshakes and connections', async () => {
    const small = await edgeForTest(hello, pems, { limits: { certificates: 1 } })
    const hosts = Object.keys(pems)
    const caOf = (host: string): string => pems[host]?.chain ?? ''
    const before = await openTls(small.port, 'a.test', a.chain)
    const many = Array.from({ length: 30 }, (_, n) => hosts[n % hosts.length] as string)
    const answers = await Promise.all(many.map((host) => ask(small.port, host, caOf(host))))
    expect(answers.map(({ status }) => status)).toEqual(many.map(() => 200))
    expect(small.directory.loaded).toBeGreaterThan(hosts.length)
    before.write('GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n')
    expect(await readAll(before)).toMatch(/^HTTP\/1.1 200/)
  })

  it('one that cannot be loaded fails this handshake, and is retried at the next', async () => {
    edge.directory.show('c.test', 'c1', { chain: 'nonsense', key: 'nonsense' })
    expect(await handshakeFault(edge.port, 'c.test')).toBe('ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR')
    edge.directory.show('c.test', 'c1', a)
    expect(await handshakeFault(edge.port, 'c.test')).toBe('none')
  })
})

describe('refused', () => {
  it.each([
    ['an unknown host', 'unknown.test'],
    ['a host without a certificate', 'www.a.test'],
    ['no host', ''],
    ['an underscore', '_acme.a.test'],
  ])('%s: unrecognized_name', async (_, host) => {
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
      expect(await handshakeFault(edge.port, host, { maxVersion })).toBe(unrecognized)
  })

  it('a failing directory: internal_error until it recovers', async () => {
    edge.directory.mode = 'failing'
    expect(await handshakeFault(edge.port, 'a.test')).toBe('ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR')
    edge.directory.mode = 'later'
    expect((await ask(edge.port, 'a.test', a.chain)).status).toBe(200)
  })

  it('TLS 1.1', async () => {
    const options = {
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      ciphers: 'ALL:@SECLEVEL=0',
    } as const
    expect(await handshakeFault(edge.port, 'a.test', options)).toMatch(/PROTOCOL_VERSION/)
  })

  it('unsupported protocols: no_application_protocol', async () => {
    for (const protocol of ['spdy/3', 'h3', 'acme-tls/1']) {
      const fault = await handshakeFault(edge.port, 'a.test', { ALPNProtocols: [protocol] })
      expect(fault).toBe('ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL')
    }
  })
})

describe('bytes that are not a handshake', () => {
  it('plain HTTP gets a response with the Error schema', async () => {
    const socket = await openTcp(edge.port)
    socket.write('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n')
    const text = await readAll(socket)
    expect(text).toMatch(/^HTTP\/1.1 400 Bad Request\r\nContent-Type: application\/json/)
    expect(text).toContain('"code":"invalid_request","message":"This port speaks TLS.')
  })

  it('junk is closed at once', async () => {
    for (const junk of [
      '\x00\x00\x00\x00\x00',
      'SSH-2.0-x\r\n'.slice(3),
      '\x16\x02\x00\x00\x01a',
    ]) {
      const socket = await openTcp(edge.port)
      socket.write(Buffer.from(junk, 'latin1'))
      expect(await readAll(socket)).toBe('')
    }
  })

  it('a giant ClientHello is refused by its announced length', async () => {
    const socket = await openTcp(edge.port)
    socket.write(Buffer.from([22, 3, 1, 0x40, 0, 1, 1, 0, 0]))
    // Fatal, decode_error.
    expect(await readAll(socket)).toBe('\x15\x03\x03\x00\x02\x02\x32')
  })

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['half of a ClientHello', Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3])],
  ])('%s is closed in time, and others are served', async (_, bytes) => {
    const socket = await openTcp(edge.port)
    if (bytes.length > 0) socket.write(bytes)
    expect((await ask(edge.port, 'a.test', a.chain)).status).toBe(200)
    passMs(10_000)
    expect(await readAll(socket)).toBe('')
  })

  it('a ClientHello is accepted byte by byte', async () => {
    // A proxy that splits it into pieces.
    const proxy = createServer(async (client) => {
      const upstream = await openTcp(edge.port)
      upstream.on('close', () => client.destroy())
      upstream.setNoDelay(true)
      upstream.on('data', (chunk) => client.write(chunk))
      client.on('error', () => {})
      client.on('data', (chunk: Buffer) => {
        for (const byte of chunk) upstream.write(Buffer.from([byte]))
      })
      client.on('close', () => upstream.destroy())
    })
    onTestFinished(() => void proxy.close())
    const port = await listenOnFreePort(proxy)
    expect((await ask(port, 'a.test', a.chain)).text).toBe('a.tes')
  })

  it('a client that disconnects in the middle does no harm', async () => {
    for (let i = 0; i < 20; i++) {
      const socket = await openTcp(edge.port)
      socket.write(Buffer.from([22, 3, 1, 2, 0, 1, 0]))
      if (i % 2 === 0) socket.destroy()
      else socket.resetAndDestroy()
    }
    expect((await ask(edge.port, 'a.test', a.chain)).status).toBe(200)
  })
})

describe('after the handshake', () => {
  it('the first head must arrive in time, whenever its first byte does', async () => {
    const headersTimeoutMs = 600_000
    const patient = await edgeForTest(hello, { 'a.test': a }, { plain: { headersTimeoutMs } })
    const late = await openTls(patient.port, 'a.test', a.chain)
    const silent = await openTls(patient.port, 'a.test', a.chain)
    const served = await openTls(patient.port, 'a.test', a.chain)
    const texts = [readAll(late), readAll(silent)]
    late.write('GET / HTTP/1.1\r\nHost: a.test\r\n')
    const answered = once(served, 'data')
    served.write('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n')
    await answered
    const { connections } = patient.listener.intake
    const parsed = () => [...connections.all()].filter(({ repeatable }) => repeatable).length
    await expect.poll(parsed).toBe(2)
    passMs(headersTimeoutMs)
    for (const text of texts) expect(await text).toMatch(/^HTTP\/1.1 408/)
    expect(served.destroyed).toBe(false)
  })

  it('a client that ends without a request is forgotten, and one that breaks TLS is cut off', async () => {
    const limits = { headersTimeoutMs: 600_000 }
    const patient = await edgeForTest(hello, { 'a.test': a }, { plain: limits })
    const ended = await openTls(patient.port, 'a.test', a.chain)
    ended.end()
    expect(await readAll(ended)).toBe('')
    const tcp = await openTcp(patient.port)
    // The client of TLS does not close it.
    const between = new Duplex({
      read() {},
      write: (chunk, _, sent) => void tcp.write(chunk, sent),
    })
    tcp.on('data', (chunk) => between.push(chunk))
    await openTls(patient.port, 'a.test', a.chain, { socket: between })
    const gone = closed(tcp)
    tcp.write('no record of TLS')
    await gone
    const { connections } = patient.listener.intake
    await expect.poll(() => connections.size).toBe(0)
  })
})

describe('metrics', () => {
  it('count handshakes by outcome', async () => {
    await ask(edge.port, 'a.test', a.chain)
    await handshakeFault(edge.port, 'unknown.test')
    const { registry } = edge.listener.intake.metrics
    const text = await registry.getSingleMetricAsString('animal_store_tls_handshakes_total')
    expect(text).toContain('{outcome="done"} 1')
    expect(text).toContain('{outcome="unknown host"} 1')
    expect(text).not.toContain('failed')
  })

  it('count what failed, and what never was a handshake', async () => {
    const { registry } = edge.listener.intake.metrics
    await handshakeFault(edge.port, 'a.test', { ALPNProtocols: ['spdy/3'] })
    ;(await openTcp(edge.port)).destroy()
    await eventually(
      () => registry.getSingleMetricAsString('animal_store_tls_handshakes_total'),
      (text) => text.includes('{outcome="failed"} 1') && text.includes('{outcome="no tls"} 1'),
    )
  })

  it('count cached certificates and open connections', async () => {
    await openTls(edge.port, 'a.test', a.chain)
    await openTls(edge.port, 'b.test', b.chain)
    await openTcp(edge.plainPort)
    const { registry } = edge.listener.intake.metrics
    const ready = await registry.getSingleMetricAsString('animal_store_tls_certificates_ready')
    expect(ready).toContain('animal_store_tls_certificates_ready 2')
    await expect
      .poll(() => registry.getSingleMetricAsString('animal_store_open_connections'))
      .toContain('animal_store_open_connections 3')
  })
})
