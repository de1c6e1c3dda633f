// TLS-ALPN-01 (RFC 8737): the challenge's certificate is shown to who offers acme-tls/1 alone, on both
// versions of TLS, and the connection does nothing else.
import { execFile } from 'node:child_process'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeCertificate } from './certificates.ts'
import { ask, handshakeFault, openTls, readAll } from './clients.ts'
import { type Edge, startEdge } from './started-edge.ts'

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
    edge = await startEdge((_, response) => {
      requests++
      response.end('hello')
    })
    edge.directory.show('a.test', 'a1', ordinary)
    edge.directory.challenge('a.test', challenge)
    return () => edge.stop()
  })

  it('shows the challenge, ends, and answers no request', async () => {
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

  it('a host that is validated for the first time has no other certificate', async () => {
    edge.directory.challenge('new.test', challenge)
    const acme = { ...options, ALPNProtocols: ['acme-tls/1'] }
    expect(await handshakeFault(edge.port, 'new.test', acme)).toBe('none')
    expect(await handshakeFault(edge.port, 'new.test', options)).toMatch(/UNRECOGNIZED_NAME/)
  })

  it('others see the ordinary certificate, those who offer more too', async () => {
    expect((await ask(edge.port, 'a.test', ordinary.chain)).text).toBe('hello')
    const socket = await openTls(edge.port, 'a.test', '', {
      ...options,
      ALPNProtocols: ['acme-tls/1', 'http/1.1'],
    })
    expect(socket.alpnProtocol).toBe('http/1.1')
    socket.destroy()
  })

  it('without a challenge there is no such protocol', async () => {
    edge.directory.show('b.test', 'b1', ordinary)
    const acme = { ...options, ALPNProtocols: ['acme-tls/1'] }
    for (const host of ['b.test', 'unknown.test', ''])
      expect(await handshakeFault(edge.port, host, acme)).toMatch(/NO_APPLICATION_PROTOCOL/)
  })

  it('openssl sees it, too', async () => {
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
