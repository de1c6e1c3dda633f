// TLS-ALPN-01 (RFC 8737): the challenge's certificate is shown only to clients that offer only acme-tls/1, on both
// versions of TLS, and the connection is used for nothing else.
import { execFile } from 'node:child_process'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Handler } from '#kit/http/listener/intake.ts'
import { makeCertificate } from './certificates.ts'
import { ask, handshakeFault, openTls, readAll } from './clients.ts'
import { type Edge, edgeForTest } from './started-edge.ts'

const ordinary = makeCertificate(['a.test'])
const challenge = makeCertificate(
  ['a.test'],
  [`1.3.6.1.5.5.7.1.31=critical,DER:04:20${':ab'.repeat(32)}`],
)

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('on %s', (version) => {
  const options = { minVersion: version, maxVersion: version, rejectUnauthorized: false } as const
  let edge: Edge
  let requests = 0
  beforeEach(async () => {
    requests = 0
    const hello: Handler = (_, response) => {
      requests++
      response.end('hello')
    }
    edge = await edgeForTest(hello, { 'a.test': ordinary })
    edge.directory.challenge('a.test', challenge)
  })

  it('shows the challenge, closes, and answers no request', async () => {
    const socket = await openTls(edge.port, 'a.test', '', {
      ...options,
      ALPNProtocols: ['acme-tls/1'],
    })
    expect(socket.alpnProtocol).toBe('acme-tls/1')
    expect(socket.getPeerX509Certificate()?.raw.includes(Buffer.alloc(32, 0xab))).toBe(true)
    socket.write('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n')
    expect(await readAll(socket)).toBe('')
    expect(requests).toBe(0)
  })

  it('a host in its first validation has no other certificate', async () => {
    edge.directory.challenge('new.test', challenge)
    const acme = { ...options, ALPNProtocols: ['acme-tls/1'] }
    expect(await handshakeFault(edge.port, 'new.test', acme)).toBe('none')
    expect(await handshakeFault(edge.port, 'new.test', options)).toMatch(/UNRECOGNIZED_NAME/)
  })

  it('other clients see the ordinary certificate, also if they offer more protocols', async () => {
    expect((await ask(edge.port, 'a.test', ordinary.chain)).text).toBe('hello')
    const socket = await openTls(edge.port, 'a.test', '', {
      ...options,
      ALPNProtocols: ['acme-tls/1', 'http/1.1'],
    })
    expect(socket.alpnProtocol).toBe('http/1.1')
  })

  it('without a challenge the protocol is not supported', async () => {
    edge.directory.show('b.test', 'b1', ordinary)
    const acme = { ...options, ALPNProtocols: ['acme-tls/1'] }
    for (const host of ['b.test', 'unknown.test', ''])
      expect(await handshakeFault(edge.port, host, acme)).toMatch(/NO_APPLICATION_PROTOCOL/)
  })

  it('works with openssl', async () => {
    const flag = version === 'TLSv1.2' ? '-tls1_2' : '-tls1_3'
    const to = ['-connect', `127.0.0.1:${edge.port}`, '-servername', 'a.test', flag]
    const text = await new Promise<string>((resolve) => {
      const args = ['s_client', ...to, '-alpn', 'acme-tls/1']
      execFile('openssl', args, (_, out) => resolve(out)).stdin?.end()
    })
    expect(text).toContain('ALPN protocol: acme-tls/1')
    expect(text).toContain(version)
  })
})
